import { UnloopError } from "../errors.ts";
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";

/** A proxy on the way out would send these to itself. */
const THIS_MACHINE = "localhost,127.0.0.1,[::1]";

/**
 * The way to upstreams: through the proxy that HTTP_PROXY and HTTPS_PROXY name, as other programs take it, but for the hosts in NO_PROXY
 * and for this machine. A proxy's user and password stand in its URL.
 * @param connectTimeoutMs also for the proxy's answer to CONNECT
 * @throws UnloopError `bad_setting` for a variable that is no URL
 */
export function upstreamAgent(options: Agent.Options, connectTimeoutMs: number, env = process.env): Dispatcher {
  const httpProxy = env.http_proxy || env.HTTP_PROXY || "";
  const httpsProxy = env.https_proxy || env.HTTPS_PROXY || httpProxy;
  if (httpProxy === "" && httpsProxy === "") return new Agent(options);
  // Its value may hold a password.
  if (![httpProxy, httpsProxy].every((url) => url === "" || (URL.canParse(url) && /^https?:/i.test(url))))
    throw new UnloopError("bad_setting", "HTTP_PROXY or HTTPS_PROXY has no URL of a proxy: write http://HOST:PORT.");
  const exempt = env.no_proxy || env.NO_PROXY || "";
  const limits = {
    factory: (origin: string | URL, own: object) => new Pool(origin, { ...options, ...own }),
    clientFactory: (origin: URL, own: object) => new Pool(origin, { ...own, headersTimeout: connectTimeoutMs }),
    proxyTls: { timeout: connectTimeoutMs },
    // Plain HTTP is asked for by its whole URL: few proxies connect to other ports than 443.
    proxyTunnel: false,
  };
  return new EnvHttpProxyAgent({
    ...options,
    ...limits,
    httpProxy,
    httpsProxy,
    noProxy: exempt === "*" ? exempt : `${exempt},${THIS_MACHINE}`,
  });
}

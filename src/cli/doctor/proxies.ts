import { type DoctorCheck, failed, ok, skipped, warning } from "./check.ts";

const NAMES = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"];
const LOOPBACK = ["127.0.0.1", "localhost"];

/** Whether the proxy variables can be read, and lead no agent's request for the guard through a proxy. */
export function proxies(env: NodeJS.ProcessEnv): DoctorCheck {
  return {
    name: "proxy",
    async run() {
      const set = NAMES.filter((name) => env[name]);
      if (set.length === 0) return [skipped("No proxy variable is set.")];
      const wrong = set.filter((name) => !isUrl(env[name] ?? ""));
      if (wrong.length > 0)
        return [failed(`${wrong.join(", ")} has no URL of a proxy.`, "Write http://HOST:PORT, or unset it.")];
      const exempt = (env.no_proxy || env.NO_PROXY || "").split(",").map((host) => host.trim());
      const hosts = [...new Set(set.map((name) => new URL(env[name] ?? "").host))].join(", ");
      if (exempt.includes("*") || LOOPBACK.every((host) => exempt.includes(host)))
        return [ok(`The guard asks upstreams through ${hosts}, and agents ask the guard directly.`)];
      return [
        warning(
          `The guard asks upstreams through ${hosts}, but NO_PROXY lacks 127.0.0.1 or localhost: agents send requests for the guard to the proxy, keys included.`,
          "Add 127.0.0.1,localhost to NO_PROXY where agents run, or start them with `unloop wrap`.",
        ),
      ];
    },
  };
}

function isUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

import { connect } from "node:net";
import type { Settings } from "../../config/config.ts";
import { loadSettings } from "../../config-file/config-file.ts";
import { UnloopError } from "../../errors.ts";
import { httpUrl } from "../../shapes/shapes.ts";
import { isGuard } from "../guard-health.ts";

/** What a check has found. `skipped`: there was nothing to look at, and that is no fault. */
export interface Diagnosis {
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly says: string;
  readonly cure?: string;
}

export const ok = (says: string): Diagnosis => ({ status: "ok", says });
export const skipped = (says: string): Diagnosis => ({ status: "skipped", says });
export const warning = (says: string, cure: string): Diagnosis => ({ status: "warning", says, cure });
export const failed = (says: string, cure: string): Diagnosis => ({ status: "failed", says, cure });

export function checkedSettings(env: NodeJS.ProcessEnv): {
  readonly settings?: Settings;
  readonly diagnosis: Diagnosis;
} {
  try {
    const { settings } = loadSettings({ env, flags: {} });
    const { mode, policy, upstream } = settings;
    const to = upstream === undefined ? "each wire format's own API" : upstream.href;
    return { settings, diagnosis: ok(`The settings are valid: mode ${mode}, policy ${policy}, upstream ${to}.`) };
  } catch (error) {
    if (!(error instanceof UnloopError)) throw error;
    const cure = "Correct the setting in the message; docs/configuration.md lists all settings.";
    return { diagnosis: failed(error.message, cure) };
  }
}

/** Whether a guard listens where it is looked for, or could. @param url without a path */
export async function port(url: string): Promise<Diagnosis> {
  const { hostname, port: number } = new URL(url);
  if (await isGuard(url, 2_000)) return ok(`A guard answers at ${url}.`);
  if (await isTaken(hostname.replace(/^\[|\]$/g, ""), Number(number || 80)))
    return failed(
      `Another program listens at ${url}, not a guard.`,
      "Choose another port with UNLOOP_PORT, or stop the other program.",
    );
  return warning(
    `No guard listens at ${url}.`,
    "Start one with `unloop serve`, or run the agent with `unloop wrap AGENT`.",
  );
}

function isTaken(host: string, number: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: number, timeout: 2_000 });
    const end = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.once("connect", () => end(true));
    for (const failure of ["error", "timeout"]) socket.once(failure, () => end(false));
  });
}

export async function redis(url: string | undefined, ping: (url: string) => Promise<void>): Promise<Diagnosis> {
  if (url === undefined) return skipped("No REDIS_URL: sessions are kept in the memory of one process.");
  try {
    await ping(url);
    return ok("Redis answers.");
  } catch (error) {
    return failed(
      `Redis does not answer (${error instanceof Error ? error.message : error}).`,
      "Start it, or correct REDIS_URL: host, port, password, rediss:// for TLS.",
    );
  }
}

const PROXY_VARIABLES = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"];

/** Whether the proxy variables can be read, and lead no agent's request for the guard through a proxy. */
export function proxies(env: NodeJS.ProcessEnv): Diagnosis {
  const set = PROXY_VARIABLES.filter((name) => env[name]);
  if (set.length === 0) return skipped("No proxy variable is set.");
  const wrong = set.filter((name) => httpUrl(env[name] ?? "") === undefined);
  if (wrong.length > 0)
    return failed(`${wrong.join(", ")} has no URL of a proxy.`, "Write http://HOST:PORT, or unset it.");
  const exempt = (env.no_proxy || env.NO_PROXY || "").split(",").map((host) => host.trim());
  const asks = `The guard asks upstreams through ${[...new Set(set.map((name) => httpUrl(env[name] ?? "")?.host))].join(", ")}`;
  if (exempt.includes("*") || ["127.0.0.1", "localhost"].every((host) => exempt.includes(host)))
    return ok(`${asks}, and agents ask the guard directly.`);
  return warning(
    `${asks}, but NO_PROXY lacks 127.0.0.1 or localhost: agents send requests for the guard to the proxy, keys included.`,
    "Add 127.0.0.1,localhost to NO_PROXY where agents run, or start them with `unloop wrap`.",
  );
}

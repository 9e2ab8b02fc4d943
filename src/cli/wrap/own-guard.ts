import { loadSettings } from "../../config-file/config-file.ts";
import { serve } from "../../node.ts";
import type { Log } from "../../proxy/proxy.ts";
import { configurationOf } from "../serve.ts";
import type { Through } from "./agent.ts";

/** How long open answers may go on after the agent has ended. */
const DRAIN_MS = 1_000;

/** A guard that lives as long as the agent that it was started for. */
export interface OwnGuard {
  readonly through: Through;
  /** Without a path. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a guard on a free port of this machine in front of the given base URLs. What else it is to do, the UNLOOP_* variables say as
 * for any guard. @throws UnloopError `bad_setting`
 */
export async function startGuard(baseUrls: readonly string[], log: Log): Promise<OwnGuard> {
  const prefixes = prefixesFor(baseUrls);
  const upstreams = [...prefixes].map(([origin, prefix]) => `${prefix}=${origin}`).join(",");
  // A configuration file is for many agents, with keys that this one does not have.
  const env = { ...process.env, UNLOOP_UPSTREAMS: upstreams, UNLOOP_LOG: "silent", UNLOOP_CONFIG: undefined };
  const sources = { env, flags: { host: "127.0.0.1", port: "0" } };
  const loaded = loadSettings(sources);
  const { url, drain } = await serve(loaded.settings, log, configurationOf(loaded, sources));
  return {
    url,
    through(baseUrl) {
      const { origin, pathname } = new URL(baseUrl);
      return `${url}${prefixes.get(origin) ?? ""}${pathname.replace(/\/+$/, "")}`;
    },
    close: () => drain(DRAIN_MS),
  };
}

/** Each origin has a prefix on the guard, and the rest of a path stays: `…/to/api.openai.com/v1`. */
function prefixesFor(baseUrls: readonly string[]): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>();
  for (const baseUrl of baseUrls) {
    const { host, origin, protocol } = new URL(baseUrl);
    const name = host.replace(/[^\w.-]+/g, "-");
    if (!prefixes.has(origin)) prefixes.set(origin, `/to/${protocol === "https:" ? "" : "http-"}${name}`);
  }
  return prefixes;
}

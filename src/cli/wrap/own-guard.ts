import { withoutEndSlashes } from "../../text/without-end-slashes.ts";
import { randomBytes } from "node:crypto";
import { loadSettings } from "../../config-file/config-file.ts";
import { serve } from "../../node.ts";
import type { Log } from "../../proxy/proxy.ts";
import { configurationOf } from "../serve.ts";
import type { Through } from "./agent.ts";

const DRAIN_MS = 1_000;

export type OwnGuard = Awaited<ReturnType<typeof startGuard>>;

/** Starts a guard on a free port of this machine in front of the given base URLs, with the UNLOOP_* variables. @throws UnloopError `bad_setting` */
export async function startGuard(baseUrls: readonly string[], log: Log) {
  // One upstream for everything, as of any guard: there is nothing to tell apart.
  const prefixes = process.env.UNLOOP_UPSTREAM ? new Map<string, string>() : prefixesFor(baseUrls);
  const upstreams = [...prefixes].map(([origin, prefix]) => `${prefix}=${origin}`).join(",");
  // A configuration file is for many agents, with keys that this one does not have.
  const token = randomBytes(32).toString("hex");
  const env = {
    ...process.env,
    UNLOOP_UPSTREAMS: upstreams || undefined,
    UNLOOP_LOG: "silent",
    UNLOOP_CONFIG: undefined,
    UNLOOP_ADMIN: undefined,
    // Every process of this machine reaches the guard, the agent's own shell among them.
    UNLOOP_ADMIN_TOKEN: process.env.UNLOOP_ADMIN_TOKEN || token,
  };
  const sources = { env, flags: { host: "127.0.0.1", port: "0" } };
  const loaded = loadSettings(sources);
  const { url, drain } = await serve(loaded.settings, log, configurationOf(loaded, sources), { warmsUp: true });
  return {
    url,
    /** Of its page; with the token that it needs, unless that is the user's own. */
    page: `${url}/unloop/#live${process.env.UNLOOP_ADMIN_TOKEN ? "" : `?token=${token}`}`,
    through: ((baseUrl) => throughGuard(url, prefixes, baseUrl)) satisfies Through,
    close: () => drain(DRAIN_MS),
  };
}

/** Each origin has a prefix on the guard, and the rest of a path stays: `…/to/api.openai.com/v1`. */
export function prefixesFor(baseUrls: readonly string[]): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>();
  for (const baseUrl of baseUrls) {
    const { host, origin, protocol } = new URL(baseUrl);
    const name = host.replace(/[^\w.-]+/g, "-");
    const prefix = `/to/${protocol === "https:" ? "" : "http-"}${name}`;
    if (!prefixes.has(origin)) prefixes.set(origin, unusedPrefix(prefix, [...prefixes.values()]));
  }
  return prefixes;
}

/** One origin's key must not go to another whose name is spelt alike. */
function unusedPrefix(prefix: string, used: readonly string[]): string {
  let free = prefix;
  for (let i = 2; used.includes(free); i++) free = `${prefix}-${i}`;
  return free;
}

/** User name, password and query stay where a client makes a header or a parameter of them. */
export function throughGuard(guard: string, prefixes: ReadonlyMap<string, string>, baseUrl: string): string {
  const { origin, pathname, username, password, search } = new URL(baseUrl);
  const user = username === "" && password === "" ? "" : `${username}${password === "" ? "" : `:${password}`}@`;
  const base = user === "" ? guard : guard.replace("://", `://${user}`);
  return `${base}${prefixes.get(origin) ?? ""}${withoutEndSlashes(pathname)}${search}`;
}

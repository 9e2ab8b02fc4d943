import type { Hono } from "hono";
import type { Mode } from "./config.ts";
import { UnloopError } from "./errors.ts";
import { keyedHash, randomSecret } from "./hmac.ts";
import { type Policy, presetNamed, presetNames } from "./policy/policy.ts";
import { guardApp, type Log } from "./proxy/proxy.ts";
import { memoryStore } from "./store/memory.ts";
import type { SessionStore } from "./store/store.ts";
import type { Transport } from "./transport/transport.ts";
import { webTransport } from "./transport/web.ts";

export type { Mode } from "./config.ts";
export { type ErrorCode, UnloopError } from "./errors.ts";
export type { Ladder, LadderName, Policy, Rung } from "./policy/policy.ts";
export { presetNamed, presetNames } from "./policy/policy.ts";
export type { Log } from "./proxy/proxy.ts";
export { memoryStore } from "./store/memory.ts";
export type { SessionStore, Stored, ThreadKey } from "./store/store.ts";
export type { Transport } from "./transport/transport.ts";
export { webTransport } from "./transport/web.ts";

export interface UnloopOptions {
  /** The API's base URL, with or without its `/v1`. */
  readonly upstream: string | URL;
  /** A preset's name, or a policy of your own; `default` without it. */
  readonly policy?: string | Policy;
  /** `enforce` without it. */
  readonly mode?: Mode;
  /** Lets a client choose its mode with the `x-unloop-mode` header; off without it. */
  readonly clientMayChooseMode?: boolean;
  /** In this process's memory without it. */
  readonly store?: SessionStore;
  /** A store that takes longer counts as failed, and the request's own history is judged alone; 50 without it. */
  readonly storeTimeoutMs?: number;
  /** Keys all signatures; processes that share a store must share it. One of its own for each start without it. */
  readonly secret?: string | undefined;
  /** fetch and web streams without it; on Node `nodeTransport()` of `unloop/node` is several times faster. */
  readonly transport?: Transport;
  /** Silent without it. Any pino logger fits. */
  readonly log?: Log;
  readonly maxBodyBytes?: number;
  readonly sessionTtlMs?: number;
}

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * The guard as a Hono app: serve it, or mount it with `app.route("/llm", unloop({ upstream }))`.
 * @throws UnloopError `bad_setting` for an upstream that is no URL or a policy that nobody knows.
 */
export function unloop(options: UnloopOptions): Hono {
  return guardApp({
    upstream: upstreamOf(options.upstream),
    policy: policyOf(options.policy ?? "default"),
    mode: options.mode ?? "enforce",
    clientMayChooseMode: options.clientMayChooseMode ?? false,
    store: options.store ?? memoryStore(),
    storeTimeoutMs: options.storeTimeoutMs ?? 50,
    transport: options.transport ?? webTransport(),
    sign: keyedHash(options.secret ?? randomSecret()),
    clock: () => performance.now(),
    stamp: () => ({ id: crypto.randomUUID().replaceAll("-", ""), created: Math.floor(Date.now() / 1000) }),
    log: options.log ?? silent,
    maxBodyBytes: options.maxBodyBytes ?? 32 * 1024 * 1024,
    sessionTtlMs: options.sessionTtlMs ?? 6 * 60 * 60 * 1000,
  });
}

function upstreamOf(upstream: string | URL): URL {
  if (upstream instanceof URL) return upstream;
  if (URL.canParse(upstream) && /^https?:/.test(upstream)) return new URL(upstream);
  throw new UnloopError("bad_setting", "upstream must be a whole http or https URL, such as https://api.openai.com.");
}

function policyOf(policy: string | Policy): Policy {
  if (typeof policy !== "string") return policy;
  const preset = presetNamed(policy);
  if (preset !== undefined) return preset;
  throw new UnloopError(
    "bad_setting",
    `policy must be one of ${presetNames.join(", ")}, not ${JSON.stringify(policy)}.`,
  );
}

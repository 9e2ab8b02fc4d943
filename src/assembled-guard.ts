import type { Configured } from "./config-file/config-file.ts";
import { ruleset, type Settings, standardSettings } from "./config/config.ts";
import { keyedHash, randomSecret } from "./text/keyed-hash.ts";
import { type Policy, policyNamed, presetNamed } from "./policy/policy.ts";
import {
  type ExchangeObserver,
  type Guard,
  type GuardChange,
  guardFor,
  noThrow,
  harmless,
  type JudgeEndpoint,
  type Log,
  type Meter,
  noMeter,
  READ_LIMIT,
  routesFor,
  type Upstreams,
} from "./proxy/proxy.ts";
import { type BreakerState, resilient } from "./store/resilient/resilient.ts";
import type { Stores } from "./store/store.ts";
import type { Transport } from "./transport/transport.ts";

/** Settings that the library takes as they are; docs/configuration.md says what they mean, and their defaults. */
type SharedSettings = Pick<
  Settings,
  "mode" | "storeDeadlineMs" | "maxBodyBytes" | "tenantHeader" | "sessionNames" | "unreadable" | "sessionTtlMs"
>;

/** Options of a guard; each may be left out. */
export interface UnloopOptions extends Partial<SharedSettings> {
  /** Clients may choose mode and policy, with `x-unloop-mode` and `x-unloop-policy`; not without it. */
  readonly allowClientOverrides?: boolean;
  /** The API's base URL, with or without its `/v1`. Without it each wire format goes to its maker's API. */
  readonly upstream?: string | URL | undefined;
  /** Further base URLs by the beginning of the path (`/groq`), which is taken off; `/` is for all other paths. */
  readonly upstreams?: Readonly<Record<string, string | URL>> | undefined;
  /** A preset's name, a policy as JSON text, or a policy of your own (`policyFrom` makes one); `default` without it. */
  readonly policy?: string | Policy;
  /** In this process's memory without it. */
  readonly stores?: Stores;
  /** Told when the stores are given up (false) and when they are back (true); beside it whether they take writes, which a full Redis refuses. */
  readonly onStoreChange?: (up: boolean, writable: boolean) => void;
  readonly meter?: Meter;
  /** Told of each guarded exchange behind its last byte: facts alone, no text of the conversation. */
  readonly observer?: ExchangeObserver | undefined;
  /** Keys all signatures; processes that share a store must share it. One of its own for each start without it. */
  readonly secret?: string | undefined;
  /** fetch and web streams without it; on Node `nodeTransport()` of `unloop/node` is several times faster. */
  readonly transport?: Transport;
  /** Silent without it. Any pino logger fits. */
  readonly log?: Log;
  /** Judge, for policies with `judge` (such as the preset `local-planning`); without it none but a run's own upstream is asked. */
  readonly judge?: JudgeOptions | undefined;
  /** Milliseconds for which what sessions do is gathered before the directory is told; not at all without it. */
  readonly gatherMs?: number;
  /** Keeps the platform from ending work that goes on behind an answer: `waitUntil` of `cloudflare:workers` in a Worker; needed there with `gatherMs`. */
  readonly outlive?: (work: Promise<void>) => void;
}

/** Any endpoint that understands chat completions. */
export interface JudgeOptions {
  /** The API's base URL, with or without its `/v1`. */
  readonly upstream: string | URL;
  /** Sent as bearer token; none without it. */
  readonly key?: string | undefined;
  readonly model: string;
  /** For one question; 30,000 without it. */
  readonly timeoutMs?: number;
}

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Options that have been checked, and whatever else they came with. */
export type GuardOptions = UnloopOptions & { readonly transport: Transport };

/**
 * @param options `readBytes`: larger bodies are forwarded unread
 * @param neverFail whether stores need neither deadline nor breaker, such as those in memory
 * @throws UnloopError `bad_setting` for a policy that is not known or not valid
 */
export function assembledGuard(
  options: GuardOptions & { readonly stores: Stores; readonly readBytes?: number },
  neverFail: (stores: Stores) => boolean,
): Guard {
  const { transport, stores, log = silent, meter = noMeter, gatherMs = 0, outlive } = options;
  const set = { ...standardSettings, ...given(options) };
  const policy = policyNamed(set.policy);
  if (wantsJudge(policy) && options.judge === undefined) harmless(log).warn({ policy: policy.name }, "no-judge");
  const guarded = (how: Partial<ReturnType<typeof storeWatch>> | { readonly isBeside: true }) =>
    neverFail(stores) ? stores : resilient(stores, { deadlineMs: set.storeDeadlineMs, ...how });
  const watch = storeWatch(options, log);
  const { mode, maxBodyBytes, sessionNames, unreadable, sessionTtlMs, allowClientOverrides = false } = set;
  return guardFor({
    configuration: {
      ...{ mode, policy, maxBodyBytes, allowClientOverrides },
      routes: routesFor(upstreamsOf(options)),
      policyNamed: presetNamed,
      observer: options.observer,
      readBytes: options.readBytes ?? READ_LIMIT,
      rules: ruleset([], { rule: undefined, mode, policy, rollout: undefined }),
      clients: [],
      onKeyRefused: () => undefined,
      filePolicies: new Map(),
      configStatus: undefined,
    },
    ...{ transport, log, meter, gatherMs, outlive, sessionNames, unreadable, sessionTtlMs },
    tenantHeader: set.tenantHeader?.toLowerCase(),
    stores: guarded(watch),
    takesWrites: watch.takesWrites,
    sign: keyedHash(options.secret ?? randomSecret()),
    judge: options.judge && judgeOf(options.judge),
    clock: () => performance.now(),
    now: unixSeconds,
    stamp: () => ({ id: crypto.randomUUID().replaceAll("-", ""), created: unixSeconds() }),
    // What only operators read has a breaker of its own: that it answers says nothing of the rest.
    besideStores: guarded({ isBeside: true }),
  });
}

/** Options without those that are undefined. */
function given<Options extends object>(options: Options): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Options>;
}

/** The run's own upstream needs no judge of the server's. */
function wantsJudge({ judge }: Policy): boolean {
  return judge !== undefined && judge.model === undefined;
}

const unixSeconds = (): number => Math.floor(Date.now() / 1000);

/** Logs each change of a breaker's state once, however many requests it concerns. */
function storeWatch(options: UnloopOptions, strangers: Log) {
  const log = harmless(strangers);
  const onStoreChange = noThrow(options.onStoreChange ?? (() => undefined));
  const holds = { up: true, writable: true };
  const watch = (what: keyof typeof holds, back: string, lost: string) => (state: BreakerState, reason: string) => {
    holds[what] = state !== "open";
    if (holds[what]) log.info({}, back);
    else log.warn({ reason }, lost);
    onStoreChange(holds.up, holds.writable);
  };
  return {
    takesWrites: () => holds.writable,
    onChange: watch("up", "store-back", "store-lost"),
    onWritesChange: watch("writable", "store-writable", "store-refuses-writes"),
  };
}

/** For one question to the judge. */
const JUDGE_TIMEOUT_MS = 30_000;

function judgeOf({ upstream, key, model, timeoutMs = JUDGE_TIMEOUT_MS }: JudgeOptions): JudgeEndpoint {
  return { upstream: new URL(upstream), key, model, timeoutMs };
}

/** What was checked already: by the shape of the options, or of the settings. */
function upstreamsOf({ upstream, upstreams = {} }: Pick<UnloopOptions, "upstream" | "upstreams">): Upstreams {
  const byPrefix = Object.entries(upstreams).map(([prefix, url]) => [prefix, new URL(url)] as const);
  return { upstream: upstream === undefined ? undefined : new URL(upstream), upstreams: Object.fromEntries(byPrefix) };
}

export function changeFor(
  { policies, upstreams: named, mode, policy, rules, clients, allowClientOverrides }: Configured,
  { upstream, upstreams, maxBodyBytes, sessionTtlMs }: Upstreams & Pick<Settings, "maxBodyBytes" | "sessionTtlMs">,
): GuardChange {
  return {
    ...{ mode, policy, rules, clients, allowClientOverrides, maxBodyBytes, sessionTtlMs },
    filePolicies: policies,
    policyNamed: (name) => policies.get(name) ?? presetNamed(name),
    routes: routesFor({ upstream, upstreams: { ...named, ...upstreams } }),
  };
}

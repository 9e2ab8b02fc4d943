import { activity } from "../activity/activity.ts";
import { ruleset } from "../config/config.ts";
import { Hono } from "hono/tiny";
import type { Stores } from "../store/store.ts";
import type { Exchange, Transport } from "../transport/transport.ts";
import { bodyBudget } from "./body-budget.ts";
import { type GuardControl, guardControl } from "./control.ts";
import { guard } from "./guard.ts";
import { harmless, harmlessLog, harmlessMeter, quietly } from "./harmless.ts";
import { exchangeContexts, type GuardContext } from "./guard-context.ts";
import { type JudgeEndpoint, judgeState } from "../evaluation/judge/judge-state.ts";
import { answeredStates } from "../evaluation/load/shown-state.ts";
import { writeBackStore, threadCache, flush, type BackedThreadCache } from "../session/session.ts";
import { containments } from "../activity/activity.ts";
import { inFlightThreads } from "../evaluation/in-flight.ts";
import { strangerQuota } from "../evaluation/unverified-quota.ts";
import { untoldSessions } from "../evaluation/record/stepless-sessions.ts";

export { harmless, harmlessLog } from "./harmless.ts";
export type { Containment, GuardControl } from "./control.ts";
export type { AnsweredQuestion, Ruling } from "./evaluate-only.ts";
export type { GuardContext } from "./guard-context.ts";
export { type Routes, routesFor, type Upstreams } from "./http/routes.ts";
export type { ClientKey } from "./http/clients.ts";
export type { JudgeEndpoint } from "../evaluation/judge/judge-state.ts";
export type { ExchangeObserver, ExchangeReport } from "./exchange-report.ts";
export type { Log } from "./log.ts";
export { type Meter, noMeter, type SpentTokens, type SpentUnder } from "./meter.ts";

export interface GuardSettings
  extends Omit<
    GuardContext,
    | "unpriced"
    | "bodyBudget"
    | "inFlight"
    | "untold"
    | "strangers"
    | "judgeState"
    | "answeredStates"
    | "threadCache"
    | "activity"
    | "placement"
    | "containments"
    | "rules"
    | "clients"
    | "filePolicies"
    | "configStatus"
  > {
  /** Steps of threads that are remembered here, so that their next requests need not be read whole; 0: none. */
  readonly threadCacheSteps: number;
  /** Bytes of request bodies that are held at once; beyond that requests are answered with 503. */
  readonly bodyBudgetBytes: number;
  /** The same stores, for what no exchange waits for. */
  readonly besideStores: Stores;
  /** How old what operators have ordered may be, in milliseconds; undefined where `refresh` is called by a timer. */
  readonly maxDirectiveAgeMs: number | undefined;
  /** How long what sessions do is gathered before the store is told; 0: not at all. */
  readonly gatherMs: number;
  /** Undefined: there is no goal judge. */
  readonly judge: JudgeEndpoint | undefined;
}

/** The guard by itself. */
export interface Guard {
  /** Runs one exchange, from the first byte of the request to the record of it. Never rejects. */
  (exchange: Exchange): Promise<void>;
  /** Puts away what only this process remembers, before it ends. Never rejects. */
  settle(): Promise<void>;
  /** Asks the store what operators have ordered. Never rejects. */
  refresh(): Promise<void>;
  /** What operators can do with it. */
  readonly control: GuardControl;
  /** What it holds in this process. */
  held(): Held;
  /** Puts another configuration to use, all at once: for exchanges that begin from now on. */
  use(changed: GuardChange): void;
}

/** What a guard holds in its process. */
export interface Held {
  /** Of request bodies, in bytes. */
  readonly bodies: number;
  /** Of the stores, in bytes; undefined where they are elsewhere. */
  readonly store: number | undefined;
  readonly cachedSteps: number;
}

/** What can change while the guard runs. */
export type GuardChange = Partial<
  Pick<
    GuardContext,
    | "mode"
    | "policy"
    | "rules"
    | "clients"
    | "filePolicies"
    | "policyNamed"
    | "routes"
    | "maxBodyBytes"
    | "sessionTtlMs"
    | "observer"
    | "configStatus"
  > &
    Pick<GuardSettings, "bodyBudgetBytes">
>;

export function guardFor({
  judge,
  threadCacheSteps,
  bodyBudgetBytes,
  gatherMs,
  besideStores,
  maxDirectiveAgeMs,
  ...settings
}: GuardSettings): Guard {
  const remembered = remembering(threadCacheSteps, settings);
  const told = { log: harmlessLog(settings.log), meter: harmlessMeter(settings.meter) };
  let context: GuardContext = {
    ...settings,
    ...remembered,
    ...told,
    bodyBudget: bodyBudget(bodyBudgetBytes),
    observer: settings.observer && harmless(settings.observer),
    unpriced: new Set(),
    inFlight: inFlightThreads(),
    untold: untoldSessions(),
    strangers: strangerQuota(settings.clock),
    judgeState: judgeState(judge),
    answeredStates: answeredStates(),
    placement: {},
    rules: ruleset([], { rule: undefined, mode: settings.mode, policy: settings.policy, rollout: undefined }),
    clients: [],
    filePolicies: new Map(),
    configStatus: undefined,
    containments: containments({
      directives: besideStores.directives,
      maxAgeMs: maxDirectiveAgeMs,
      clock: settings.clock,
      onReset: (key) => remembered.threadCache?.cache.dropSession(key),
    }),
    activity: activity({
      ...settings,
      stores: besideStores,
      ttlMs: () => context.sessionTtlMs,
      gatherMs,
      quietly: quietly(told),
    }),
  };
  let contextOf = exchangeContexts(context);
  // An exchange keeps what it has begun with, whatever is put to use meanwhile.
  const run = (exchange: Exchange) => guard(exchange, context, contextOf);
  return Object.assign(run, {
    control: guardControl(() => context, {
      ...besideStores,
      ...context.activity.readers,
      sessions: context.stores.sessions,
    }),
    held: () => ({
      bodies: context.bodyBudget.held(),
      store: besideStores.heldBytes?.(),
      cachedSteps: context.threadCache?.cache.steps() ?? 0,
    }),
    refresh: () => quietly(context)(() => context.containments.refresh()),
    use({ bodyBudgetBytes: bodyBytes, ...changed }: GuardChange) {
      if (bodyBytes !== undefined) context.bodyBudget.resize(bodyBytes);
      context = { ...context, ...changed };
      if (changed.observer !== undefined) context = { ...context, observer: harmless(changed.observer) };
      contextOf = exchangeContexts(context);
    },
    async settle() {
      await context.activity.flush();
      await settle(context.threadCache);
    },
  });
}

/** A guard as a Hono app, to serve alone or to mount under any path. Everything that is no guarded endpoint passes through. */
export function guardApp(run: Guard, transport: Transport): Hono {
  return new Hono().all("*", (context) => transport.accept(context, run));
}

/** A store of this process alone ends with it. */
async function settle(cached: BackedThreadCache | undefined): Promise<void> {
  if (cached?.isShared === true) await flush(cached.cache, cached.store, cached.ttlMs);
}

function remembering(
  maxSteps: number,
  { stores, sessionTtlMs: ttlMs, clock: now }: Pick<GuardContext, "stores" | "sessionTtlMs" | "clock">,
): Pick<GuardContext, "threadCache" | "stores"> {
  if (maxSteps === 0) return { threadCache: undefined, stores };
  const cache = threadCache({ maxSteps, ttlMs, now });
  const { sessions: store, isShared } = stores;
  return {
    threadCache: { cache, store, isShared, ttlMs },
    stores: { ...stores, sessions: writeBackStore(cache, store, ttlMs) },
  };
}

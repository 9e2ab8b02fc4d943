import { activity, type ActivityOptions, containments } from "../activity/activity.ts";
import { ruleset } from "../config/config.ts";
import { type EvaluationServices, inBackground, orUndefined, processMemory } from "../evaluation/evaluation.ts";
import { Hono } from "hono/tiny";
import { type JudgeEndpoint, judgeState } from "../judge/judge.ts";
import { knownPrefixes, storeBehind } from "../session/session.ts";
import type { Stores } from "../store/store.ts";
import type { Exchange, Transport } from "../transport/transport.ts";
import { bodyBudget } from "./http/request-body.ts";
import { type GuardControl, guardControl } from "./control.ts";
import { guard } from "./guard.ts";
import { type Configuration, type GuardContext, guardContext } from "./guard-context.ts";
import { clientUse } from "./http/clients.ts";
import { harmless, noThrow } from "./fail-open.ts";
import { askJudge } from "./relay/ask-upstream.ts";
import { allowedOrigins } from "./relay/send-reply.ts";

export type { JudgeEndpoint } from "../judge/judge.ts";
export {
  type Log,
  type Meter,
  noMeter,
  type TokenUsage,
  type UsageLabels,
} from "../evaluation/evaluation.ts";
export type { ExchangeObserver, ExchangeReport } from "./guard.ts";
export type { Containment, GuardControl } from "./control.ts";
export type { AnsweredQuestion, Ruling } from "./evaluate-only.ts";
export { harmless, noThrow } from "./fail-open.ts";
export { READ_LIMIT } from "./http/request-body.ts";
export type { ClientKey } from "./http/clients.ts";
export { type Routes, routesFor, type Upstreams } from "./http/endpoint.ts";

/** Settings of a guard, where it starts. */
export interface GuardSettings
  extends Pick<
      Configuration,
      "mode" | "policy" | "routes" | "policyNamed" | "maxBodyBytes" | "readBytes" | "observer" | "allowClientOverrides"
    >,
    Pick<GuardContext, "transport">,
    Pick<
      EvaluationServices,
      | "stores"
      | "takesWrites"
      | "sign"
      | "clock"
      | "now"
      | "stamp"
      | "log"
      | "meter"
      | "sessionTtlMs"
      | "tenantHeader"
      | "sessionNames"
      | "unreadable"
    > {
  /** Stores for background work that no exchange waits for. */
  readonly besideStores: Stores;
  /** Interval at which activity is gathered before it is written; 0: not at all. */
  readonly gatherMs: number;
  readonly outlive: ActivityOptions["outlive"];
  /** Undefined: there is no judge. */
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
  /** Control of the guard by operators. */
  readonly control: GuardControl;
  /** Memory that the guard holds in this process. */
  held(): Held;
  /** Puts another configuration to use, all at once: for exchanges that begin from now on. */
  use(changed: GuardChange): void;
}

/** Memory that a guard holds in its process. */
export interface Held {
  /** Request bodies, in bytes. */
  readonly bodies: number;
  /** Stores, in bytes; undefined where they are elsewhere. */
  readonly store: number | undefined;
}

/** Settings that can change while the guard runs. */
export type GuardChange = Partial<Configuration & Pick<GuardSettings, "sessionTtlMs">>;

/** So many of the largest bodies may be held at once; beyond that requests are forwarded unread. */
const BODIES_HELD = 3;

function heldAtMost({ readBytes, maxBodyBytes }: Pick<Configuration, "readBytes" | "maxBodyBytes">): number {
  return BODIES_HELD * Math.min(readBytes, maxBodyBytes || readBytes);
}

export function guardFor(settings: GuardSettings): Guard {
  let context = initialContext(settings);
  const { services, bodyBudget: bodies } = context;
  // An exchange keeps what it has begun with, whatever is put to use meanwhile.
  const run = (exchange: Exchange) => guard(exchange, context);
  return Object.assign(run, {
    control: guardControl(() => context, {
      ...settings.besideStores,
      directory: services.activity.directory,
      sessions: services.stores.sessions,
    }),
    held: () => ({
      bodies: bodies.held(),
      store: settings.besideStores.heldBytes?.(),
    }),
    refresh: async () => void (await services.inBackground(() => services.containments.refresh())),
    use(change: GuardChange) {
      context = changed(context, change);
    },
    settle: () => services.activity.flush(),
  });
}

function initialContext(settings: GuardSettings): GuardContext {
  const { mode, policy, routes, policyNamed, maxBodyBytes, readBytes, transport, allowClientOverrides, observer } =
    settings;
  const services = servicesFor(settings);
  return guardContext({
    services,
    origins: allowedOrigins(),
    clientUse: clientUse(settings.besideStores.counters, services.inBackground),
    configuration: {
      mode,
      policy,
      routes,
      policyNamed,
      maxBodyBytes,
      readBytes,
      allowClientOverrides,
      observer: observer && noThrow(observer),
      rules: ruleset([], { rule: undefined, mode, policy, rollout: undefined }),
      clients: [],
      onKeyRefused: () => undefined,
      filePolicies: new Map(),
      configStatus: undefined,
    },
    transport,
    bodyBudget: bodyBudget(heldAtMost(settings)),
  });
}

/** Another configuration, for exchanges that begin from now on. */
function changed(context: GuardContext, { sessionTtlMs, ...change }: GuardChange): GuardContext {
  const { services, configuration, bodyBudget: bodies } = context;
  const { maxBodyBytes = configuration.maxBodyBytes } = change;
  bodies.resize(heldAtMost({ readBytes: configuration.readBytes, maxBodyBytes }));
  const { observer = configuration.observer } = change;
  return guardContext({
    ...context,
    services: sessionTtlMs === undefined ? services : { ...services, sessionTtlMs },
    configuration: { ...configuration, ...change, observer: observer && noThrow(observer) },
  });
}

function servicesFor(settings: GuardSettings): EvaluationServices {
  const { takesWrites, sign, clock, now, stamp, sessionTtlMs, tenantHeader, unreadable, sessionNames } = settings;
  const { besideStores, stores, transport } = settings;
  const reports = { log: harmless(settings.log), meter: harmless(settings.meter) };
  const runInBackground = inBackground(reports);
  const prefixes = knownPrefixes({ ttlMs: sessionTtlMs, now: clock });
  return {
    ...{ takesWrites, sign, clock, now, stamp, sessionTtlMs, tenantHeader, unreadable, sessionNames },
    ...reports,
    prefixes,
    stores: { ...stores, sessions: storeBehind(prefixes, stores.sessions) },
    inBackground: runInBackground,
    judgeState: judgeState(settings.judge, (question, endpoint) =>
      orUndefined(askJudge(question, endpoint, transport)),
    ),
    memory: processMemory(clock),
    containments: containments({
      stores: besideStores,
      onReset: (key) => prefixes.dropSession(key),
    }),
    activity: activity({
      directory: besideStores.directory,
      ttlMs: () => sessionTtlMs,
      gatherMs: settings.gatherMs,
      outlive: settings.outlive,
      inBackground: runInBackground,
    }),
  };
}

/** A guard as a Hono app, to serve alone or to mount under any path. Everything that is no guarded endpoint passes through. */
export function guardApp(run: Guard, transport: Transport): Hono {
  return new Hono().all("*", (context) => transport.accept(context, run));
}

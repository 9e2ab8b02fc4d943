import { activity, type ActivityOptions, containments } from "../activity/activity.ts";
import { type EvaluationServices, inBackground, orUndefined, processMemory } from "../evaluation/evaluation.ts";
import { type JudgeEndpoint, judgeState } from "../judge/judge.ts";
import { knownPrefixes, storeBehind } from "../session/session.ts";
import { chatCompletions } from "../protocols/protocols.ts";
import type { Stores } from "../store/store.ts";
import type { Exchange } from "../transport/transport.ts";
import { bodyBudget } from "./http/request-body.ts";
import { guard } from "./guard.ts";
import type { Configuration, GuardContext } from "./guard-context.ts";
import { clientUse } from "./http/clients.ts";
import { harmless } from "./fail-open.ts";
import { askQuestion } from "./relay/ask-upstream.ts";
import { allowedOrigins } from "./relay/send-reply.ts";

export type { JudgeEndpoint } from "../judge/judge.ts";
export { type Log, type Meter, noMeter, type TokenUsage, type UsageLabels } from "../evaluation/evaluation.ts";
export type { ExchangeObserver, ExchangeReport, GuardContext } from "./guard-context.ts";
export { type AnsweredQuestion, decideAlone, type Ruling } from "./decide-alone.ts";
export { failOpen, harmless, noThrow } from "./fail-open.ts";
export { READ_LIMIT } from "./http/request-body.ts";
export type { ClientKey } from "./http/clients.ts";
export { type Routes, routesFor, type Upstreams } from "./relay/forward.ts";

export interface GuardParts
  extends Pick<GuardContext, "transport" | "configuration">,
    Omit<EvaluationServices, "inBackground" | "prefixes" | "judgeState" | "memory" | "containments" | "activity"> {
  /** Stores for background work that no exchange waits for. */
  readonly besideStores: Stores;
  /** Interval at which activity is gathered before it is written; 0: not at all. */
  readonly gatherMs: number;
  readonly outlive: ActivityOptions["outlive"];
  readonly judge: JudgeEndpoint | undefined;
}

/** The guard by itself. None of it rejects. */
export interface Guard {
  (exchange: Exchange): Promise<void>;
  /** Puts away what only this process remembers, before it ends. */
  settle(): Promise<void>;
  /** Asks the store what operators have ordered. */
  refresh(): Promise<void>;
  /** What its exchanges share now, for operators to ask and order. */
  context(): GuardContext;
  /** Bytes in this process: of request bodies, and of stores, where they are here. */
  held(): { readonly bodies: number; readonly store: number | undefined };
  /** Puts another configuration to use, all at once: for exchanges that begin from now on. */
  use(changed: GuardChange): void;
}

/** Settings that can change while the guard runs. */
export type GuardChange = Partial<Configuration & Pick<GuardParts, "sessionTtlMs">>;

/** So many of the largest bodies may be held at once; beyond that requests are forwarded unread. */
const BODIES_HELD = 3;

function heldAtMost({ readBytes, maxBodyBytes }: Configuration): number {
  return BODIES_HELD * Math.min(readBytes, maxBodyBytes || readBytes);
}

export function guardFor(parts: GuardParts): Guard {
  const prefixes = knownPrefixes(parts.sessionTtlMs, parts.clock);
  const services = servicesFor(parts, prefixes);
  const { besideStores, transport, configuration } = parts;
  const bodies = bodyBudget(heldAtMost(configuration));
  let context: GuardContext = {
    ...{ services, configuration, transport },
    stores: {
      ...besideStores,
      directory: services.activity.directory,
      sessions: storeBehind(prefixes, besideStores.sessions),
    },
    bodyBudget: bodies,
    withOrigin: allowedOrigins(),
    clientUse: clientUse(besideStores.counters, services.inBackground),
  };
  // An exchange keeps what it has begun with, whatever is put to use meanwhile.
  return Object.assign((exchange: Exchange) => guard(exchange, context), {
    context: () => context,
    held: () => ({ bodies: bodies.held(), store: besideStores.heldBytes?.() }),
    refresh: async () => void (await services.inBackground(() => services.containments.refresh())),
    use({ sessionTtlMs = context.services.sessionTtlMs, ...change }: GuardChange) {
      const changed = { ...context.configuration, ...change };
      bodies.resize(heldAtMost(changed));
      context = { ...context, services: { ...context.services, sessionTtlMs }, configuration: changed };
    },
    settle: () => services.activity.flush(),
  });
}

function servicesFor(parts: GuardParts, prefixes: ReturnType<typeof knownPrefixes>): EvaluationServices {
  const { besideStores, transport, configuration: _, judge, gatherMs, outlive, ...given } = parts;
  const { clock, sessionTtlMs: ttlMs, stores } = given;
  const reports = { log: harmless(given.log), meter: harmless(given.meter) };
  const runInBackground = inBackground(reports);
  const { directory } = besideStores;
  return {
    ...given,
    ...reports,
    prefixes,
    stores: { ...stores, sessions: storeBehind(prefixes, stores.sessions) },
    inBackground: runInBackground,
    judgeState: judgeState(judge, (body, { upstream, key, timeoutMs }) => {
      const question = { body, target: chatCompletions.path, protocol: chatCompletions };
      const fields = key === undefined ? {} : { authorization: `Bearer ${key}` };
      return orUndefined(askQuestion(question, fields, timeoutMs, { transport, upstream }));
    }),
    memory: processMemory(clock),
    containments: containments({ stores: besideStores, onReset: (key) => prefixes.dropSession(key) }),
    activity: activity({ directory, ttlMs: () => ttlMs, gatherMs, outlive, inBackground: runInBackground }),
  };
}

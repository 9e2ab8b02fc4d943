import type { Activity, Containments } from "../activity/activity.ts";
import { type Choice, type Mode, type RolloutArm, type RuleTerms, rolloutArm } from "../config/config.ts";
import { memoizeByRef } from "../engine/engine.ts";
import type { Sign } from "../text/sign.ts";
import type { Policy } from "../policy/policy.ts";
import type { Protocol, Stamp } from "../protocols/protocols.ts";
import type { RequestMetadata, ThreadCache } from "../session/session.ts";
import type { SessionKey, Stores } from "../store/store.ts";
import type { inBackground } from "./background.ts";
import { type RefusedNarrowings, refusedNarrowings } from "./act/interventions.ts";
import { type InFlight, inFlightThreads } from "./in-flight.ts";
import type { JudgeState } from "./judge/judge-state.ts";
import { type AnsweredStates, answeredStates } from "./load/shown-state.ts";
import type { Log } from "./log.ts";
import type { Meter } from "./meter.ts";
import { type ParallelAnswers, parallelAnswers } from "./record/parallel-answers.ts";
import { type SteplessSessions, steplessSessions } from "./record/stepless-sessions.ts";
import { type UnverifiedQuota, unverifiedQuota } from "./unverified-quota.ts";

/** Services that every evaluation of a process shares. */
export interface EvaluationServices {
  readonly stores: Stores;
  /** False while they refuse writes, as a full Redis does: what is read then is not what was last seen. */
  readonly takesWrites: () => boolean;
  readonly sign: Sign;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** Unix time, seconds. */
  readonly now: () => number;
  /** Stamp of an answer by the guard itself. */
  readonly stamp: () => Stamp;
  readonly log: Log;
  readonly meter: Meter;
  /** Runs work that may fail without its request: failures are reported, and it resolves to undefined. */
  readonly inBackground: ReturnType<typeof inBackground>;
  readonly activity: Activity;
  readonly containments: Containments;
  /** Undefined: each request is read whole. */
  readonly threadCache: ThreadCache | undefined;
  readonly judgeState: JudgeState;
  readonly memory: ProcessMemory;
  readonly sessionTtlMs: number;
  /** Header by which the operator tells tenants apart, beside their credentials. */
  readonly tenantHeader: string | undefined;
  /** Whether clients' names for sessions are kept whole. */
  readonly sessionNames: RequestMetadata["sessionNames"];
  /** Treatment of an unreadable request to a guarded API. */
  readonly unreadable: "pass" | "refuse";
}

/** Bounded memory of one process, of which no store knows. */
export interface ProcessMemory {
  readonly inFlight: InFlight;
  readonly answeredStates: AnsweredStates;
  readonly parallelAnswers: ParallelAnswers;
  readonly stepless: SteplessSessions;
  readonly unverified: UnverifiedQuota;
  readonly refusedNarrowings: RefusedNarrowings;
  /** Models that were missed in a price table, and reported. */
  readonly unpriced: Set<string>;
}

export function processMemory(clock: () => number): ProcessMemory {
  return {
    inFlight: inFlightThreads(),
    answeredStates: answeredStates(),
    parallelAnswers: parallelAnswers(),
    stepless: steplessSessions(),
    unverified: unverifiedQuota(clock),
    refusedNarrowings: refusedNarrowings(clock),
    unpriced: new Set(),
  };
}

/** Place of a request in the operator's configuration. */
export interface Placement {
  /** Name that the configuration gives the tenant. */
  readonly tenant?: string;
  /** Name of its client key. */
  readonly client?: string;
  /** The rule that chose mode and policy. */
  readonly rule?: string;
  /** Side of a rollout by percentage. */
  readonly arm?: RolloutArm;
}

/** Services and terms for one request. */
export interface RequestContext extends EvaluationServices {
  readonly mode: Mode;
  readonly policy: Policy;
  readonly protocol: Protocol;
  readonly placement: Placement;
  /** Whether its client may ask this model; undefined: it may ask all. */
  readonly mayAsk: ((model: string) => boolean) | undefined;
  /** The context where the request's model decides; itself where that does not matter. */
  forModel(model: string): RequestContext;
  /** The context for a session's side of a rollout; itself where there is none. */
  forSession(key: SessionKey): RequestContext;
}

/** Owner of a client key. */
export interface Client {
  readonly name: string;
  readonly tenant: string;
  readonly mayAsk?: RequestContext["mayAsk"];
}

/** Inputs of a request's context. */
export interface ContextChoice {
  readonly choice: Choice;
  readonly client: Client | undefined;
  readonly protocol: Protocol;
}

/** Contexts by what the operator's rules choose: made once for each rule, client and protocol. */
export function requestContexts(services: EvaluationServices): (choice: ContextChoice) => RequestContext {
  const contexts = memoizeByRef((terms: RuleTerms) =>
    memoizeByRef((client: Client) =>
      memoizeByRef((protocol: Protocol) => contextFor({ ...services, protocol }, terms, client)),
    ),
  );
  return ({ choice, client = noClient, protocol }) => {
    const contextOf = (terms: RuleTerms) => contexts(terms)(client)(protocol);
    if ("terms" in choice) return contextOf(choice.terms);
    return { ...contextOf(choice.otherwise), forModel: (model) => contextOf(choice.byModel(model)) };
  };
}

const noClient: Client = { name: "", tenant: "" };

type ContextBase = Omit<RequestContext, "mode" | "policy" | "placement" | "mayAsk" | "forModel" | "forSession">;

function contextFor(base: ContextBase, terms: RuleTerms, client: Client): RequestContext {
  const { rule, mode, policy, rollout } = terms;
  const owner = client === noClient ? {} : { tenant: client.tenant, client: client.name };
  const placement = { ...owner, ...(rule !== undefined && { rule }) };
  const fixed = (side: Pick<RequestContext, "mode" | "placement">): RequestContext => {
    const context: RequestContext = {
      ...base,
      ...side,
      policy,
      mayAsk: client.mayAsk,
      forModel: () => context,
      forSession: () => context,
    };
    return context;
  };
  if (rollout === undefined || mode !== "enforce") return fixed({ mode, placement });
  const enforced = fixed({ mode, placement: { ...placement, arm: "enforced" } });
  const heldOut = fixed({ mode: "observe", placement: { ...placement, arm: "held-out" } });
  const arms = { enforced, "held-out": heldOut };
  const undecided: RequestContext = {
    ...fixed({ mode, placement }),
    forModel: () => undecided,
    forSession: (key) => arms[rolloutArm(key, rule ?? "", rollout)],
  };
  return undecided;
}

interface Override {
  readonly mode: Mode | undefined;
  readonly policy: Policy | undefined;
  /** Undefined: the one that the configuration names. */
  readonly tenant?: string | undefined;
  readonly services?: Partial<EvaluationServices>;
}

/** A context with some of its terms replaced, whatever model and session choose; the others are still chosen by rules. */
export function withOverride(context: RequestContext, override: Override): RequestContext {
  const { mode = context.mode, policy = context.policy, tenant, services } = override;
  return {
    ...context,
    ...services,
    mode,
    policy,
    placement: tenant === undefined ? context.placement : { ...context.placement, tenant },
    forModel: (model) => withOverride(context.forModel(model), override),
    forSession: (key) => withOverride(context.forSession(key), override),
  };
}

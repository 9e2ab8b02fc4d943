import { asksForRepetition } from "../../engine/engine.ts";
import { limitsBudget, type RunawayTerms, watchesRetries } from "../../policy/policy.ts";
import type { Answer, Ask } from "../../protocols/protocols.ts";
import {
  type Evidence,
  follow,
  identify,
  type Identity,
  type Judge,
  type Kept,
  load,
  nothingKept,
  purseOf,
  rejoin,
  spentElsewhere,
  spentIn,
  taskAt,
  tellingOf,
  type Turn,
  type Watch,
  watchFor,
} from "../../session/session.ts";
import type { SessionKey, Totals } from "../../store/store.ts";
import type { Exchange } from "../../transport/transport.ts";
import { type Bill, billFor } from "../relay/usage-meter.ts";
import { evidenceOf } from "./request-metadata.ts";
import type { Guarded } from "../guard-context.ts";
import { type Considered, type Plan, planFor } from "./action.ts";
import { findPlan, type KeptPlan, type Planned, planned, withSaid } from "./goal-plan.ts";
import type { Way } from "./in-flight.ts";

/** A request that is understood, and whose it is as far as it says so itself. */
export interface Asked {
  readonly body: string;
  readonly ask: Ask;
  readonly evidence: Evidence;
  readonly named: Identity;
}

/** What the stores know of it. */
export interface Found {
  readonly identity: Identity;
  readonly thread: Kept;
  /** Under which its budget is counted; undefined for a first request whose session only its answer will tell. */
  readonly purse: SessionKey | undefined;
  /** What is counted there. */
  readonly totals: Totals;
  /** Undefined where nothing is planned. */
  readonly plan: KeptPlan | undefined;
}

/** What becomes of a request, and what its answer is watched for. */
export interface Decided {
  readonly plan: Plan;
  readonly found: Kept;
  /** Undefined for what is not guarded. */
  readonly considered?: Considered;
  readonly judge?: Judge;
  /** Set where only the newest messages were read, and nothing is considered. */
  readonly turn?: Turn;
  /** As a turn it could not be kept: others have served its thread. */
  readonly roams?: boolean;
  /** Undefined where nothing is planned, or the plan could not be read. */
  readonly planned?: Planned | undefined;
  /** Undefined where its answer cannot complete a loop. */
  readonly watch?: Watch | undefined;
  /** Undefined where its answer may repeat itself. */
  readonly runaway?: RunawayTerms | undefined;
  /** Undefined where nobody asks what its answer used. */
  readonly bill?: Bill | undefined;
  readonly way?: Way;
  /** When it came; Unix time, seconds. */
  readonly at?: number;
  /** Undefined if they could not be read. */
  readonly totals?: Totals | undefined;
  /** Under which its answer is counted; undefined if that cannot be told. */
  readonly purse?: (answer: Answer | undefined) => SessionKey | undefined;
}

/** Undefined for what is not understood. */
export function readAsk(
  exchange: Exchange,
  pathSession: string | undefined,
  body: string,
  { protocol, sign }: Guarded,
): Asked | undefined {
  const ask = protocol.read(body);
  if (ask === undefined) return undefined;
  const evidence = evidenceOf(exchange, pathSession, ask);
  return { body, ask, evidence, named: identify(evidence, ask.conversation, sign) };
}

/**
 * One round trip: the thread, and the session's budget if there is one; one more for a request that refers to an answer,
 * or that a summary has given another name.
 * @throws whatever the stores throw.
 */
export async function find({ named, ask }: Asked, guarding: Guarded): Promise<Found> {
  const { stores, sign, policy } = guarding;
  const { sessions, counters } = stores;
  const identity = await rejoin(sessions, named, ask.body.previous_response_id, sign);
  const read = async (key: SessionKey): Promise<Totals> =>
    limitsBudget(policy) || policy.judge ? counters.read(key) : {};
  const [thread, own, plan] = await Promise.all([
    load(sessions, identity, ask.conversation, sign),
    read(identity.key),
    findPlan(identity, guarding),
  ]);
  // Equal first requests of many runs have one derived name; what runs are called is told by their first answers.
  const isNamed = identity.isGiven || identity !== named || ask.conversation.steps.length > 0;
  if (!isNamed) return { identity, thread, plan, purse: undefined, totals: {} };
  const purse = purseOf(identity, thread);
  return { identity, thread, plan, purse, totals: purse === identity.key ? own : await read(purse) };
}

/** @param kept undefined when the store fails: then the request's own history is judged alone */
export function decide(asked: Asked, kept: Found | undefined, guarding: Guarded): Decided {
  const { body, ask, named } = asked;
  const found = kept?.thread ?? nothingKept;
  const at = guarding.now();
  const identity = kept?.identity ?? named;
  const isAlone = guarding.underWay.isAlone(identity.thread);
  const ahead = planned(ask.conversation, identity, kept?.plan, guarding);
  const judge = { ...judgeFor(asked, kept, { at, isAlone }, guarding), ...(ahead?.news && { goal: ahead.news }) };
  const followed = withSaid(follow(found.ledger, ask.conversation, judge), guarding.judging);
  const considered = { body, ask, identity, followed, degraded: kept === undefined };
  const plan = planFor(considered, guarding);
  const asks = plan.kind === "forward";
  const watch = asks && intercepts(ask, guarding) ? watchFor(followed, ask.conversation, judge) : undefined;
  return {
    plan,
    found,
    considered,
    judge,
    planned: ahead,
    at,
    totals: kept?.totals,
    watch,
    runaway: asks ? runawayIn(ask, guarding) : undefined,
    bill: billFor(ask, guarding.policy),
    purse: (answer) => purseAfter(answer, asked, kept, guarding),
    // Last, since whoever begins must be sure to end.
    way: guarding.underWay.begin(identity.thread),
  };
}

function judgeFor(
  { evidence, ask }: Asked,
  kept: Found | undefined,
  { at, isAlone }: { readonly at: number; readonly isAlone: boolean },
  { sign, policy }: Guarded,
): Judge {
  // Before its first step a run has nothing that could fail to grow.
  const isTold = watchesRetries(policy) && ask.conversation.steps.length > 0;
  const telling = isTold ? tellingOf(evidence, at, sign) : undefined;
  const judge = { sign, policy, ...(telling && { telling: { ...telling, counts: telling.counts && isAlone } }) };
  if (kept === undefined) return judge;
  const { thread, totals } = kept;
  const spent = spentIn(totals, policy, at);
  return { ...judge, elsewhere: spentElsewhere(totals.steps ?? 0, thread), ...(spent && { spent }) };
}

/** A run that nobody names is named after its first answer. */
function purseAfter(
  answer: Answer | undefined,
  { ask, evidence, named }: Asked,
  kept: Found | undefined,
  { sign }: Guarded,
): SessionKey | undefined {
  if (kept?.purse !== undefined) return kept.purse;
  if (named.isGiven || ask.conversation.steps.length > 0) return named.key;
  return answer && identify(evidence, { ...ask.conversation, steps: [answer.step] }, sign).key;
}

/** Of several alternatives nobody knows which one is taken. */
function intercepts(ask: Ask, { policy, mode }: Guarded): boolean {
  return mode === "enforce" && policy.intercept === "on" && !ask.alternatives;
}

function runawayIn(ask: Ask, { policy }: Guarded): RunawayTerms | undefined {
  if (policy.runaway === "off" || !ask.streams || ask.alternatives) return undefined;
  const task = taskAt(ask.conversation, ask.conversation.steps.length);
  return asksForRepetition(task) ? undefined : policy.runaway;
}

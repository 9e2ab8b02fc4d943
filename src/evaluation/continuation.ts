import { asksForCompaction } from "../engine/engine.ts";
import { type RunawayTerms, watchesRetries } from "../policy/policy.ts";
import {
  type CachedThread,
  endOfAddition,
  type EvaluationContext,
  type NextTurn,
  nextTurn,
} from "../session/session.ts";
import type { Step } from "../step.ts";
import type { RequestContext } from "./context.ts";
import type { Ticket } from "./in-flight.ts";
import { concernsJudge } from "./judge/advice.ts";
import {
  callKeysOf,
  fieldOf,
  findThread,
  type IncomingRequest,
  isFirstAttempt,
  type ThreadMatch,
} from "./read/incoming-request.ts";
import { mayAskAll } from "./read/models-asked.ts";
import type { Verdict } from "./outcome.ts";

/** More than this is read as a whole body is: so that others have their turn meanwhile. In bytes. */
const MAX_ADDED = 256 * 1024;

/** A request that repeats the one before it of a cached thread and adds messages to it, which are not read yet. */
export interface ThreadContinuation {
  readonly match: ThreadMatch;
  /** Context after rules and rollout. */
  readonly context: RequestContext;
  /** Where its messages end in the comparable body. */
  readonly end: number;
}

/** Undefined for every other request. Of the body only the end and sums are looked at, and of the store nothing. */
export function continuationOf(incoming: IncomingRequest, treatment: RequestContext): ThreadContinuation | undefined {
  if (treatment.threadCache === undefined) return undefined;
  const thread = findThread(treatment.threadCache, incoming, treatment);
  if (thread === undefined) return undefined;
  const { model, models, identity, policy, prefix } = thread.cachedThread;
  if (!mayAskAll(models, treatment)) return undefined;
  const context = treatment.bind(model, identity.key);
  if (policy !== context.policy || context.mode === "off") return undefined;
  const end = endOfAddition(incoming.comparable, prefix, thread.isOwnCall);
  return end === undefined || end - prefix.length > MAX_ADDED ? undefined : { match: thread, context, end };
}

/** The fast path: it only goes on where the one before it in its thread ended, and is healthy. */
export interface ContinuedTurn {
  readonly context: RequestContext;
  readonly verdict: Verdict;
  readonly turn: NextTurn;
  readonly arrival: EvaluationContext["arrival"];
  /** Undefined where its answer may repeat itself. */
  readonly runaway: RunawayTerms | undefined;
  readonly ticket: Ticket;
}

/**
 * Judges a continuation by its new messages. Undefined where something is to be done, an operator has ended its session, or it has
 * to be read whole: an answer of the guard's own takes the whole request.
 */
export function judgeContinuation(
  { match, context, end }: ThreadContinuation,
  incoming: IncomingRequest,
): ContinuedTurn | undefined {
  const { comparable: body } = incoming;
  const { cachedThread } = match;
  const { sign, policy, protocol, memory, containments, meter, now } = context;
  if (containments.of(cachedThread.identity.key) !== undefined) return undefined;
  meter.works?.("tail", end - cachedThread.prefix.length);
  const steps = protocol.delta.stepsBetween(body, cachedThread.prefix.length, end);
  if (steps === undefined || steps.some(mayCompact) || !isNamedAlike(cachedThread, steps, incoming)) return undefined;
  const turn = nextTurn(cachedThread, { body, end, steps }, { sign, policy });
  if (turn === undefined || concernsJudge(turn.tip, cachedThread.identity.thread, context)) return undefined;
  const { session, label, source, thread } = cachedThread.identity;
  const { carried, counter } = turn.tip;
  const mayStorm = watchesRetries(policy) && isFirstAttempt((name) => fieldOf(incoming, name));
  return {
    context,
    verdict: { session, label, source, steps: carried, verdict: "ok", ...(counter && { counter }) },
    turn,
    arrival: mayStorm ? { at: now(), terms: cachedThread.terms } : undefined,
    runaway: policy.runaway === "off" || !cachedThread.streams || turn.asksForRepetition ? undefined : policy.runaway,
    ticket: memory.inFlight.begin(thread),
  };
}

/** A run is named after the first call that it tells, and some clients tell another one than the first of its first answer. */
function isNamedAlike({ tip, callKeys }: CachedThread, [first]: readonly Step[], incoming: IncomingRequest): boolean {
  return tip.total > 0 || (first !== undefined && callKeysOf({ step: first }, incoming)[0] === callKeys[0]);
}

/** A request for a summary is read whole. */
function mayCompact({ heard }: Step): boolean {
  return heard.some((text) => asksForCompaction(text, false));
}

import { asksForCompaction } from "../engine/engine.ts";
import { watchesRetries } from "../policy/policy.ts";
import {
  type CachedThread,
  endOfAddition,
  isFirstAttempt,
  type EvaluationContext,
  nextTurn,
} from "../session/session.ts";
import type { Step } from "../step.ts";
import type { Exchange } from "../transport/transport.ts";
import type { ContinuedThread } from "./whole-history.ts";
import { fieldOf } from "./read/request-metadata.ts";
import type { ExchangeContext } from "../proxy/guard-context.ts";
import { type ArrivedRequest, type FoundThread, findThread } from "./read/incoming-request.ts";

/** More than this is read as a whole body is: so that others have their turn meanwhile. In bytes. */
const MAX_ADDED = 256 * 1024;

/** A request that repeats the one before it of a cached thread and adds messages to it. What they say is not known yet. */
export interface FoundContinuation {
  readonly found: FoundThread;
  /** As rules and rollout have chosen it. */
  readonly context: ExchangeContext;
  /** Where its messages end in the comparable body. */
  readonly end: number;
}

/** Undefined for every other request. Of the body only the end and sums are looked at, and of the store nothing. */
export function continuationOf(arrived: ArrivedRequest, chosen: ExchangeContext): FoundContinuation | undefined {
  if (chosen.threadCache === undefined) return undefined;
  const found = findThread(chosen.threadCache.cache, arrived, chosen);
  if (found === undefined) return undefined;
  const { model, identity, policy, prefix } = found.cachedThread;
  const context = chosen.forModel(model).forSession(identity.key);
  if (policy !== context.policy || context.mode === "off") return undefined;
  const end = endOfAddition(arrived.comparable, prefix, found.isOwnCall);
  return end === undefined || end - prefix.length > MAX_ADDED ? undefined : { found, context, end };
}

/** Whether it need not wait for its judgement: its one new step can lead to nothing. */
export function mayForwardFirst({ found, context }: FoundContinuation): boolean {
  const { cachedThread, isNewest } = found;
  return isNewest && cachedThread.isQuiet && context.containments.of(cachedThread.identity.key) === undefined;
}

/**
 * What becomes of a continuation that is healthy: it is forwarded. Of its body nothing but the new messages is read. Undefined where
 * it is to be read whole.
 */
export function cachedTurn(
  { found, context, end }: FoundContinuation,
  { comparable: body, exchange }: ArrivedRequest,
): ContinuedThread | undefined {
  const { cachedThread, byCall } = found;
  const { policy, protocol, inFlight } = context;
  const steps = protocol.delta.stepsBetween(body, cachedThread.prefix.length, end);
  if (steps === undefined || steps.some(mayCompact)) return undefined;
  const turn = nextTurn(cachedThread, { body, end, steps, byCall }, evaluationOf(cachedThread, exchange, context));
  if (turn === undefined) return undefined;
  const { session, label, source, thread } = cachedThread.identity;
  const { carried: told, counter } = turn.tip;
  return {
    kind: "continuation",
    context,
    action: {
      kind: "forward",
      verdict: { session, label, source, steps: told, verdict: "ok", ...(counter && { counter }) },
    },
    turn,
    runaway: policy.runaway === "off" || !cachedThread.streams || turn.asksForRepetition ? undefined : policy.runaway,
    ticket: inFlight.begin(thread),
  };
}

/** What it asks for is looked at whole. */
function mayCompact({ heard }: Step): boolean {
  return heard.some((text) => asksForCompaction(text, false));
}

function evaluationOf(
  { identity, terms }: CachedThread,
  exchange: Exchange,
  context: ExchangeContext,
): EvaluationContext {
  const { sign, policy, inFlight } = context;
  if (!watchesRetries(policy)) return { sign, policy };
  const counts = inFlight.isAlone(identity.thread) && isFirstAttempt((name) => fieldOf(exchange, name));
  return { sign, policy, arrival: { at: context.now(), terms, counts } };
}

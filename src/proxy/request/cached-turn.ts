import { asksForCompaction } from "../../engine/engine.ts";
import { watchesRetries } from "../../policy/policy.ts";
import {
  type CachedThread,
  endOfAddition,
  isFirstAttempt,
  type EvaluationContext,
  nextTurn,
} from "../../session/session.ts";
import type { Step } from "../../step.ts";
import type { Exchange } from "../../transport/transport.ts";
import type { ContinuedThread } from "./decide-request.ts";
import { fieldOf } from "./request-metadata.ts";
import type { ExchangeContext } from "../guard-context.ts";
import { type ArrivedRequest, findThread } from "./cache-keys.ts";

/** More than this is read as a whole body is: so that others have their turn meanwhile. In bytes. */
const MAX_ADDED = 256 * 1024;

/**
 * What becomes of a request that only goes on where the one before it ended, and is healthy: it is forwarded. Of its body
 * nothing but the new messages is read, and of the store nothing. Undefined for every other request.
 */
export function cachedTurn(arrived: ArrivedRequest, chosen: ExchangeContext): ContinuedThread | undefined {
  const { threadCache, protocol, inFlight } = chosen;
  if (threadCache === undefined) return undefined;
  const found = findThread(threadCache.cache, arrived, chosen);
  if (found === undefined) return undefined;
  const { cachedThread } = found;
  const context = chosen.forModel(cachedThread.model).forSession(cachedThread.identity.key);
  const { policy, mode } = context;
  if (cachedThread.policy !== policy || mode === "off") return undefined;
  const { comparable: body, exchange } = arrived;
  const end = endOfAddition(body, cachedThread.prefix, found.isOwnCall);
  const isShort = end !== undefined && end - cachedThread.prefix.length <= MAX_ADDED;
  const steps =
    end === undefined || !isShort ? undefined : protocol.delta.stepsBetween(body, cachedThread.prefix.length, end);
  if (end === undefined || steps === undefined || steps.some(mayCompact)) return undefined;
  const evaluation = evaluationOf(cachedThread, exchange, context);
  const turn = nextTurn(cachedThread, { body, end, steps, byCall: found.byCall }, evaluation);
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

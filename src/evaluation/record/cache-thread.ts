import { asksForRepetition } from "../../runaway/runaway.ts";
import { limitsBudget, type Policy } from "../../policy/policy.ts";
import type { Answer } from "../../protocols/protocols.ts";
import {
  type CachedThread,
  type Ledger,
  canContinue,
  bodyPrefixAt,
  saveNextTurn,
  taskAt,
  termsSignature,
  aliasForAnswer,
  withAnswered,
} from "../../session/session.ts";
import type { ContinuedTurn } from "../continuation.ts";
import type { ExchangeOutcome } from "../outcome.ts";
import type { WholeHistory } from "../whole-history.ts";
import { type IncomingRequest, callKeysOf, headKeyOf } from "../read/incoming-request.ts";
import { modelsAsked } from "../read/models-asked.ts";

/** Keeps what a turn has added, and tells how many steps that is. Concurrent requests of a thread are samples. @throws whatever the store throws */
export async function saveTurn(
  { turn, arrival, ticket, context }: ContinuedTurn,
  { answer }: ExchangeOutcome,
  incoming: IncomingRequest,
): Promise<number> {
  const { threadCache, stores, sign, sessionTtlMs: ttlMs } = context;
  if (threadCache === undefined) return 0;
  const step = answer?.step;
  const answering = { step, callKeys: answer === undefined ? [] : callKeysOf(answer, incoming) };
  const isArrival = step !== undefined && ticket.wasAlone();
  const answered = isArrival ? { ...turn, save: withAnswered(turn.save, arrival, step, sign) } : turn;
  return saveNextTurn(answered, answering, threadCache, { store: stores.sessions, sign, ttlMs });
}

/**
 * Leaves a cached thread behind a request that was read whole, if the next one can do without that: at once, for it may come
 * before this one is saved.
 */
export function cacheThread(whole: WholeHistory, { answer, intervention }: ExchangeOutcome, incoming: IncomingRequest) {
  const { threadCache } = whole.context;
  if (threadCache === undefined || answer === undefined || intervention !== undefined) return;
  const cachedThread = cachedThreadAfter(whole, answer, incoming);
  if (cachedThread !== undefined) threadCache.put(cachedThread);
}

function cachedThreadAfter(whole: WholeHistory, answer: Answer, incoming: IncomingRequest): CachedThread | undefined {
  const { evaluated, context } = whole;
  const { policy, protocol, sign } = context;
  const { request, merged } = evaluated;
  const { tip, save } = merged;
  const { conversation, streams, alternatives } = request;
  const identity = whole.identityAfter(answer);
  if (identity === undefined || save === undefined || !mayCache(whole, save)) return undefined;
  const isFirst = conversation.steps.length === 0;
  const callKeys = callKeysOf(answer, incoming);
  // It is found by its calls alone, and runs that begin alike have one name where those have no ids of their own.
  if (isFirst && (callKeys.length === 0 || !identity.isCertain)) return undefined;
  const end = protocol.delta.endOfMessages(incoming.comparable, request);
  if (end === undefined) return undefined;
  const { alias, repeatsIds } = aliasForAnswer({ answer, conversation }, identity, sign);
  return {
    callKeys,
    headKey: headKeyOf(incoming),
    prefix: bodyPrefixAt(incoming.comparable, end),
    identity,
    policy,
    model: request.model ?? "",
    models: modelsAsked(request),
    save,
    tip,
    // By its first answer no run is found again: its history is still whole.
    alias: isFirst ? undefined : alias,
    repeatsIds,
    terms: termsSignature(request.samplingKey, sign),
    streams: streams && !alternatives,
    asksForRepetition: asksForRepetition(taskAt(conversation, conversation.steps.length)),
  };
}

/** Nothing was done about the request, and its next one needs no more than what this one has shown. */
function mayCache(
  { evaluated: { request, merged }, ticket, action, totals, context: { policy, sign } }: WholeHistory,
  ledger: Ledger,
): boolean {
  return (
    isPlain(policy) &&
    ticket.wasAlone() &&
    totals !== undefined &&
    action.kind === "forward" &&
    action.change === undefined &&
    request.previousAnswerId === undefined &&
    canContinue({ conversation: request.conversation, ledger, tip: merged.tip }, sign)
  );
}

/** Nothing but the thread itself decides: no budget, no plan, no words to add. */
function isPlain(policy: Policy): boolean {
  const { judge, planning, preamble } = policy;
  return judge === undefined && planning === undefined && preamble === undefined && !limitsBudget(policy);
}

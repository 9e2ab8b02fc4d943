import { asksForRepetition } from "../../runaway/runaway.ts";
import { limitsBudget, type Policy } from "../../policy/policy.ts";
import type { Answer } from "../../protocols/protocols.ts";
import {
  type CachedThread,
  type Ledger,
  type SavedLedger,
  canContinue,
  noteWriting,
  bodyPrefixAt,
  cacheNextTurn,
  writeBack,
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

/** Keeps what a turn has added. Resolves to false where it has to be merged with more. @throws whatever the store throws. */
export async function cacheTurn(
  { turn, arrival, ticket, context }: ContinuedTurn,
  { answer }: ExchangeOutcome,
  incoming: IncomingRequest,
): Promise<boolean> {
  const { threadCache, sign, log } = context;
  if (threadCache === undefined || answer === undefined || !ticket.wasAlone()) return false;
  const answering = { step: answer.step, callKeys: callKeysOf(answer, incoming) };
  const answered = { ...turn, save: withAnswered(turn.save, arrival, answer.step, sign) };
  const isKept = await cacheNextTurn(answered, answering, sign, threadCache);
  const { before, tip } = turn;
  if (isKept) log.debug({ session: before.identity.label, steps: tip.total - before.tip.total }, "recorded");
  return isKept;
}

/**
 * Leaves a cached thread behind a request that was read whole, if the next one can do without that: at once, for it may come
 * before this one is saved. It goes again where something else came of saving. Never rejects.
 */
export async function cacheThread(
  whole: WholeHistory,
  saving: Promise<SavedLedger | undefined>,
  { answer, intervention }: ExchangeOutcome,
  incoming: IncomingRequest,
): Promise<void> {
  const { context } = whole;
  const { threadCache } = context;
  if (threadCache === undefined || answer === undefined || intervention !== undefined) return;
  const cachedThread = cachedThreadAfter(whole, answer, incoming);
  if (cachedThread === undefined) return;
  const { cache, store, ttlMs } = threadCache;
  const evicted = cache.put(cachedThread);
  // Of a run that has just got its name there is nothing to be saved yet.
  const isNew = cachedThread.identity !== whole.evaluated.identity;
  // What was merged with what others had saved has another tip; of what failed, nobody knows whether it was carried out.
  const isSaved = saving.then(
    (saved) => isNew || saved?.stored?.ledger === cachedThread.save,
    () => isNew,
  );
  if (!isNew) noteWriting(cachedThread.stored, isSaved);
  await Promise.all([
    isSaved.then((isThere) => isThere || cache.drop(cachedThread)),
    ...evicted.map((one) => context.inBackground(() => writeBack(one, store, ttlMs))),
  ]);
}

function cachedThreadAfter(whole: WholeHistory, answer: Answer, incoming: IncomingRequest): CachedThread | undefined {
  const { evaluated, servedElsewhere, stored, context } = whole;
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
    turns: 0,
    stored: {
      version: identity === evaluated.identity ? stored.version + 1 : 0,
      turns: 0,
      // By its first answer no run is found again: its history is still whole.
      alias: isFirst ? undefined : alias,
      isOverwritten: false,
      writing: undefined,
    },
    servedElsewhere,
    alias,
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

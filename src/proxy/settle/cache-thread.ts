import { asksForRepetition } from "../../engine/engine.ts";
import { limitsBudget, type Policy } from "../../policy/policy.ts";
import type { Answer } from "../../protocols/protocols.ts";
import {
  type CachedThread,
  type SavedLedger,
  canContinue,
  noteWriting,
  isQuiet,
  bodyPrefixAt,
  keepTurn,
  writeBack,
  taskAt,
  aliasForAnswer,
} from "../../session/session.ts";
import type { ContinuedThread, JudgedWhole } from "../request/decide-request.ts";
import type { ExchangeOutcome } from "../intercept/context.ts";
import type { ExchangeContext } from "../guard-context.ts";
import { type ArrivedRequest, callKeysOf, headKeyOf } from "../request/cache-keys.ts";

/** Keeps what a turn has added. Resolves to false where it has to be merged with more. @throws whatever the store throws. */
export async function keepCachedTurn(
  { turn, ticket }: ContinuedThread,
  { answer }: ExchangeOutcome,
  arrived: ArrivedRequest,
  { threadCache, sign, log }: ExchangeContext,
): Promise<boolean> {
  if (threadCache === undefined || answer === undefined || !ticket.wasAlone()) return false;
  const answering = { step: answer.step, callKeys: callKeysOf(answer, arrived) };
  const isKept = await keepTurn(turn, answering, sign, threadCache);
  const { before, tip } = turn;
  if (isKept) log.debug({ session: before.identity.label, steps: tip.total - before.tip.total }, "recorded");
  return isKept;
}

/**
 * Leaves a cached thread behind a request that was read whole, if the next one can do without that: at once, for it may come
 * before this one is saved. It goes again where something else came of saving. @throws whatever the store throws.
 */
export async function cacheThread(
  decided: JudgedWhole,
  saving: Promise<SavedLedger | undefined>,
  { answer, made }: ExchangeOutcome,
  arrived: ArrivedRequest,
  context: ExchangeContext,
): Promise<void> {
  const { threadCache } = context;
  if (threadCache === undefined || answer === undefined || made !== undefined) return;
  const cachedThread = cachedThreadAfter(decided, answer, arrived, context);
  if (cachedThread === undefined) return;
  const { cache, store, ttlMs } = threadCache;
  const evicted = cache.put(cachedThread);
  // What was merged with what others had saved has another tip; of what failed, nobody knows whether it was carried out.
  const isSaved = saving.then(
    (saved) => saved?.stored?.ledger === cachedThread.save,
    () => false,
  );
  noteWriting(cachedThread.stored, isSaved);
  await Promise.all([
    isSaved.then((isThere) => isThere || cache.drop(cachedThread)),
    ...evicted.map((one) => writeBack(one, store, ttlMs)),
  ]);
}

function cachedThreadAfter(
  { considered, evaluation, action, ticket, servedElsewhere, found, totals }: JudgedWhole,
  answer: Answer,
  arrived: ArrivedRequest,
  { policy, protocol, sign }: ExchangeContext,
): CachedThread | undefined {
  if (!isPlain(policy) || !ticket.wasAlone()) return undefined;
  const { request, identity, followed } = considered;
  const { tip, save } = followed;
  if (
    totals === undefined ||
    save === undefined ||
    action.kind !== "forward" ||
    action.body !== undefined ||
    request.previousAnswerId !== undefined
  )
    return undefined;
  const { conversation, streams, alternatives } = request;
  if (!canContinue({ conversation, ledger: save, tip }, sign)) return undefined;
  const end = protocol.delta.endOfMessages(arrived.comparable, request);
  if (end === undefined) return undefined;
  const trail = aliasForAnswer({ answer, conversation }, identity, sign);
  return {
    callKeys: callKeysOf(answer, arrived),
    headKey: headKeyOf(arrived),
    prefix: bodyPrefixAt(arrived.comparable, end),
    identity,
    policy,
    model: request.model ?? "",
    save,
    tip,
    turns: 0,
    stored: {
      version: found.version + 1,
      turns: 0,
      alias: trail.alias,
      isOverwritten: false,
      writing: undefined,
    },
    servedElsewhere,
    alias: trail.alias,
    repeatsIds: trail.repeatsIds,
    terms: evaluation.arrival?.terms ?? "",
    streams: streams && !alternatives,
    isQuiet: isQuiet(tip, policy),
    asksForRepetition: asksForRepetition(taskAt(conversation, conversation.steps.length)),
  };
}

/** Nothing but the thread itself decides: no budget, no plan, no words to add. */
function isPlain(policy: Policy): boolean {
  const { judge, planning, preamble } = policy;
  return judge === undefined && planning === undefined && preamble === undefined && !limitsBudget(policy);
}

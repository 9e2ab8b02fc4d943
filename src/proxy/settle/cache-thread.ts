import { asksForRepetition } from "../../engine/engine.ts";
import { limitsBudget, type Policy } from "../../policy/policy.ts";
import type { Answer } from "../../protocols/protocols.ts";
import {
  type Bookmark,
  canContinue,
  endingAt,
  keepTurn,
  putAway,
  type Saved,
  taskAt,
  trailTo,
} from "../../session/session.ts";
import type { Decided } from "../request/decide-request.ts";
import type { Conversed } from "../intercept/context.ts";
import type { Guarded } from "../guard-context.ts";
import { type Arrived, callHints, headHint } from "../request/cache-keys.ts";

/** Keeps what a turn has added. Resolves to false where it has to be merged with more. @throws whatever the store throws. */
export async function keepAnswered(
  { turn, way }: Decided,
  { answer }: Conversed,
  arrived: Arrived,
  { shelf, sign, log }: Guarded,
): Promise<boolean> {
  if (turn === undefined || shelf === undefined || answer === undefined || way?.wasAlone() === false) return false;
  const answering = { step: answer.step, callHints: callHints(answer, arrived) };
  const isKept = await keepTurn(turn, answering, sign, shelf);
  const { before, tip } = turn;
  if (isKept) log.debug({ session: before.identity.session, steps: tip.total - before.tip.total }, "recorded");
  return isKept;
}

/** Leaves a bookmark behind a request that was read whole, if the next one can do without that. @throws whatever the store throws. */
export async function leaveBookmark(
  decided: Decided,
  saved: Saved,
  { answer, made }: Conversed,
  arrived: Arrived,
  guarding: Guarded,
): Promise<void> {
  const { shelf } = guarding;
  if (shelf === undefined || answer === undefined || made !== undefined) return;
  const bookmark = bookmarkAfter(decided, saved, answer, arrived, guarding);
  if (bookmark === undefined) return;
  const unsaved = shelf.bookmarks.put(bookmark);
  await Promise.all(unsaved.map((one) => putAway(one, shelf.store, shelf.ttlMs)));
}

function bookmarkAfter(
  { considered, judge, plan, way, roams = false }: Decided,
  { kept }: Saved,
  answer: Answer,
  arrived: Arrived,
  { policy, protocol, sign }: Guarded,
): Bookmark | undefined {
  if (considered === undefined || kept?.ledger === undefined || !isPlain(policy) || way?.wasAlone() === false)
    return undefined;
  const { ask, identity, degraded, followed } = considered;
  const { tip, save } = followed;
  // Where it was merged with what others had saved, the tip is another.
  if (
    degraded ||
    kept.ledger !== save ||
    plan.kind !== "forward" ||
    plan.body !== undefined ||
    "previous_response_id" in ask.body
  )
    return undefined;
  const { conversation, streams, alternatives } = ask;
  if (!canContinue({ conversation, kept, tip }, sign)) return undefined;
  const end = protocol.tail.endOfMessages(arrived.bytes, ask);
  if (end === undefined) return undefined;
  const trail = trailTo({ answer, conversation }, identity.tenant, sign);
  return {
    callHints: callHints(answer, arrived),
    headHint: headHint(arrived),
    ending: endingAt(arrived.bytes, end),
    identity,
    policy,
    save: kept.ledger,
    tip,
    version: kept.version,
    unsaved: 0,
    roams,
    alias: trail.alias,
    savedAlias: trail.alias,
    repeatsIds: trail.repeatsIds,
    terms: judge?.telling?.terms ?? "",
    streams: streams && !alternatives,
    asksForRepetition: asksForRepetition(taskAt(conversation, conversation.steps.length)),
  };
}

/** Nothing but the thread itself decides: no budget, no plan, no words to add. */
function isPlain(policy: Policy): boolean {
  const { judge, planning, preamble } = policy;
  return judge === undefined && planning === undefined && preamble === undefined && !limitsBudget(policy);
}

import { limitedKinds } from "../../policy/policy.ts";
import type { Answer } from "../../protocols/protocols.ts";
import {
  type Deed,
  type Followed,
  follow,
  type Judge,
  journalEntry,
  leaveTrail,
  save,
  startOf,
} from "../../session/session.ts";
import type { Totals } from "../../store/store.ts";
import { leaveBookmark } from "./cache-thread.ts";
import type { Decided } from "../request/decide-request.ts";
import type { Conversed } from "../intercept/context.ts";
import type { Guarded } from "../guard-context.ts";
import type { Arrived } from "../request/cache-keys.ts";
import type { Considered } from "../request/action.ts";

/** Keeps what an exchange has shown: its thread, the trail to it, what was done and used up. @throws whatever the stores throw. */
export async function record(decided: Decided, went: Conversed, arrived: Arrived, guarding: Guarded): Promise<void> {
  const { considered, found, judge } = decided;
  if (considered === undefined || judge === undefined) return;
  const { stores, log, sign, sessionTtlMs: ttlMs } = guarding;
  const { identity } = considered;
  const { conversation } = considered.ask;
  const followed = followedAlone(decided, considered, judge);
  const intercepted = went.made?.intervention;
  const answer = answeredBy(went.answer, guarding);
  const [saved] = await Promise.all([
    save(stores.sessions, identity.thread, found, followed, { conversation, judge, intercepted, ttlMs }),
    answer === undefined ? undefined : leaveTrail(stores.sessions, identity, { answer, conversation }, sign, ttlMs),
    ...[followed.news, intercepted, cutIn(went, considered)].map((deed) =>
      deed === undefined ? undefined : tellJournal(deed, considered, guarding),
    ),
  ]);
  if (saved === undefined) log.warn({ session: identity.session }, "save-given-up");
  else await leaveBookmark(decided, saved, went, arrived, guarding);
  await countUp(decided, saved?.added ?? 0, went, guarding);
  log.debug({ session: identity.session, steps: saved?.added }, "recorded");
}

/** What turns out to be one of several samples is kept as no repetition of another. */
function followedAlone({ way, found }: Decided, { followed, ask }: Considered, judge: Judge): Followed {
  if (judge.telling?.counts !== true || way?.wasAlone() !== false) return followed;
  return follow(found.ledger, ask.conversation, { ...judge, telling: { ...judge.telling, counts: false } });
}

/** All of it at once, so that nobody ever sees a half. */
async function countUp(
  { purse, ...decided }: Decided,
  steps: number,
  went: Conversed,
  guarding: Guarded,
): Promise<void> {
  const { stores, sessionTtlMs } = guarding;
  const amounts = amountsFor(decided, steps, guarding);
  const key = Object.keys(amounts).length === 0 ? undefined : purse?.(went.answer);
  if (key !== undefined) await stores.counters.add(key, amounts, sessionTtlMs);
  const unpriced = decided.bill?.total()?.unpriced;
  if (unpriced !== undefined) warnOnce(unpriced, guarding);
}

function amountsFor({ bill, totals, at = 0 }: Decided, steps: number, { policy }: Guarded): Totals {
  const limited = limitedKinds(policy);
  const billed = bill?.total();
  const { inputTokens = 0, outputTokens = 0, cost = 0 } = billed ?? {};
  return {
    ...(steps > 0 && limited.size > 0 ? { steps } : {}),
    ...(billed === undefined ? {} : { inputTokens, outputTokens, cost }),
    // Where the totals could not be read, nobody knows whether this was the first.
    ...(limited.has("seconds") && totals !== undefined ? startOf(totals, at) : {}),
  };
}

/** Names that are remembered at most: clients choose them. */
const MAX_UNPRICED = 100;

/** The cost of such a model stays unknown, and with it whether the budget holds. */
function warnOnce(model: string, { unpriced, log }: Guarded): void {
  const name = model.slice(0, 100).toWellFormed();
  if (unpriced.has(name) || unpriced.size >= MAX_UNPRICED) return;
  unpriced.add(name);
  log.warn({ model: name }, "model-without-price");
}

/** What is told of an answer that was cut off; it would have been the thread's next step. */
function cutIn({ runaway }: Conversed, { followed }: Considered): Deed | undefined {
  if (runaway === undefined) return undefined;
  const { laps, blockTokens } = runaway;
  const note = `${laps} laps of about ${blockTokens} tokens`;
  return { rung: "cut", detector: "runaway-output", count: laps, at: followed.tip.total, tools: [], note };
}

function tellJournal(deed: Deed, { identity }: Considered, { stores, stamp, mode }: Guarded): Promise<void> {
  return stores.journal.append(journalEntry(identity, deed, { ...stamp(), mode }));
}

/** The answer as its thread is found again by it: by its id only where requests can name one. */
function answeredBy(answer: Answer | undefined, { protocol }: Guarded): Answer | undefined {
  return answer === undefined || protocol.refersToAnswers ? answer : { ...answer, id: undefined };
}

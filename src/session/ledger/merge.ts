import {
  heardSignature,
  inspect,
  isNews,
  relayedStep,
  stepKey,
  stepWork,
  WINDOW,
  wishIn,
  withShownStates,
} from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import type { Mutable } from "../../mutable.ts";
import { chooseRung, type LoopCounter } from "../../policy/policy.ts";
import type { Conversation, Step } from "../../step.ts";
import { atOnce, type Pieces } from "../../turns.ts";
import { advanceBy, interventionFor, languageSpoken, take, withPendingCounted } from "./advance.ts";
import {
  type AppendedMessage,
  type Arrival,
  emptyLedger,
  type EvaluationContext,
  type Intervention,
  type Ledger,
  MAX_HEARD,
  MOST_READABLE,
  newestReadable,
  type PositionedIntervention,
  prefixAfter,
  type StepRecord,
  type TurnEnd,
} from "./ledger.ts";

export interface MergeResult {
  /** To be saved. Undefined when nothing is new. */
  readonly save: Ledger | undefined;
  readonly now: PositionedIntervention | undefined;
  /** The same, unless an earlier copy of this request led to it. */
  readonly news: Intervention | undefined;
  readonly earlier: readonly PositionedIntervention[];
  /** Counter of a loop at the previous step, if nothing was done about it. */
  readonly counterBefore: LoopCounter | undefined;
  /** The thread with this request's last step counted, as it stands before the answer. */
  readonly tip: Ledger;
  /** There is more in the window's steps than the budget lets be read, or compared. */
  readonly isPartial: boolean;
}

/**
 * Appends to a thread what its newest request adds, and judges the last step. Pure and idempotent; with no ledger the history alone is
 * judged. @param known the record with its pending step counted, where the conversation is only what was added to that
 */
export function* mergeInPieces(
  record: Ledger | undefined,
  conversation: Conversation,
  context: EvaluationContext,
  known?: Ledger,
): Pieces<MergeResult> {
  const { steps } = conversation;
  const evaluation = { ...context, open: record?.open ?? context.open };
  const { ledger, next } = known ? { ledger: known, next: 0 } : resumePoint(record, conversation, evaluation);
  // What stands before the step that the request goes on from is settled.
  const isNext = context.goesOnAt !== undefined && record !== undefined && context.goesOnAt > record.total;
  const before = known || isNext ? undefined : record?.pending;
  const { settled, pending, tip, isPartial } = yield* append(ledger, steps.slice(next), before, evaluation);
  const here = placedIn(steps, tip, evaluation.sign);
  const last = here.findLast(({ step }) => step === steps.length - 1);
  const now = steps.length === 0 ? refusedAtOnce(tip, evaluation) : last;
  const news = now !== undefined && !wasMade(record, now.intervention, evaluation) ? now.intervention : undefined;
  const earlier = here.filter((placed) => placed !== last);
  const save = toSave(record, settled, pending, appendedMessages(steps, known && record?.grown));
  return { save, now, news, earlier, counterBefore: settled.counter, tip, isPartial };
}

export const mergeHistory = (...told: Parameters<typeof mergeInPieces>): MergeResult => atOnce(mergeInPieces(...told));

/** Work for comparing steps, those before the last and that: beyond it one tells nothing of another, and the request is read all the same. */
const MOST_COMPARED = [1_500_000, 2_500_000];

/** @param before the last step of the request before, which may be told again as the first of these */
function* append(
  ledger: Ledger,
  steps: readonly Step[],
  before: StepRecord | undefined,
  evaluation: EvaluationContext,
) {
  const { count: skipped, isPartial } = unread(steps);
  let settled = skipped === 0 ? ledger : countedOnly(ledger, steps.slice(0, skipped), evaluation);
  let pending: StepRecord | undefined;
  const read = steps.slice(skipped);
  if (evaluation.work?.isDue() === true) yield;
  const last = settled.total + read.length - 1;
  const [forSettled, forLast] = MOST_COMPARED.map((most) => evaluation.work?.part(most));
  // Of several steps that are told at once the newest alone can be the answer that was open last.
  const settling = { ...evaluation, open: undefined, comparing: forSettled };
  for (const [i, step] of read.entries()) {
    if (pending !== undefined) {
      const wasLast = i === 1 && pending.fingerprint.key === before?.fingerprint.key;
      settled = advanceBy(settled, pending, settling, wasLast ? settled.total : last);
    }
    const terms = i === read.length - 1 ? evaluation : settling;
    pending = yield* i === 0 ? takeAgain(before, settled, step, terms) : take(settled, step, terms);
  }
  if (pending === undefined) return { settled, pending, tip: settled, isPartial };
  pending = heldAgainst(pending, settled, evaluation);
  const judging = { ...evaluation, comparing: forLast };
  if (evaluation.work?.isDue() === true) yield;
  const tip = advanceBy(settled, arrivedAgain(pending, evaluation.arrival), judging);
  const isAllCompared = forSettled?.isSpent() !== true && forLast?.isSpent() !== true;
  return { settled, pending, tip, isPartial: isPartial || !isAllCompared };
}

/** The step with the newest arrival of the request that ends with it, which has no answer yet. */
function arrivedAgain(step: StepRecord, arrival: Arrival | undefined): StepRecord {
  const { arrivals } = step;
  if (arrivals === undefined) return step;
  return {
    ...step,
    arrivals: { ...arrivals, at: arrivals.terms === arrival?.terms ? [...arrivals.at, arrival.at] : [] },
  };
}

/** A step told again is judged by the steps that its session had taken when it was told first, and keeps what its answer led to. */
function* takeAgain(previous: StepRecord | undefined, ledger: Ledger, step: Step, evaluation: EvaluationContext) {
  if (previous === undefined || previous.fingerprint.key !== stepKey(step, evaluation.sign))
    return yield* take(ledger, step, evaluation);
  const { elsewhere = 0, fingerprint, arrivals, usage, goalChange, opinion, compacted, intercepted, ends } = previous;
  const taken = yield* take(ledger, step, { ...evaluation, elsewhere });
  const again = { ...taken, usage, goalChange, opinion, compacted, intercepted, ends: ends ?? taken.ends };
  const isAnswered = step.calls.some(({ outcome }) => outcome);
  // Prompts that are written anew tell of a step only while it is the newest what it led to.
  const isForgotten = step.calls.length > 0 && !isAnswered && fingerprint.calls.some(({ outcome }) => outcome);
  if (step.isUntold === true || isForgotten) {
    const isTold = (evaluation.goesOnAt !== undefined && isAnswered) || step.heard.length > 0;
    const told = again.fingerprint;
    again.fingerprint = isTold ? relayedStep(fingerprint, fingerprint.calls, told, evaluation.sign) : fingerprint;
  } else again.fingerprint = withShownStates(again.fingerprint, fingerprint);
  // With another outcome it is the end of another request.
  return arrivals !== undefined && isSame(previous, again) ? { ...again, arrivals } : again;
}

/** The request is about its last step: what is used up by now is held against that one alone. */
function heldAgainst(last: StepRecord, settled: Ledger, { usage, compacts, heed }: EvaluationContext): StepRecord {
  const run = () => ({ ...settled, window: [...settled.window, last.fingerprint], total: settled.total + 1 });
  const { goalChange, opinion } = heed?.(run()) ?? {};
  return {
    ...last,
    usage: usage ?? last.usage,
    compacted: compacts === true ? compacts : last.compacted,
    // Told again it stays as it was: a judge may have had another word since.
    goalChange: last.goalChange ?? goalChange,
    opinion: last.opinion ?? opinion,
  };
}

function wasMade(ledger: Ledger | undefined, intervention: Intervention, evaluation: EvaluationContext): boolean {
  if (ledger?.pending === undefined) return ledger !== undefined && intervention.key === "";
  const { interventions } = withPendingCounted(ledger, evaluation);
  const { at, key, rung, loop } = intervention;
  return interventions.some((one) => one.at === at && one.key === key && one.rung === rung && one.loop === loop);
}

function placedIn(steps: readonly Step[], tip: Ledger, sign: Sign): readonly PositionedIntervention[] {
  const offset = tip.total - steps.length;
  return tip.interventions.flatMap((intervention) => {
    const at = intervention.at - offset;
    const step = steps[at];
    if (step === undefined || stepKey(step, sign) !== intervention.key) return [];
    const about = intervention.about - offset;
    return [{ intervention, step: at, about: about < 0 ? at : about }];
  });
}

function toSave(
  ledger: Ledger | undefined,
  settled: Ledger,
  pending: StepRecord | undefined,
  grown: NonNullable<Ledger["grown"]>,
): Ledger | undefined {
  if (pending === undefined) return settled === ledger ? undefined : settled;
  if (settled === ledger && ledger.pending !== undefined && saysNothingNew(ledger.pending, pending)) return undefined;
  return { ...settled, counter: undefined, open: undefined, pending, grown };
}

function saysNothingNew(previous: StepRecord, again: StepRecord): boolean {
  const said = [previous, again].map(({ compacted, goalChange, opinion, usage }) =>
    JSON.stringify([compacted, goalChange?.loop, opinion?.loop, usage]),
  );
  return isSame(previous, again) && said[0] === said[1];
}

function isSame({ fingerprint: a }: StepRecord, { fingerprint: b }: StepRecord): boolean {
  return a.key === b.key && a.outcomesHash === b.outcomesHash && a.heardHashes.join() === b.heardHashes.join();
}

/** Ends that are remembered of all messages of a thread; what was told before the oldest of them counts as one turn. */
const MAX_ENDS = 256;

/** Those that have grown, and the newest, which may yet. @param before those of a history that it adds to */
function appendedMessages(steps: readonly Step[], before: readonly AppendedMessage[] = []): readonly AppendedMessage[] {
  const messages: { at: number; ends: TurnEnd[] }[] = [];
  let at = before.at(-1)?.at ?? -1;
  for (const [index, step] of steps.entries()) {
    if (step.sharesMessage !== true) at += 1;
    const isShared = step.sharesMessage === true || steps[index + 1]?.sharesMessage === true;
    if (!isShared && index < steps.length - 1) continue;
    const message = messages.at(-1);
    const [calls, characters] = (step.sharesMessage === true ? message?.ends.at(-1) : undefined) ?? [0, 0];
    const end: TurnEnd = [calls + step.calls.length, characters + step.text.length];
    if (step.sharesMessage === true && message !== undefined) message.ends.push(end);
    else messages.push({ at, ends: [end] });
  }
  return bounded(messages);
}

function bounded(messages: readonly AppendedMessage[]): readonly AppendedMessage[] {
  let left = MAX_ENDS;
  const newest: AppendedMessage[] = [];
  for (const { at, ends } of messages.toReversed()) {
    if (left <= 0) break;
    newest.unshift({ at, ends: ends.slice(-left) });
    left -= ends.length;
  }
  return newest;
}

/** @returns a ledger to go on from, and the index of the first step that it has not counted */
function resumePoint(ledger: Ledger | undefined, conversation: Conversation, evaluation: EvaluationContext) {
  if (ledger === undefined) return { ledger: emptyLedger(conversation, evaluation), next: 0 };
  const { steps } = conversation;
  if (evaluation.goesOnAt !== undefined && steps.length > 0) return goesOn(ledger, evaluation.goesOnAt, evaluation);
  // A prompt that is written anew each time, and tells no step, is the first one of a run.
  if (steps.length === 0) return conversation.isUntold ? afresh(ledger, conversation, evaluation) : { ledger, next: 0 };
  const last = ledger.window.at(-1);
  const expected = steps[ledger.carried - 1];
  if (last !== undefined && expected !== undefined && stepKey(expected, evaluation.sign) === last.key)
    return { ledger, next: ledger.carried };
  const keys = steps.map((step) => stepKey(step, evaluation.sign));
  // Of a history that was shortened to its last step, the same request again is no new beginning.
  const isAgain = keys.length === 1 && keys[0] === ledger.pending?.fingerprint.key;
  if (ledger.carried === 0 && isAgain) return { ledger, next: 0 };
  const overlap = afterOverlap(ledger, keys);
  // The beginning is there and the end is not: the client went back to an earlier turn. The history tells it all.
  if (overlap === 0 && keys[0] !== undefined && keys[0] === ledger.root)
    return afresh(ledger, conversation, evaluation);
  if (overlap > 0) return { ledger: { ...ledger, carried: overlap, root: keys[0] }, next: overlap };
  return unlinked(ledger, keys, evaluation);
}

/** A request that names the answer it goes on from: its first step is that one, whatever others look like. */
function goesOn(ledger: Ledger, at: number, evaluation: EvaluationContext) {
  const { pending, total } = ledger;
  // An earlier answer is gone on from in another way: what came of it is known.
  if (at < total) return { ledger: { ...ledger, carried: 1, root: undefined }, next: 1 };
  const settled = at === total && pending !== undefined ? ledger : withPendingCounted(ledger, evaluation);
  return { ledger: { ...settled, carried: 0, root: undefined }, next: 0 };
}

/** An empty ledger of the same names, and with the advice of judges, who have seen the same steps. */
function afresh({ name, budgetKey, advice }: Ledger, conversation: Conversation, evaluation: EvaluationContext) {
  return { ledger: { ...emptyLedger(conversation, evaluation), name, budgetKey, advice }, next: 0 };
}

/** A history that leaves out what was counted last: shortened, another conversation's, or the newest turn alone. */
function unlinked(record: Ledger, keys: readonly string[], evaluation: EvaluationContext) {
  const { pending } = record;
  const again = pending === undefined ? -1 : keys.indexOf(pending.fingerprint.key);
  const isRetry = again === record.carried && (record.root === undefined || keys[0] === record.root);
  if (isRetry) return { ledger: record, next: again };
  const root = record.root === undefined ? undefined : keys[0];
  if (again >= 0) return { ledger: { ...record, carried: again, root }, next: again };
  // Two conversations under one name take turns: what either has told before is not told again.
  const known = new Set(record.window.map(({ key }) => key));
  const next = keys.findLastIndex((key) => known.has(key)) + 1;
  const ledger = next > 0 ? record : withPendingCounted(record, evaluation);
  return { ledger: { ...ledger, carried: next, root }, next };
}

/** Where the histories agree longest, the latest of equals; 0 when the thread's last counted step is not there. */
function afterOverlap(ledger: Ledger, keys: readonly string[]): number {
  let best = { length: 0, next: 0 };
  for (let end = keys.length - 1; end >= 0; end--) {
    let length = 0;
    while (length <= end && ledger.window.length > length && keys[end - length] === ledger.window.at(-1 - length)?.key)
      length++;
    // Turns without ids may fit in several places. A request's last step is new, unless it was sent late.
    const leavesLast = end === keys.length - 2 && length === end + 1;
    if (length > best.length || leavesLast) best = { length, next: end + 1 };
  }
  return best.next;
}

/** Task of the agent at a step: the last message of a user that is more than "go on". */
export function taskAt({ opening, steps }: Conversation, at: number): string {
  const messages = steps.slice(0, at).findLast(({ heard }) => heard.some(isNews))?.heard ?? opening;
  return messages.findLast(isNews) ?? "";
}

/** The task as a note may state it; empty where nothing shows that it is the user who speaks: most messages after acts may be their outcomes. */
export function statedTaskAt(conversation: Conversation, at: number): string {
  const steps = conversation.steps.slice(0, at);
  const newest = steps.findLast(({ heard }) => heard.some(isNews));
  if (newest === undefined) return taskAt(conversation, at);
  const acts = steps.filter(({ calls }) => calls.length > 0);
  if (newest.calls.length === 0) return acts.length === 0 ? "" : taskAt(conversation, at);
  const answered = acts.filter(({ heard }) => heard.some(isNews)).length;
  return 2 * answered >= acts.length ? (conversation.opening.find(isNews) ?? "") : "";
}

/** A request without a step yet, of a session that is past its hard end: no step can be told anything, so it is the last rung or none. */
function refusedAtOnce({ total, memory, language }: Ledger, evaluation: EvaluationContext) {
  const { policy, elsewhere = 0, usage = {} } = evaluation;
  const findings = inspect({ window: [], total, requestedRepeats: 0, elsewhere, usage }).filter(
    ({ limit }) => limit !== undefined,
  );
  const { decision } = chooseRung(findings, memory, policy, { at: total, userSpoke: false });
  if (decision?.rung !== "short-circuit") return undefined;
  return { intervention: interventionFor(decision, { key: "" }, total, language), step: -1, about: -1 };
}

/** Steps beyond the window are left out by so many at once: then what is read begins at the same step for as many requests. */
const BLOCK = 32;

/** First steps that are only counted: they lie before the window, or (`isPartial`) there is more in it than can be read at once. */
function unread(steps: readonly Step[]) {
  const beyond = Math.max(0, Math.floor((steps.length - WINDOW) / BLOCK)) * BLOCK;
  let cost = 0;
  for (let at = steps.length - 1; at >= beyond; at--) {
    cost += stepWork(steps[at] ?? NO_STEP);
    // The newest is read in any case.
    if (cost > MOST_READABLE && at < steps.length - 1) return { count: at + 1, isPartial: steps.length - at <= WINDOW };
  }
  return { count: beyond, isPartial: false };
}

/** A ledger with steps that no window holds any more: hashed for what they are, and read for what users asked in them. */
function countedOnly(ledger: Ledger, steps: readonly Step[], evaluation: EvaluationContext): Ledger {
  const { sign } = evaluation;
  const { total, carried, root = stepKey(steps[0] ?? NO_STEP, sign) } = ledger;
  const { length } = steps;
  const counted: Mutable<Ledger> = { ...ledger, total: total + length, carried: carried + length, root, window: [] };
  for (const step of steps) counted.prefix = prefixAfter(counted.prefix, step, sign);
  const messages = steps.map(({ heard }) => heard).filter((heard) => heard.length > 0);
  hear(
    counted,
    newestReadable(messages, (heard) => heard, evaluation.work),
    evaluation,
  );
  return counted;
}

const NO_STEP: Step = { calls: [], text: "", heard: [] };

/** Takes in what users said after several steps; only the newest message with news counts. */
function hear(ledger: Mutable<Ledger>, messages: readonly (readonly string[])[], { sign, policy }: EvaluationContext) {
  let news: readonly string[] | undefined;
  for (const heard of messages) {
    const signatures = heard.map((text) => heardSignature(text, sign));
    if (heard.some((text, i) => isNews(text) && !ledger.heard.includes(signatures[i] ?? ""))) news = heard;
    ledger.heard = [...ledger.heard, ...signatures].slice(-MAX_HEARD);
  }
  if (news === undefined) return;
  const { requestedRepeats, userItems } = wishIn(news.join("\n"), ledger.standing);
  ledger.language = languageSpoken(news, policy) ?? ledger.language;
  ledger.requestedRepeats = requestedRepeats;
  ledger.userItems = userItems === "" ? undefined : userItems;
}

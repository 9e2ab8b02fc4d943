import {
  bringsNews,
  type Fingerprint,
  inspect,
  isNews,
  knownLists,
  readStep,
  relayedStep,
  repeatsLeft,
  WINDOW,
  wishIn,
  withNote,
  withResultItems,
} from "../../engine/engine.ts";
import {
  chooseRung,
  type Decision,
  heededDoubt,
  type Language,
  languageTold,
  loopCounter,
  noMemory,
  type Policy,
  stages,
  tellsEnding,
  withMade,
} from "../../policy/policy.ts";
import type { Mutable } from "../../mutable.ts";
import type { Call, Conversation, Step } from "../../step.ts";
import type { Sign } from "../../text/sign.ts";
import { atOnce, type Pieces } from "../../turns.ts";
import { requestWork } from "../../work.ts";
import {
  emptyLedger,
  type EvaluationContext,
  type Intervention,
  type Ledger,
  MAX_HEARD,
  type OpenStep,
  prefixAfter,
  present,
  type StepRecord,
} from "./ledger.ts";
import { tellsWordsOf } from "./answers.ts";

const MAX_INTERVENTIONS = 32;

export function advance(ledger: Ledger, step: Step, evaluation: EvaluationContext): Ledger {
  return advanceBy(ledger, atOnce(take(ledger, step, evaluation)), evaluation);
}

const NOBODY: ReadonlySet<string> = new Set();

export function* take(
  ledger: Ledger,
  step: Step,
  { sign, policy, elsewhere = 0, open, work = requestWork() }: EvaluationContext,
): Pieces<Mutable<StepRecord>> {
  const { userItems, standing, resultItems } = ledger;
  const heard = step.heard.length === 0 ? NOBODY : new Set(ledger.heard);
  const lists = knownLists(userItems, standing?.userItems, resultItems);
  const stepPrint = yield* readStep(withEndedCalls(step, policy), sign, policy.tools, heard, { lists, work });
  const isRelayed = open !== undefined && isToldOf(step, open, ledger.total, sign);
  const whole = isRelayed ? closedStep(open, stepPrint, sign) : stepPrint;
  const fingerprint = withNote(whole, ledger.window);
  const isAsked = fingerprint.heard === "user";
  const wish = isAsked ? wishIn(step.heard.join("\n"), ledger.standing) : undefined;
  return {
    fingerprint,
    prefix: prefixAfter(ledger.prefix, step, sign),
    ends: isRelayed ? open.ends : undefined,
    elsewhere: elsewhere === 0 ? undefined : elsewhere,
    resultItems: lists.brought(),
    language: isAsked ? languageSpoken(step.heard, policy) : undefined,
    ...{ requestedRepeats: wish?.requestedRepeats, userItems: wish?.userItems },
    ...UNJUDGED,
  };
}

const UNJUDGED = {
  usage: undefined,
  ...{ goalChange: undefined, opinion: undefined, compacted: undefined, arrivals: undefined, intercepted: undefined },
};

function closedStep({ fingerprint, calls }: OpenStep, told: Fingerprint, sign: Sign): Fingerprint {
  const each = calls?.flatMap((print) => print.calls) ?? fingerprint.calls;
  return relayedStep(fingerprint, each, told, sign);
}

/** Whether a prompt's step is this answer: it tells the last of the answer's words, or is the step that follows. */
function isToldOf(step: Step, open: OpenStep, total: number, sign: Sign): boolean {
  return step.isUntold === true && (open.at === total || tellsWordsOf(step, open, sign));
}

/** A delegate whose run the guard has ended has not done what it was called for. */
function withEndedCalls(step: Step, policy: EvaluationContext["policy"]): Step {
  const isEnded = ({ outcome }: Call) => outcome !== undefined && tellsEnding(outcome.text, policy);
  if (!step.calls.some(isEnded)) return step;
  const calls = step.calls.map((call) =>
    call.outcome && isEnded(call) ? { ...call, outcome: { ...call.outcome, failed: true } } : call,
  );
  return { ...step, calls };
}

/** Adds a step that is known by its record alone. @param toldAt index of its request's last step, where that is another one */
export function advanceBy(
  ledger: Ledger,
  record: StepRecord,
  evaluation: EvaluationContext,
  toldAt = ledger.total,
): Ledger {
  const { fingerprint } = record;
  const window = [...ledger.window, fingerprint].slice(-WINDOW);
  const total = ledger.total + 1;
  const isResumed = resumes(ledger, fingerprint);
  const { decision, memory, counter } = judged(ledger, window, record, evaluation, toldAt, isResumed);
  const language = record.language ?? ledger.language;
  // Whoever has accepted an end, and asks again, was started again.
  const intervention =
    record.ends === true
      ? undefined
      : ((isResumed ? undefined : blockGoesOn(ledger, fingerprint)) ??
        (decision && interventionFor(decision, fingerprint, total - 1, language)));
  const { resultItems, userItems = ledger.userItems } = record;
  const next: Ledger = {
    ...ledger,
    total,
    window,
    language,
    memory,
    prefix: record.prefix,
    carried: ledger.carried + 1,
    root: ledger.root ?? fingerprint.key,
    heard: [...ledger.heard, ...fingerprint.heardHashes].slice(-MAX_HEARD),
    requestedRepeats: record.requestedRepeats ?? repeatsLeft(ledger.requestedRepeats, ledger.window),
    interventions: withOne(ledger.interventions, intervention),
    userItems: userItems === "" ? undefined : userItems,
    resultItems: resultItems === undefined ? ledger.resultItems : withResultItems(resultItems, ledger.resultItems),
    compactions: compactionsAfter(ledger, record),
    // Its counter, its pending step and what was open belong to one request.
    counter: intervention ? undefined : counter,
    pending: undefined,
    open: undefined,
  };
  // What led to a block at this very step has not been answered yet.
  const heeded = withNews(next, ledger, record);
  const { intercepted } = record;
  if (intercepted === undefined) return heeded;
  const interventions = withOne(heeded.interventions, intercepted);
  return { ...heeded, memory: withMade(heeded.memory, intercepted), interventions };
}

const MAX_COMPACTIONS = 16;

function compactionsAfter({ compactions, total }: Ledger, { compacted }: StepRecord): Ledger["compactions"] {
  return compacted === true ? [...(compactions ?? []), total].slice(-MAX_COMPACTIONS) : compactions;
}

function withOne(interventions: readonly Intervention[], one: Intervention | undefined): readonly Intervention[] {
  return one === undefined ? interventions : [...interventions, one].slice(-MAX_INTERVENTIONS);
}

function judged(
  ledger: Ledger,
  window: readonly Fingerprint[],
  record: StepRecord,
  { policy, work, comparing = work }: EvaluationContext,
  toldAt: number,
  isResumed: boolean,
) {
  const { fingerprint, elsewhere = 0, usage = {}, arrivals, goalChange, opinion } = record;
  const { total: at, since, requestedRepeats, memory } = ledger;
  const doubt = heededDoubt(memory.doubt, opinion, { at, since });
  const isConfirmed = doubt !== undefined && opinion !== undefined && doubt.confirmed > 0;
  const situation = {
    window: window.slice(-(at + 1 - since)),
    ...{ total: at + 1, requestedRepeats, elsewhere, usage, goalChange },
    ...{ arrivals: arrivals?.at ?? [], work: comparing },
    compactions: compactionsAfter(ledger, record) ?? [],
    judgement: isConfirmed ? { loop: opinion.loop, count: doubt.confirmed, at: doubt.at } : undefined,
  };
  const findings = inspect(situation, policy.detectors);
  const moment = { at, toldAt, userSpoke: isResumed || fingerprint.heard === "user" };
  const decided = chooseRung(findings, doubt === undefined ? memory : { ...memory, doubt }, policy, moment);
  const isCounted = findings.length > 0 && decided.decision === undefined;
  return { counter: isCounted ? loopCounter(findings, policy) : undefined, ...decided };
}

/** Harnesses prompt in English whatever the user speaks, and "42" is said in all languages. */
export function languageSpoken(texts: readonly string[], policy: Policy): Language | undefined {
  if (policy.language !== "auto") return undefined;
  const spoken = texts.findLast((text) => isNews(text) && /\p{L}/u.test(text));
  return spoken === undefined ? undefined : languageTold(spoken);
}

export function interventionFor(
  decision: Decision,
  print: Pick<Fingerprint, "key">,
  at: number,
  language: Language,
): Intervention {
  const { detector, loop, count, repeats, evidence, tools, about = at, note, ...facts } = decision.finding;
  const { grade, course, outcome } = facts;
  return {
    ...{ at, key: print.key, about, rung: decision.rung, detector, loop, count, evidence, tools, note, language },
    ...present({ grade, course, outcome, repeats: repeats === undefined ? repeats : `${repeats}/${repeats}` }),
  };
}

function endBefore({ interventions, total }: Ledger): Intervention | undefined {
  const last = interventions.at(-1);
  return last?.rung === "short-circuit" && last.at === total - 1 ? last : undefined;
}

/** The first word after the guard's end reaches the model, unless a loop of talk would go on with it, or a harness says it. */
function resumes(ledger: Ledger, { heard, automated }: Fingerprint): boolean {
  return heard !== "nothing" && automated !== true && (endBefore(ledger)?.tools.length ?? 0) > 0;
}

/** An agent that goes on behind the guard's final answer, and has heard nothing, gets it again. */
function blockGoesOn(ledger: Ledger, fingerprint: Fingerprint): Intervention | undefined {
  const last = endBefore(ledger);
  const acts = fingerprint.calls.length > 0 && fingerprint.callsHash !== ledger.endedBy;
  if (last === undefined || acts || bringsNews(fingerprint)) return undefined;
  return { ...last, at: ledger.total, key: fingerprint.key, evidence: [...last.evidence, ledger.total].slice(-WINDOW) };
}

/** Blocked: the guard has ended or forced the run, and no user has spoken since. */
export function isBlocked(ledger: Ledger): boolean {
  return Object.values(ledger.memory.loops).some(({ stage }) => stages.indexOf(stage) >= stages.indexOf("force-done"));
}

/** A user who speaks after a block lifts it, and after a wish has had what was wished for: what repeats from here on is counted afresh. */
function withNews(next: Ledger, before: Ledger, { ends, fingerprint }: StepRecord): Ledger {
  if (ends === true || (bringsNews(fingerprint) && isBlocked(before)))
    return { ...next, since: next.total, memory: noMemory };
  return fingerprint.heard === "user" && before.requestedRepeats > 0 ? { ...next, since: next.total } : next;
}

/** A ledger with the last step of the last request counted as it stands, whatever may still come of it. */
export function withPendingCounted(ledger: Ledger, evaluation: EvaluationContext): Ledger {
  return ledger.pending === undefined ? ledger : advanceBy(ledger, ledger.pending, evaluation);
}

/** Judges a conversation step by step, as if each had just come. */
export function replayConversation(conversation: Conversation, evaluation: EvaluationContext) {
  const empty = emptyLedger(conversation, evaluation);
  return replay(empty, conversation.steps, (ledger, step) => advance(ledger, step, evaluation));
}

/** Judges the steps in a thread's window anew, as they were fingerprinted. What came before is not known any more, nor are budgets and arrivals. */
export function replayWindow(ledger: Ledger, evaluation: EvaluationContext): readonly Intervention[] {
  const { pending, ...counted } = ledger;
  const records = ledger.window.map((fingerprint): StepRecord => ({ fingerprint, prefix: "" }));
  const total = ledger.total - ledger.window.length;
  const start: Ledger = { ...counted, total, since: total, window: [], memory: noMemory, interventions: [] };
  const all = pending === undefined ? records : [...records, pending];
  return replay(start, all, (before, record) => advanceBy(before, record, evaluation)).interventions;
}

/** The interventions that the policy would have made, oldest first: one each time a rung is reached. */
function replay<Taken>(start: Ledger, steps: readonly Taken[], take: (ledger: Ledger, step: Taken) => Ledger) {
  const [fingerprints, interventions]: [Fingerprint[], Intervention[]] = [[], []];
  const reached = new Map<string, string>();
  let ledger = start;
  for (const step of steps) {
    ledger = take(ledger, step);
    fingerprints.push(...ledger.window.slice(-1));
    const last = ledger.interventions.at(-1);
    if (last?.at !== ledger.total - 1 || (reached.get(last.loop) === last.rung && last.rung !== "nudge")) continue;
    reached.set(last.loop, last.rung);
    interventions.push(last);
  }
  return { fingerprints, interventions };
}

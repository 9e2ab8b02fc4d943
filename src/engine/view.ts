import type { CallFingerprint } from "./fingerprint/call-fingerprint.ts";
import type { Fingerprint } from "./fingerprint/fingerprint.ts";
import { isBrought } from "./reading/user-list.ts";
import { codesOf } from "../text/codes.ts";
import { withoutNoise } from "./noise.ts";
import { isToldAgain } from "./relation.ts";
import { requestWork, type Work } from "../work.ts";
import { isAct, isLook, isPause, isPoll, isSameNote, pausesToLook } from "./steps.ts";

export const WINDOW = 64;
/** So far back an act, and what it told, is still known. In acts. */
export const REACH = 24;

/** Acting step: one that acts on the world, within the window. A class, for of objects with getters of their own V8 makes dictionaries. */
export class ActingStep {
  readonly fingerprint: Fingerprint;
  readonly at: number;
  /** A user said something new between the previous act and this one. */
  readonly userBefore: boolean;
  /** The same, but for what was said before: a notice that comes again. */
  readonly newsBefore: boolean;
  readonly work: Work;
  readonly #earlier: readonly ActingStep[];
  readonly #index: number;
  #landed: boolean | undefined;
  #polls: boolean | undefined;

  /** @param earlier the window's acts, of which so many as there are now go before it */
  constructor(
    fingerprint: Fingerprint,
    at: number,
    said: readonly boolean[],
    work: Work,
    earlier: readonly ActingStep[],
  ) {
    [this.fingerprint, this.at, this.work] = [fingerprint, at, work];
    [this.userBefore = false, this.newsBefore = false] = said;
    [this.#earlier, this.#index] = [earlier, earlier.length];
  }

  /** Whether it changed something for the first time, judged by names and outcomes. */
  get landed(): boolean {
    const isKnown = () => this.#earlier.slice(0, this.#index).some((earlier) => isTaken(earlier, this.fingerprint));
    this.#landed ??= changes(this.fingerprint) && !isKnown();
    return this.#landed;
  }

  /** Whether it polls for somebody else's progress, judged by its name, its answer, or a wait before it. */
  get polls(): boolean {
    const { fingerprint } = this;
    const before = this.#earlier[this.#index - 1]?.fingerprint;
    this.#polls ??= isPoll(fingerprint) || pausesToLook(fingerprint) || isBetweenPauses(before, fingerprint);
    return this.#polls;
  }
}

/** What a session has used up, as far as its policy limits it. */
export interface RunUsage {
  /** Input and output together. */
  readonly tokens?: number;
  /** In millionths of the price table's currency. */
  readonly cost?: number;
  readonly seconds?: number;
}

/** Judgement: a reader of the newest steps says that they go in circles. */
export interface Judgement {
  readonly loop: string;
  readonly count: number;
  readonly at: number;
}

/** Goal change: what the scores of a plan have led to at a step. Plain JSON, without any text of the conversation. */
export interface GoalChange {
  readonly kind: "met" | "option" | "revert" | "cancel";
  /** Tells it from other news of the same plan. */
  readonly loop: string;
  readonly count: number;
  /** How many steps before this one that step lies which it is about, and the one that was judged. */
  readonly ago: number;
  readonly judgedAgo: number;
  readonly course: PlanProgress;
}

/** Course of a plan. Steps are given by how many steps they lie before the one at which it is told. */
export interface PlanProgress {
  /** How near the goal was, from 0 (far) to 10 (reached), before the step it is about and by now. */
  readonly before?: number;
  readonly after?: number;
  readonly type?: string;
  /** The action's effect is still visible, so that a call can undo it. */
  readonly stands?: true;
  readonly why?: string;
  readonly times?: number;
  /** Signature of what the judge says to it: the option to try, or its reasons. */
  readonly said?: string;
  readonly tried?: readonly number[];
  readonly undone?: readonly number[];
}

/** View: what detectors look at. The last steps of a thread, oldest first; the last one is the step to judge. */
export interface View {
  readonly window: readonly Fingerprint[];
  readonly total: number;
  readonly elsewhere: number;
  readonly usage: RunUsage;
  /** When the request that ends with the step to judge came: each time that it was answered alike, and now. Unix seconds, oldest first. */
  readonly arrivals: readonly number[];
  /** Indexes of the steps after which the history was compacted, oldest first. */
  readonly compactions: readonly number[];
  /** What the scores of its plan have led to; undefined without a judge, and while all goes well. */
  readonly goalChange: GoalChange | undefined;
  /** What a judge says of the newest steps, told for the first time; undefined mostly. */
  readonly judgement: Judgement | undefined;
  /** How often the same thing was asked for, by the user or the system text; 0 if not at all, `ENDLESS` or `UNTIL` without a number. */
  readonly requestedRepeats: number;
  /** The window's steps with calls, without those that only think. */
  readonly actions: readonly ActingStep[];
  readonly action: ActingStep | undefined;
  /** What may still be done for the request that tells the steps. */
  readonly work: Work;
  /** Whether the step makes a call that was made before within the window. In healthy runs most steps do not. */
  readonly repeats: boolean;
}

/** Situation: where a thread stands. Nothing is spent, and the request has come once, where that is not said. */
export type Situation = Pick<View, "window" | "total" | "requestedRepeats" | "elsewhere"> & {
  readonly [Name in "usage" | "arrivals" | "compactions" | "work" | "goalChange" | "judgement"]?:
    | View[Name]
    | undefined;
};

export function viewOf(situation: Situation): View {
  const { total, requestedRepeats, elsewhere, goalChange, judgement } = situation;
  const { usage = {}, arrivals = [], compactions = [], work = requestWork() } = situation;
  const window = withoutNoise(situation.window);
  const actions = actsIn(window, total - window.length, work);
  const last = window.at(-1);
  const action = last !== undefined && isAct(last) ? actions.at(-1) : undefined;
  const repeats =
    action !== undefined &&
    (action.fingerprint.laps !== undefined ||
      actions.some((earlier) => earlier !== action && hasInCommon(earlier.fingerprint, action.fingerprint)));
  return {
    window,
    total,
    requestedRepeats,
    elsewhere,
    usage,
    arrivals,
    compactions,
    goalChange,
    judgement,
    actions,
    action,
    repeats,
    work,
  };
}

/** The window's steps that act, the first things that are known of them; the rest is worked out where a detector asks. */
function actsIn(window: readonly Fingerprint[], from: number, work: Work): readonly ActingStep[] {
  const actions: ActingStep[] = [];
  const notes = window.filter(isNote);
  let [userBefore, newsBefore] = [false, false];
  for (const [i, fingerprint] of window.entries()) {
    if (isAct(fingerprint)) {
      actions.push(new ActingStep(fingerprint, from + i, [userBefore, newsBefore], work, actions));
      userBefore = newsBefore = false;
    }
    if (!isAsked(fingerprint) || notes.some((note) => isSameNote(note, fingerprint))) continue;
    userBefore = true;
    newsBefore ||= fingerprint.heard === "user";
  }
  return actions;
}

/** A pause, or a look behind one. Twice in a row the same pause waits for nothing. */
function isBetweenPauses(before: Fingerprint | undefined, fingerprint: Fingerprint): boolean {
  if (isPause(fingerprint) && fingerprint.callsHash !== before?.callsHash) return true;
  return isLook(fingerprint) && isPause(before);
}

function changes({ calls }: Fingerprint): boolean {
  return calls.some(({ kind, outcome }) => kind === "write" && outcome?.failed === false && outcome.complains !== true);
}

function isTaken({ fingerprint: { callsHash, calls }, work }: ActingStep, later: Fingerprint): boolean {
  if (callsHash === later.callsHash) return true;
  return later.calls.every((call) => calls.some((one) => isToldAgain(one, call, work)));
}

/** A call, whatever came back. Of very many calls only a few are kept one by one, and all of them in what the turn is. */
function hasInCommon(a: Fingerprint, b: Fingerprint): boolean {
  if (a.callsHash === b.callsHash) return true;
  if (a.order === undefined && b.order === undefined) return false;
  return a.calls.some(({ hash }) => b.calls.some((call) => call.hash === hash));
}

/** After an answer the same words ask for the same once more, as a heartbeat does; after a call a harness repeats its prompt. */
function isAsked({ heard, callsHash }: Fingerprint): boolean {
  return heard === "user" || (heard === "again" && callsHash === "");
}

function isNote({ heard, callsHash }: Fingerprint): boolean {
  return (heard === "again" || heard === "prompt") && callsHash !== "";
}

export interface IndexedStep {
  readonly fingerprint: Fingerprint;
  readonly at: number;
}

export function indexedSteps({ window, total }: View): readonly IndexedStep[] {
  return window.map((fingerprint, i) => ({ fingerprint, at: total - window.length + i }));
}

export function trailing(view: View, isOfKind: (fingerprint: Fingerprint) => boolean): readonly IndexedStep[] {
  return indexedSteps(view).slice(view.window.findLastIndex((print) => !isOfKind(print)) + 1);
}

/** Names that a finding carries, at most. */
const MAX_TOOLS = 8;

export function toolsIn(turns: readonly IndexedStep[]): readonly string[] {
  const tools = new Set(turns.flatMap(({ fingerprint }) => fingerprint.calls.map((call) => call.tool)));
  return [...tools].sort().slice(0, MAX_TOOLS);
}

/** What keeps every item of a list from being asked for: there is no sense in going through the rest. */
const HINDRANCES: ReadonlySet<string | undefined> = new Set(["auth", "unknown-tool", "missing-parameter"]);

/** Each of the steps asks for another item of what somebody has listed; only a user can want refusals. */
export function worksThroughList(actions: readonly ActingStep[]): boolean {
  const seen = new Set<string>();
  return actions.every(({ fingerprint: { calls } }) => {
    const known = seen.size;
    for (const call of calls) {
      if (call.named === undefined || isHindered(call, call.named)) return false;
      for (const code of codesOf(call.named)) seen.add(`${call.tool} ${code}`);
    }
    return seen.size > known;
  });
}

function isHindered({ outcome }: CallFingerprint, named: string): boolean {
  return HINDRANCES.has(outcome?.cause) || (outcome?.failed === true && isBrought(named));
}

import { type Fingerprint, type GoalChange, isNews, type PlanProgress } from "../engine/engine.ts";
import type { ActionType, JudgeTerms } from "../policy/policy.ts";
import type { EvaluationContext, Intervention, JudgeAdvice } from "../session/session.ts";
import type { Conversation, Step } from "../step.ts";
import { actionTypeOf, goalWords, hasPhrase, onlyLooks } from "./actions.ts";

type AdvisedRun = Parameters<NonNullable<EvaluationContext["heed"]>>[0];
export type GoalScore = NonNullable<JudgeAdvice["score"]>;

interface Move {
  readonly at: number;
  /** By the names of its tools alone where the request does not carry it any more. */
  readonly step: Step;
  readonly fingerprint: Fingerprint;
  readonly type: () => ActionType;
  /** Signature of what it shows; empty where it shows nothing. */
  readonly state: string;
  readonly looks: boolean;
}

/** An action that may be undone, with what was tried from where it led. */
export interface PlanNode extends Move {
  readonly stateBefore: string;
  stateAfter: string;
  /** How near the goal was, from 0 (far) to 10 (reached), before it and by now; missing until it is judged. */
  before?: number | undefined;
  after?: number;
  /** Signatures of what can be tried from here, and of what was. */
  options: readonly string[];
  tried: readonly string[];
  readonly seen: string[];
  told?: { readonly kind: "option" | "revert"; readonly at: number };
}

/** Plan: a run's newest steps as one task's actions, with a judge's scores and what their agent was told. */
export interface Plan {
  readonly from: number;
  readonly moves: Move[];
  /** All steps that do not only look, which changes nothing. */
  acts: number;
  /** The last one is the latest that stands. */
  readonly nodes: PlanNode[];
  readonly undone: PlanNode[];
  state: string;
  /** The latest action has not shown what it led to. */
  unseen: boolean;
  /** The score that the next one is compared with, and how often in a row it has fallen. */
  distance?: number | undefined;
  falls: number;
  judged?: GoalScore & { readonly at: number };
  /** Why it leads nowhere, and how often what makes it so was seen, once the agent was told: then it stays given up. */
  cancelled?: { readonly why: string; readonly count: number };
}

export interface PlanTerms extends Pick<JudgeTerms, "actions" | "maxSteps"> {
  /** What the ledger notes was said to the model. */
  readonly isTold: boolean;
}

/** A harness may tell the state as a user does: then all that is said belongs to the run's first task. */
export function isHarness({ window }: Pick<AdvisedRun, "window">): boolean {
  const acts = window.filter(({ calls }) => calls.length > 0);
  const answered = acts.filter(({ heard }) => heard === "user" || heard === "again").length;
  return answered > 0 && 2 * answered >= acts.length;
}

/** Pure: the same window and advice give the same plan. */
export function planIn(run: AdvisedRun, { steps, showsState }: Conversation, terms: PlanTerms): Plan {
  const { window, total, advice = [], interventions } = run;
  const harness = isHarness(run);
  const first = total - window.length;
  const older = steps.slice(0, Math.max(0, steps.length - window.length));
  const begun = harness ? -1 : window.findLastIndex(({ heard }) => heard === "user");
  const begunOlder = harness ? -1 : older.findLastIndex(({ heard }) => heard.some(isNews));
  const ofTask = begun === -1 ? older.slice(begunOlder + 1) : [];
  const plan: Plan = {
    // Where the task began is unknown, or it is the thread's first.
    from: begun >= 0 ? first + begun + 1 : begunOlder >= 0 ? first - older.length + begunOlder + 1 : 0,
    acts: ofTask.filter((step, i) => step.calls.length > 0 && !onlyLooks(step, ofTask[i - 1], terms)).length,
    ...{ moves: [], nodes: [], undone: [], state: "", unseen: false, falls: 0 },
  };
  const isQuiet = ({ calls }: Fingerprint) =>
    calls.every(({ kind }) => kind === "think" || kind === "plan" || kind === "poll") ||
    // A state that no answer has led to is what there was before the first action.
    (showsState === true && calls[0]?.tool === steps[0]?.calls[0]?.tool);
  const told = (i: number) => stepOf(window[i], steps[steps.length - window.length + i]);
  for (const [i, fingerprint] of window.entries()) {
    if (i <= begun) continue;
    const [at, step, before] = [first + i, told(i), i === 0 ? undefined : told(i - 1)];
    const { calls } = fingerprint;
    if (calls.length > 0 && calls.every(({ outcome }) => outcome !== undefined)) {
      const looks = isQuiet(fingerprint) || onlyLooks(step, before, terms);
      const type = () => actionTypeOf(step, before, terms);
      addMove(plan, { at, step, fingerprint, type, looks, state: stateIn(fingerprint, harness) });
    }
    const score = advice.findLast((one) => one.at === at && one.key === fingerprint.key)?.score;
    if (score !== undefined) addScore(plan, at, score);
    const note = terms.isTold ? interventions.find((one) => one.at === at && one.course !== undefined) : undefined;
    if (note !== undefined) addNote(plan, note);
  }
  return plan;
}

function stepOf(fingerprint: Fingerprint | undefined, step: Step | undefined): Step {
  const calls = fingerprint?.calls ?? [];
  if (step !== undefined && step.calls[0]?.tool === calls[0]?.tool) return step;
  const { heard = [], calls: [{ outcome } = {}] = [] } = step?.isUntold === true ? step : {};
  return { calls: calls.map(({ tool }) => ({ tool, args: "", ...(outcome && { outcome }) })), text: "", heard };
}

/** Words of an acknowledgement that tells nothing else, at most. */
const SHORT = 6;

/** "ok" or an error shows no state, a dialog with an OK button does. */
function stateIn({ calls, outcomesHash, heardHashes }: Fingerprint, harness: boolean): string {
  if (harness && heardHashes.length > 0) return `${outcomesHash}+${heardHashes.join("+")}`;
  const said = calls.flatMap(({ outcome }) => (outcome === undefined || outcome.failed ? [] : [outcome]));
  const words = said.reduce((sum, outcome) => sum + outcome.words, 0);
  const tells = ({ weight }: (typeof said)[number]) =>
    weight === "informative" || (weight === "acknowledgement" && words > SHORT);
  if (!said.some(tells)) return "";
  // Several actions have led to the one state that some prompts show.
  const states = new Set(calls.map(({ outcome }) => outcome?.hash));
  return (states.size === 1 ? said[0]?.hash : undefined) ?? outcomesHash;
}

function addMove(plan: Plan, move: Move): void {
  const { state } = move;
  const undone = move.looks ? -1 : undoneBy(move, plan);
  const stateBefore = plan.state;
  plan.moves.push(move);
  if (state !== "") plan.state = state;
  const top = plan.nodes.at(-1);
  if (move.looks) {
    if (top === undefined || state === "") return;
    // What an action led to may show only when one looks.
    if (plan.unseen) top.seen.push(state);
    top.stateAfter = state;
    plan.unseen = false;
    return;
  }
  plan.acts++;
  plan.unseen = state === "";
  if (undone !== -1) {
    undo(plan, undone);
    return;
  }
  // What could be tried there can be tried here, as far as it was not.
  const { options, tried } = top !== undefined && isStalled(top) ? top : { options: [], tried: [] };
  const seen = state === "" ? [] : [state];
  plan.nodes.push({ ...move, stateBefore, stateAfter: state, before: plan.distance, options, tried, seen });
}

/** What was done after it, in the dialog that it had opened say, is undone with it. */
function undo(plan: Plan, index: number): void {
  const undone = plan.nodes.splice(index);
  plan.undone.push(...undone);
  plan.distance = undone[0]?.before ?? plan.distance;
  if (plan.unseen) plan.state = undone[0]?.stateBefore ?? "";
}

/** What is done next is another try from the same place. */
function isStalled({ before, after }: PlanNode): boolean {
  return before !== undefined && after !== undefined && after <= before;
}

/** The node that a move undoes, with all above it; -1 where it undoes none. */
function undoneBy(move: Move, plan: Plan): number {
  return plan.nodes.findLastIndex((node) => node.told?.kind === "revert" && isUndoneBy(move, node, plan));
}

/** Only right after the agent was told to: one that goes back and forth by itself is going in circles. */
function isUndoneBy(move: Move, { told, stateBefore, type, fingerprint }: PlanNode, plan: Plan): boolean {
  if (move.state !== "" && move.state === stateBefore) return true;
  if (told === undefined || actsSince(plan, told.at) > 0) return false;
  if (type() === "checkbox") return move.fingerprint.callsHash === fingerprint.callsHash;
  const words = move.step.calls.map(({ tool, args }) => goalWords(`${tool} ${args.slice(0, 2_000)}`)).join("|");
  return (undoing[type()] ?? []).some((phrase) => hasPhrase(words, phrase));
}

/** What one does to undo it; of other types only the state tells. */
const undoing: Partial<Readonly<Record<ActionType, readonly string[]>>> = {
  dialog: ["cancel", "close", "dismiss", "escape", "esc", "キャンセル", "閉じる", "取消", "关闭"],
  text: ["clear", "delete", "backspace", "ctrl a", "control a", "select all"],
  menu: ["escape", "esc", "close"],
  window: ["close", "alt f4", "escape", "quit"],
};

/** Options of one place at most: a judge that always thinks of something new comes to an end. */
const MAX_OPTIONS = 8;

function addScore(plan: Plan, at: number, score: GoalScore): void {
  const { distance, before, open } = score;
  plan.falls = plan.distance !== undefined && distance < plan.distance ? plan.falls + 1 : 0;
  plan.distance = distance;
  plan.judged = { ...score, at };
  const node = plan.nodes.at(-1);
  if (node === undefined) return;
  node.before ??= before;
  node.after = distance;
  if (open === undefined) return;
  // What was suggested counts as tried, whatever the judge says later: it is not suggested twice.
  node.options = [...new Set([...node.options, ...open])].slice(0, MAX_OPTIONS);
  node.tried = node.options.filter((option) => node.tried.includes(option) || !open.includes(option));
}

function addNote(plan: Plan, { at, about, grade, course = {} }: Intervention): void {
  const { why, said, times: count = 1 } = course;
  if (grade === "cancel" && why !== undefined) plan.cancelled ??= { why, count };
  const node = plan.nodes.find((one) => one.at === about);
  if ((grade !== "option" && grade !== "revert") || node === undefined) return;
  node.told = { kind: grade, at };
  if (grade === "option") node.tried = node.options.filter((option) => node.tried.includes(option) || option === said);
}

/** So often the same state has come, or so often in a row the score has fallen, when a plan is given up. */
const SAME_STATE = 3;
const FALLS = 3;
/** A judgement of a state that lies further back is out of date. In acts. */
const LAG = 2;
/** Further tries from one place, where the judge does not say what is left. */
const UNNAMED_TRIES = 2;
const MAX_TOLD = 6;
/** What is done in a dialog, a menu or a window is gone with it. */
const coveringTypes: readonly ActionType[] = ["dialog", "menu", "window"];

/** Undefined where all stays as it is. */
export function goalChangeIn(
  plan: Plan,
  { total }: Pick<AdvisedRun, "total">,
  terms: PlanTerms,
): GoalChange | undefined {
  const newest = plan.moves.at(-1);
  if (newest === undefined) return undefined;
  const { judged, from } = plan;
  const heeded = judged !== undefined && actsSince(plan, judged.at) <= LAG ? judged : undefined;
  const ago = (at: number) => total - 1 - at;
  const score = judged === undefined ? {} : { after: judged.distance };
  const change = { count: 1, ago: 0, judgedAgo: ago(judged?.at ?? newest.at) };
  if (heeded?.met === true) return { ...change, kind: "met", loop: `met:${from}`, course: score };
  const reason = plan.cancelled ?? stuck(plan, terms, heeded);
  if (reason !== undefined) {
    const { why, count: times } = reason;
    const said = why === "falls" || why === "unreachable" ? { said: judged?.why ?? "" } : {};
    const agos = (nodes: readonly PlanNode[]) => nodes.slice(-MAX_TOLD).map(({ at }) => ago(at));
    const course = { ...score, why, times, ...said, tried: agos(plan.nodes), undone: agos(plan.undone) };
    // A plan that is given up for one reason is given up: another reason is no news.
    return { ...change, kind: "cancel", loop: `cancel:${from}`, course };
  }
  const next = heeded && nextMove(plan, heeded);
  if (heeded === undefined || next === undefined) return undefined;
  const { node, kind, option = "" } = next;
  const { before, after, at, fingerprint } = node;
  const scores = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  if (kind === "option") {
    const course = { ...scores, ...(option !== "" && { said: option }) };
    return { ...change, kind, loop: `option:${fingerprint.key}:${option}`, ago: ago(at), course };
  }
  const stands = stillShows(plan, coveringTypes.includes(node.type()) ? heeded.at : at);
  const course: PlanProgress = { ...scores, type: node.type(), ...(stands && { stands: true }) };
  return { ...change, kind, loop: `revert:${fingerprint.key}`, ago: ago(at), course };
}

type Judged = NonNullable<Plan["judged"]>;

function stuck({ nodes, acts, falls }: Plan, { maxSteps }: PlanTerms, judged: Judged | undefined): Plan["cancelled"] {
  const latest = nodes.at(-1)?.seen.at(-1);
  const same = nodes.flatMap(({ seen }) => seen).filter((state) => state === latest).length;
  if (same >= SAME_STATE) return { why: "state", count: same };
  if (judged !== undefined && falls >= FALLS) return { why: "falls", count: falls };
  if (acts >= maxSteps) return { why: "steps", count: acts };
  return judged?.reachable === false ? { why: "unreachable", count: 1 } : undefined;
}

/** For the latest action that was judged; undefined where it has brought the goal nearer, or it is too soon to say anything. */
function nextMove(plan: Plan, judged: Judged) {
  const { nodes } = plan;
  const index = nodes.findLastIndex(({ at }) => at <= judged.at);
  const node = nodes[index];
  if (node === undefined || !isStalled(node)) return undefined;
  // What it was told shows in what it does next, and that has not been judged yet.
  const toldAt = Math.max(-1, ...nodes.map(({ told }) => told?.at ?? -1));
  if (judged.at <= toldAt || (toldAt >= 0 && actsSince(plan, toldAt) === 0)) return undefined;
  // Something else was done before it was judged: that may turn out to be the better way, so it gets to be judged once.
  const before = nodes[index - 1];
  const isSecond = before !== undefined && isStalled(before) && before.at > toldAt;
  if (!isSecond && !stillShows(plan, judged.at)) return undefined;
  const option = node.options.find((one) => !nodes.some(({ tried }) => tried.includes(one)));
  const row = nodes.slice(nodes.findLastIndex((one, i) => i <= index && !isStalled(one)) + 1, index + 1);
  const tries = row.filter(({ told }) => told !== undefined).length;
  if (option !== undefined || (judged.open === undefined && tries < UNNAMED_TRIES))
    return { kind: "option" as const, node, option };
  // It is still open: nothing that was done since has led back to where it was opened.
  const covering = row.findLast(({ type, stateBefore }, i) => {
    const isBack = row.some(({ stateAfter }, j) => j > i && stateAfter !== "" && stateAfter === stateBefore);
    return !isBack && coveringTypes.includes(type());
  });
  // What was suggested after an action is a try from where that has led: with the action it is undone.
  const first = row[row.findLastIndex((_, i) => row[i - 1]?.told?.kind !== "option")];
  return { kind: "revert" as const, node: covering ?? first ?? node, option: "" };
}

/** Nothing has changed since: nothing but looking was done, or all steps from this one on have shown one and the same state. */
function stillShows(plan: Plan, from: number): boolean {
  const since = plan.moves.filter(({ at }) => at >= from);
  const [first] = since;
  return actsSince(plan, from) === 0 || (first?.state !== "" && since.every(({ state }) => state === first?.state));
}

function actsSince({ moves }: Pick<Plan, "moves">, at: number): number {
  return moves.filter((move) => move.at > at && !move.looks).length;
}

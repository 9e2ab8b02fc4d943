import { defineDetector, findingIn, type RawFinding } from "../detector.ts";
import { evidenceAt } from "../evidence.ts";
import type { CallFingerprint } from "../fingerprint/call-fingerprint.ts";
import type { OutcomeFingerprint } from "../fingerprint/outcome-fingerprint.ts";
import { LONG, relate } from "../relation.ts";
import { toolNames } from "../steps.ts";
import { type ActingStep, REACH, toolsIn, worksThroughList } from "../view.ts";

/**
 * Checks, by whatever command, that complain though something was changed between each and the next, back to the first that complained
 * as the last one does: of the same each time, or of one thing and another in turn. Oldest first.
 */
function unmovedChecks(actions: readonly ActingStep[], action: ActingStep): readonly ActingStep[] {
  if (!isComplaint(action)) return [];
  const row: ActingStep[] = [action];
  let between: ActingStep[] = [];
  let hasChanged = false;
  for (let i = actions.length - 2; i >= 0; i--) {
    const earlier = actions[i];
    if (earlier === undefined || actions[i + 1]?.userBefore === true) break;
    const isAlike = complainsAlike(earlier, action);
    if (isAlike && !hasChanged) break;
    if (isAlike) {
      row.unshift(earlier, ...between);
      [between, hasChanged] = [[], false];
    } else if (isComplaint(earlier)) between.unshift(earlier);
    else if (row.some(({ fingerprint }) => fingerprint.callsHash === earlier.fingerprint.callsHash)) break;
    hasChanged ||= isChange(earlier);
  }
  return row;
}

const isChange = ({ fingerprint: { calls } }: ActingStep): boolean =>
  calls.some(({ kind, outcome }) => kind === "write" && outcome?.failed === false);

function isComplaint({ fingerprint: { calls } }: ActingStep): boolean {
  const [call] = calls;
  if (calls.length !== 1 || call?.kind !== "other" || call.outcome === undefined) return false;
  const { failed, complains, words } = call.outcome;
  // A check that fails in a few words does not say of what.
  return failed ? words >= LONG : complains === true;
}

function complainsAlike({ fingerprint: a, work }: ActingStep, { fingerprint: b }: ActingStep): boolean {
  const [one, other] = [a.calls[0], b.calls[0]];
  if (one === undefined || other?.outcome === undefined || one.tool !== other.tool) return false;
  // So few words do not say of what: only the same ones, at the same check, are the same complaint.
  if (other.outcome.words < LONG) return one.hash === other.hash && one.outcome?.hash === other.outcome.hash;
  return relate(one, other, work).result < 1;
}

const LEAST = 3;

/** No progress: whatever is done, nothing new is told. `failing`: an error that no other try can mend; `unmoved`: the same complaint after each change. */
export const noProgress = defineDetector({
  name: "no-progress",
  grades: { failing: "refining", unmoved: "refining" },
  tells: { main: "novelty", failing: "answer", unmoved: "answer" },
  settings: {},
  detect({ action, actions }) {
    if (action === undefined) return [];
    return [...knownGround(actions, action), ...failing(actions, action), ...unmoved(actions, action)];
  },
});

/** Steps up to which a run has no history that speaks for it. */
const SHORT_RUN = 16;

/** What a run has to go round more for each time that its length has doubled: who takes more steps repeats more by chance. */
function chanceIn(action: ActingStep): number {
  return Math.max(0, Math.log2((action.at + 1) / SHORT_RUN));
}

function knownGround(actions: readonly ActingStep[], action: ActingStep): readonly RawFinding[] {
  const { sum, actions: adding } = evidenceAt(actions);
  const count = 1 + Math.floor(sum - chanceIn(action));
  // A row of equal calls that are answered alike has a detector of its own.
  const variants = new Set(adding.map(({ fingerprint: { callsHash, calls } }) => callsHash + shapesOf(calls)));
  if (count < LEAST || variants.size < 2 || worksThroughList(adding)) return [];
  const note = `${toolNames(action.fingerprint)}: nothing new in ${adding.length} steps`;
  return [findingIn(adding, { loop: `no-progress:${adding[0]?.fingerprint.callsHash}`, count, note })];
}

const shapesOf = (calls: readonly CallFingerprint[]): string =>
  calls
    .map(({ outcome }) => outcome?.shape)
    .sort()
    .join();

function failing(actions: readonly ActingStep[], action: ActingStep): readonly RawFinding[] {
  const answer = answerOf(action);
  if (answer?.cause === undefined || answer.cause === "transient") return [];
  const alike = sameErrors(actions, action, answer);
  const variants = new Set(alike.map(({ fingerprint }) => fingerprint.callsHash));
  if (variants.size < 2 || alike.length < LEAST || worksThroughList(alike)) return [];
  const tool = toolNames(action.fingerprint);
  const note = `${tool}: different calls, the same error, ${alike.length} times`;
  const loop = `no-progress:${tool}:${answer.cause}`;
  return [findingIn(alike, { grade: "failing", loop, tools: toolsIn([action]), note })];
}

function unmoved(actions: readonly ActingStep[], action: ActingStep): readonly RawFinding[] {
  const row = unmovedChecks(actions, action);
  const first = row.filter((check, i) => !row.slice(0, i).some((one) => complainsAlike(one, check)));
  // Of more than two things the others are work that goes on.
  const checks = first.length > 2 ? row.filter((check) => complainsAlike(check, action)) : row;
  const count = checks.length - (first.length === 2 ? 1 : 0);
  if (count < LEAST) return [];
  const note = `${toolNames(action.fingerprint)}: complains of what is known after each of ${count - 1} changes`;
  const loop = `no-progress:unmoved:${checks[0]?.fingerprint.callsHash}`;
  return [findingIn(checks, { grade: "unmoved", loop, count, tools: toolsIn([action]), note })];
}

function answerOf({ fingerprint: { calls } }: ActingStep): OutcomeFingerprint | undefined {
  return calls.length === 1 ? calls[0]?.outcome : undefined;
}

/** Back to where the same tool answered something else, a change landed, or a user spoke; other tools may be barred in the same words. */
function sameErrors(
  actions: readonly ActingStep[],
  action: ActingStep,
  { cause, shape }: OutcomeFingerprint,
): readonly ActingStep[] {
  const matches: ActingStep[] = [];
  for (const earlier of actions.slice(-REACH).reverse()) {
    const answer = answerOf(earlier);
    const isSameTool = toolNames(earlier.fingerprint) === toolNames(action.fingerprint);
    if (
      answer !== undefined &&
      answer.cause === cause &&
      (isSameTool || cause === "unknown-tool" || answer.shape === shape)
    )
      matches.unshift(earlier);
    else if (isSameTool || cause === "unknown-tool" || earlier.landed) break;
    if (earlier.userBefore) break;
  }
  return matches;
}

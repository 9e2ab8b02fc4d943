import { detectorsThatNeed, type Finding, grades, saidOf } from "../engine/engine.ts";
import { budgetLadder } from "./budget.ts";
import { type Ladder, type Policy, type Rung, rungOf, type Stage, stages } from "./schema.ts";

type Graded = Pick<Finding, "detector" | "grade" | "tools" | "limit" | "wished">;

/** A turn is as patient as its most patient tool: a loop of one may be the work of another. What was wished for leads to a word at most. */
export function ladderFor(policy: Policy, finding: Graded): Ladder {
  const { nudge, ...more } = ladderWithoutWish(policy, finding);
  const word = nudge === undefined ? {} : { nudge };
  return finding.wished === true ? word : { ...word, ...more };
}

function ladderWithoutWish(policy: Policy, finding: Graded): Ladder {
  if (finding.limit !== undefined) return budgetLadder(policy, finding.limit) ?? {};
  if (finding.tools.length === 0) return ladderIn(policy.ladders, finding) ?? {};
  return finding.tools.map((tool) => ladderOf(tool, policy, finding)).reduce(mostLenient);
}

/** Ladder of a tool: its own, else that of its pattern, else that of all tools, else the policy's. */
function ladderOf(tool: string, { tools, ladders }: Policy, finding: Graded): Ladder {
  for (const terms of saidOf(tools, tool)) {
    const own = ladderIn(terms.ladders, finding);
    if (own !== undefined) return own;
  }
  return ladderIn(ladders, finding) ?? {};
}

/** An extra grade has no ladder but its own. */
function ladderIn(ladders: Policy["ladders"] | undefined, { detector, grade }: Graded): Ladder | undefined {
  const own = grade === undefined ? undefined : ladders?.[`${detector}:${grade}`];
  return own ?? (grade !== undefined && grades[detector][grade] === "extra" ? undefined : ladders?.[detector]);
}

/** The more lenient of two ladders: the higher count of each stage, without those that one of them lacks. A second nudge is a chance more. */
function mostLenient(a: Ladder, b: Ladder): Ladder {
  const isShared = (stage: Stage) => a[stage] !== undefined && b[stage] !== undefined;
  const shared = stages.filter((stage) => isShared(stage === "second-nudge" ? "nudge" : stage));
  const counts = shared.map((stage) => [stage, Math.max(a[stage] ?? 0, b[stage] ?? 0)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** @param above the rung that the loop has led to already, which may have come before its count */
function nextRung(
  policy: Policy,
  { count, ...finding }: Pick<Finding, "detector" | "grade" | "tools" | "count">,
  above?: Rung,
): { readonly rung: Rung; readonly at: number } | undefined {
  const ladder = ladderFor(policy, finding);
  const higher = above === undefined ? stages : stages.slice(stages.indexOf(above) + 1);
  const ahead = higher.map((stage) => ({ rung: rungOf(stage), at: ladder[stage] ?? 0 })).filter(({ at }) => at > count);
  return ahead.sort((a, b) => a.at - b.at)[0];
}

/** `due`: the rung that the count has reached, lower than `rung` where the model was told and went on; null where no count decided. */
export function placeOnLadder(
  policy: Policy,
  finding: Pick<Finding, "detector" | "grade" | "tools" | "count">,
  rung: Rung,
) {
  const { count, ...graded } = finding;
  const ladder = ladderFor(policy, graded);
  const stage = stages.findLast((one) => count >= (ladder[one] ?? Number.POSITIVE_INFINITY));
  const due = stage === undefined ? null : { rung: rungOf(stage), at: ladder[stage] ?? count };
  return { due, next: nextRung(policy, finding, rung) ?? null };
}

/** Whether it matters how often a request comes. */
export function watchesRetries({ ladders }: Policy): boolean {
  return detectorsThatNeed("arrivals").some((name) => Object.keys(ladders[name] ?? {}).length > 0);
}

/** Loop counter: how far a loop has got that nothing was done about at its latest step. Holds no text of the conversation. */
export interface LoopCounter extends Pick<Finding, "detector" | "loop" | "count" | "tools" | "note"> {
  readonly grade?: string;
  /** Repetitions, and how many of them lead to what comes next: `1/2`. */
  readonly repeats?: string;
  /** What comes next, and the count that leads to it. */
  readonly rung: Rung;
  readonly of: number;
}

/** The counter of the loop that is nearest to its next rung; undefined where nothing is counted. Budgets are told elsewhere. */
export function loopCounter(findings: readonly Finding[], policy: Policy): LoopCounter | undefined {
  let nearest: LoopCounter | undefined;
  for (const { detector, grade, loop, count, repeats, tools, note, limit } of findings) {
    const graded = { detector, tools, count, ...(grade === undefined ? {} : { grade }) };
    const next = limit === undefined ? nextRung(policy, graded) : undefined;
    if (next === undefined || (nearest !== undefined && nearest.of - nearest.count <= next.at - count)) continue;
    const again = repeats === undefined ? {} : { repeats: `${repeats}/${repeats + next.at - count}` };
    nearest = { ...graded, ...again, loop, note, rung: next.rung, of: next.at };
  }
  return nearest;
}

/** Warning: one more, and the run is forced to its end, or ended. */
export function isWarning({ rung, count, of }: LoopCounter): boolean {
  return rung !== "nudge" && count + 1 === of;
}

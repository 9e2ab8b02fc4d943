import { detectorsThatNeed, type Finding, grades } from "../engine/engine.ts";
import { budgetLadder } from "./budget.ts";
import { type Ladder, rungs } from "./rungs.ts";
import type { Policy } from "./terms.ts";

/**
 * The ladder that a finding stands on. A turn with several tools is as patient as its most patient tool: what looks like
 * a loop of one of them may be the ordinary work of another.
 */
export function ladderFor(policy: Policy, finding: Finding): Ladder {
  if (finding.limit !== undefined) return budgetLadder(policy, finding.limit) ?? {};
  if (finding.tools.length === 0) return ladderIn(policy.ladders, finding) ?? {};
  return finding.tools.map((tool) => ladderOf(tool, policy, finding)).reduce(mostLenient);
}

/** The tool's own, else that of all tools, else the policy's. */
function ladderOf(tool: string, { tools, ladders }: Policy, finding: Finding): Ladder {
  const own = Object.hasOwn(tools, tool) ? tools[tool]?.ladders : undefined;
  return ladderIn(own, finding) ?? ladderIn(tools["*"]?.ladders, finding) ?? ladderIn(ladders, finding) ?? {};
}

function ladderIn(ladders: Policy["ladders"] | undefined, { detector, grade }: Finding): Ladder | undefined {
  if (grade === undefined) return ladders?.[detector];
  const own = ladders?.[`${detector}:${grade}`];
  return own ?? (isExtra(detector, grade) ? undefined : ladders?.[detector]);
}

function isExtra(detector: Finding["detector"], grade: string): boolean {
  return grades[detector][grade] === "extra";
}

/** Of each rung the higher count; what one of them never reaches is never reached. */
function mostLenient(a: Ladder, b: Ladder): Ladder {
  const shared = rungs.filter((rung) => a[rung] !== undefined && b[rung] !== undefined);
  return Object.fromEntries(shared.map((rung) => [rung, Math.max(a[rung] ?? 0, b[rung] ?? 0)]));
}

/** Whether it matters how often a request comes. */
export function watchesRetries({ ladders }: Policy): boolean {
  return detectorsThatNeed("arrivals").some((name) => Object.keys(ladders[name] ?? {}).length > 0);
}

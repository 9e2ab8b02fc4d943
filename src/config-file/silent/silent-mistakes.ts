import type { Path, Problem } from "../../shapes/shapes.ts";
import type { ConfigFileText } from "../schema.ts";
import { accessMistakes } from "./access-mistakes.ts";
import { hiddenRules } from "./hidden-rules.ts";
import { policyMistakes } from "./policy-mistakes.ts";
import { unmatchedPatterns } from "./unmatched-patterns.ts";
import { wrongFilters } from "./wrong-filters.ts";
import { wrongUnits } from "./wrong-units.ts";
import { wrongUpstreams } from "./wrong-upstreams.ts";

/** What is no mistake by its form, and has no effect or another one than was meant; nothing would ever say so. */
export function silentMistakes(file: ConfigFileText): readonly Problem[] {
  const { rules = [], clients = [], alerts = [], admin: { tokens = [] } = {} } = file;
  return [
    ...unmatchedPatterns(file),
    ...hiddenRules(file),
    ...policyMistakes(file),
    ...accessMistakes(file),
    ...wrongUnits(file),
    ...wrongUpstreams(file),
    ...wrongFilters(file),
    ...twice(["rules"], rules),
    ...twice(["clients"], clients),
    ...twice(["alerts"], alerts),
    ...twice(["admin", "tokens"], tokens),
    ...uselessRollouts(file),
  ];
}

function twice(at: Path, list: readonly { readonly name: string }[]): readonly Problem[] {
  return list.flatMap(({ name }, i) =>
    list.findIndex((one) => one.name === name) < i
      ? [{ path: [...at, i, "name"], problem: "is that of an earlier one; names tell them apart." }]
      : [],
  );
}

function uselessRollouts({ mode: standard, rollout: share, rules = [] }: ConfigFileText): readonly Problem[] {
  const all = [
    { path: ["rollout"], rollout: share, mode: standard },
    ...rules.map(({ rollout, mode = standard }, i) => ({ path: ["rules", i, "rollout"], rollout, mode })),
  ];
  return all
    .filter(({ rollout, mode = "enforce" }) => rollout !== undefined && mode !== "enforce")
    .map(({ path, mode }) => ({
      path,
      problem: `has no effect in mode ${mode}; a rollout enforces a part, so set the mode to enforce.`,
    }));
}

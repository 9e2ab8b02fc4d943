import { presetNames, rungs } from "../../policy/policy.ts";
import { isMapping, type Path, type Problem } from "../../shapes/shapes.ts";
import type { ConfigFileText } from "../schema.ts";

/** What a policy says, and takes back or passes over itself. */
export function policyMistakes({ policies = {} }: ConfigFileText): readonly Problem[] {
  const names = namesOfPolicies(policies);
  return Object.entries(policies).flatMap(([name, policy], i) => {
    const path = ["policies", name];
    const isTaken = [...presetNames, ...names.slice(0, i)].includes(names[i] ?? "");
    const problem = "is another policy's, too; figures and journal could not tell them apart";
    return [
      ...reversed(path, policy),
      ...budgetsOff(path, policy),
      ...(isTaken && names[i] !== name ? [{ path: [...path, "name"], problem }] : []),
    ];
  });
}

/** As the journal, the figures and alerts name them. */
export function namesOfPolicies(policies: ConfigFileText["policies"] = {}): readonly string[] {
  return Object.entries(policies).map(([key, policy]) =>
    isMapping(policy) && typeof policy.name === "string" ? policy.name : key,
  );
}

/** A limit whose ladder is off limits nothing. */
function budgetsOff(path: Path, policy: unknown): readonly Problem[] {
  const { budget, ladders } = isMapping(policy) ? policy : {};
  if (!isMapping(budget) || !isMapping(ladders)) return [];
  return Object.keys(budget)
    .filter((kind) => budget[kind] !== null && (ladders[`budget:${kind}`] ?? ladders.budget) === "off")
    .map((kind) => ({
      path: [...path, "budget", kind],
      problem: "limits nothing: its ladder is off. Remove the one or the other",
    }));
}

/** Of the rungs that a ladder itself names each must come before the next, or it is passed over. */
function reversed(path: Path, value: unknown): readonly Problem[] {
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name !== "ladders") return name === "tools" || path.at(-1) === "tools" ? reversed([...path, name], inner) : [];
    return Object.entries(isMapping(inner) ? inner : {}).flatMap(([ladder, counts]) =>
      outOfOrder([...path, name, ladder], isMapping(counts) ? counts : {}),
    );
  });
}

function outOfOrder(path: Path, counts: Readonly<Record<string, unknown>>): readonly Problem[] {
  const given = rungs.flatMap((rung) => (typeof counts[rung] === "number" ? [[rung, counts[rung]] as const] : []));
  return given.flatMap(([rung, count], i) => {
    const [next, sooner] = given.slice(i + 1).find(([, other]) => other < count) ?? [];
    const problem = `is ${count}, and ${next} comes at ${sooner} already, so it is passed over; give it a lower number, or null`;
    return next === undefined ? [] : [{ path: [...path, rung], problem }];
  });
}

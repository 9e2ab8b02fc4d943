import { isMapping, type Problem } from "../shapes/shapes.ts";
import { baseNames, type PolicyLookup, policyOver, wrongBase } from "./policy-file.ts";
import { presetNamed, presetNames } from "./presets.ts";
import type { Policy } from "./policy-type.ts";

/**
 * Policies by name that extend presets and each other, whatever their order. @param texts each without mistakes of its own
 * @returns what is wrong between them, too: names that there are not, and policies that extend themselves
 */
export function policiesFrom(texts: Readonly<Record<string, unknown>>): {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly problems: readonly Problem[];
} {
  const names = [...presetNames, ...Object.keys(texts)];
  const problems: Problem[] = [];
  const policies = new Map<string, Policy>();
  const lookup: PolicyLookup = { names, named: (name) => presetNamed(name) ?? policies.get(name) };

  function resolve(name: string, below: readonly string[]): void {
    if (policies.has(name) || !Object.hasOwn(texts, name)) return;
    const { extends: bases = "default" } = fieldsOf(texts[name]);
    const at = [name, "extends"];
    if (below.includes(name)) {
      const [first = name] = below;
      problems.push({ path: [first, "extends"], problem: "goes in a circle: no policy may extend itself." });
      return;
    }
    for (const base of baseNames(bases)) {
      const wrong = wrongBase(base, names);
      if (wrong === undefined) resolve(base, [...below, name]);
      else problems.push({ path: at, problem: wrong });
    }
    if (policies.has(name)) return;
    const { policy, problems: whole } = policyOver({ name, ...fieldsOf(texts[name]) }, lookup);
    policies.set(name, policy);
    problems.push(...whole.map(({ path, problem }) => ({ path: [name, ...path], problem })));
  }

  for (const name of Object.keys(texts)) {
    if (presetNames.includes(name)) problems.push({ path: [name], problem: "is a preset's name; choose another." });
    else resolve(name, []);
  }
  return { policies, problems };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMapping(value) ? value : {};
}

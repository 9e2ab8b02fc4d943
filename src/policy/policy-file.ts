import { UnloopError } from "../errors.ts";
import { removedAs } from "../removed.ts";
import { meantInstead, shownValue } from "../text/nearest-name.ts";
import {
  check,
  fields,
  type InputShape,
  isMapping,
  type Path,
  pathText,
  type Problem,
  problemsIn,
  text,
} from "../shapes/shapes.ts";
import { limitedKinds, stages } from "./budget.ts";
import { bare, presetNamed, presetNames } from "./presets.ts";
import { policyFields, wholeFields } from "./schema.ts";
import type { Policy } from "./policy-type.ts";

/** Where policies are looked up that others extend. */
export interface PolicyLookup {
  readonly names: readonly string[];
  named(name: string): Policy | undefined;
}

const shipped: PolicyLookup = { names: presetNames, named: presetNamed };

/**
 * A policy from JSON: what it says, laid over the preset (or presets, in order) that it `extends`: `default` without it,
 * nothing at all with `null`. Objects are merged, lists and values replaced, `null` takes away.
 * @throws UnloopError `bad_setting`, with the place and the cure
 */
export function policyFrom(value: unknown): Policy {
  const [first] = problemsIn(policyOf(presetNames), value);
  if (first !== undefined) refuse(pathText(["policy", ...first.path]), first.problem);
  const { policy, problems } = policyOver(value, shipped);
  const [second] = problems;
  if (second !== undefined) refuse(pathText(["policy", ...second.path]), second.problem);
  return policy;
}

/**
 * A policy laid over those that it extends. @param value without mistakes of its own
 * @returns also what is wrong only with the policies below: their problems are no single field's
 */
export function policyOver(
  value: unknown,
  lookup: PolicyLookup,
): { readonly policy: Policy; readonly problems: readonly Problem[] } {
  const { extends: below = "default", ...overrides } = isMapping(value) ? value : {};
  const bases = basesOf(below, lookup).map(saidBy);
  const named = { name: "custom", ...overrides };
  // The one place that makes a policy of JSON: every field was looked at, and the base has those that must be there.
  const laidOut = settled([...bases, named].reduce<PolicyFields>(laid, { ...bare }));
  const whole = Object.entries(wholeFields).flatMap(([name, check]) =>
    laidOut[name] === undefined ? [] : problemsIn(check, laidOut[name], [name]),
  );
  const policy = laidOut as unknown as Policy;
  return {
    policy,
    problems: [...whole, ...unpriced(policy), ...waitsInVain(policy), ...passedOver(overrides, policy)],
  };
}

/** Each rung that is named must come before the harder ones, those of what is extended included, or it is never reached. */
function passedOver({ ladders, tools }: PolicyFields, policy: Policy): readonly Problem[] {
  const ofTools = Object.entries(isMapping(tools) ? tools : {});
  return [
    ...outOfOrder(["ladders"], ladders, policy.ladders),
    ...ofTools.flatMap(([tool, one]) =>
      outOfOrder(["tools", tool, "ladders"], isMapping(one) ? one.ladders : {}, policy.ladders),
    ),
  ];
}

function outOfOrder(
  path: Path,
  ladders: unknown,
  below: Readonly<Record<string, object | undefined>>,
): readonly Problem[] {
  return Object.entries(isMapping(ladders) ? ladders : {}).flatMap(([ladder, own]) => {
    if (!isMapping(own)) return [];
    const counts: PolicyFields = { ...below[ladder], ...own };
    const rungs = stages.flatMap((rung) => (typeof counts[rung] === "number" ? [{ rung, count: counts[rung] }] : []));
    return rungs.flatMap(({ rung, count }, i) => {
      const sooner = rungs.slice(i + 1).find((harder) => harder.count < count);
      if (sooner === undefined || typeof own[rung] !== "number") return [];
      const problem = `is ${count}, and ${sooner.rung} comes at ${sooner.count} already, so it is passed over; give it a lower number, or null.`;
      return [{ path: [...path, ladder, rung], problem }];
    });
  });
}

/** Without a price nothing would ever cost anything, and the limit would be none. */
function unpriced(policy: Policy): readonly Problem[] {
  const isFree = Object.keys(policy.prices ?? {}).length === 0;
  const problem = 'limits the cost, so it must also say "prices".';
  return isFree && limitedKinds(policy).has("cost") ? [{ path: [], problem }] : [];
}

/** A run's own upstream is asked behind its request, and only once that has gone there. */
function waitsInVain({ judge }: Policy): readonly Problem[] {
  if (judge?.wait === undefined || (judge.model === undefined && judge.asks === "goal")) return [];
  const problem = 'waits for the server\'s judge of a "goal" alone, so it must not say "model", nor ask anything else.';
  return [{ path: ["judge", "wait"], problem }];
}

/**
 * A policy as a setting says it: a preset's name, or JSON that begins with a brace. @param at what the operator calls the setting
 * @throws UnloopError `bad_setting`
 */
export function policyNamed(text: string, at = "policy"): Policy {
  const preset = presetNamed(text);
  if (preset !== undefined) return preset;
  if (text.trimStart().startsWith("{")) return policyFrom(parsed(text, at));
  const names = presetNames.join(", ");
  return refuse(at, `must be one of ${names}, or a policy as JSON, not ${shownValue(text, presetNames)}.`);
}

function refuse(at: string, problem: string): never {
  throw new UnloopError("bad_setting", `${at} ${problem}`);
}

type PolicyFields = Readonly<Record<string, unknown>>;

/** What a policy's JSON may be; the names that it extends are looked at later. */
export const policyShape: InputShape = policyOf(undefined);

/** @param names the policies that it may extend */
function policyOf(names: readonly string[] | undefined): InputShape {
  const shape = fields({ extends: extendsCheck(names), ...policyFields });
  return {
    ...shape,
    run(value, at, report) {
      shape.run(value, at, (problem) => report(withRemoved(problem, at.length)));
    },
  };
}

/** A field that a policy had is told as removed. @param depth where the policy's own fields begin in the path */
function withRemoved(problem: Problem, depth: number): Problem {
  const name = [...problem.path.slice(depth), problem.field].join(".");
  const gone = problem.field === undefined ? undefined : removedAs("policy", name);
  return gone === undefined
    ? problem
    : { ...problem, problem: `must not say "${problem.field}", which was removed: ${gone.instead}` };
}

function extendsCheck(names: readonly string[] | undefined): InputShape {
  const one = { type: "string" };
  const base = names === undefined ? text : check(one, (value) => wrongBase(value, names));
  return {
    schema: { anyOf: [one, { type: "array", items: one }, { type: "null" }] },
    run(value, path, report) {
      if (value === null) return;
      // What is wrong with one of a list is told of the list: its names are short.
      for (const name of Array.isArray(value) ? value : [value]) base.run(name, path, report);
    },
  };
}

export function wrongBase(value: unknown, names: readonly string[]): string | undefined {
  const presetList = presetNames.map((name) => `"${name}"`).join(", ");
  const others = names.length > presetNames.length ? ", or another policy of the file" : "";
  if (typeof value !== "string") return `must be one of ${presetList}${others}, a list of them, or null.`;
  if (names.includes(value)) return undefined;
  return `must be one of ${presetList}${others}, not ${shownValue(value, names)}${meantInstead(value, names)}`;
}

export function baseNames(below: unknown): readonly string[] {
  return (Array.isArray(below) ? below : [below]).filter((name) => typeof name === "string");
}

function basesOf(below: unknown, { named }: PolicyLookup): readonly Policy[] {
  return baseNames(below).flatMap((name) => named(name) ?? []);
}

/** What a preset says of its own: where two are laid over each other, the bare ground of one must not cover the other. */
function saidBy(policy: Policy): PolicyFields {
  const ground: PolicyFields = { ...bare };
  return Object.fromEntries(Object.entries(policy).filter(([name, value]) => value !== ground[name]));
}

/** A limit said above takes the place of the ladder that a preset below has for it. */
function laid(below: PolicyFields, above: PolicyFields): PolicyFields {
  if (!isMapping(above.budget) || !isMapping(below.ladders)) return merged(below, above);
  const limited = Object.keys(above.budget).map((kind) => `budget:${kind}`);
  const ladders = Object.entries(below.ladders).filter(([name]) => !limited.includes(name));
  return merged({ ...below, ladders: Object.fromEntries(ladders) }, above);
}

/** JSON Merge Patch (RFC 7396). */
function merged(below: unknown, above: PolicyFields): PolicyFields {
  const result = new Map(isMapping(below) ? Object.entries(below) : []);
  for (const [name, value] of Object.entries(above)) {
    if (value === null) result.delete(name);
    else result.set(name, isMapping(value) ? merged(result.get(name), value) : value);
  }
  return Object.fromEntries(result);
}

/** A ladder that is `off` is one without rungs: without a ladder at all a grade would go by its detector's main one. */
function settled(policy: PolicyFields): PolicyFields {
  const tools = isMapping(policy.tools) ? policy.tools : {};
  return {
    ...withLadders(policy),
    tools: Object.fromEntries(Object.entries(tools).map(([name, rule]) => [name, withLadders(rule)])),
  };
}

function withLadders(terms: unknown): PolicyFields {
  if (!isMapping(terms) || !isMapping(terms.ladders)) return isMapping(terms) ? terms : {};
  const ladders = Object.entries(terms.ladders).map(([name, ladder]) => [name, ladder === "off" ? {} : ladder]);
  return { ...terms, ladders: Object.fromEntries(ladders) };
}

function parsed(text: string, at: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the text.
    throw new UnloopError("bad_setting", `${at} looks like JSON, but is not valid JSON.`, { cause: error });
  }
}

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

import { UnloopError } from "../errors.ts";
import { removed } from "../removed.ts";
import { type InputShape, isMapping, overlay, pathText, type Problem, problemsIn, text } from "../shapes/shapes.ts";
import { meantInstead, shownValue } from "../text/nearest-name.ts";
import { limitedKinds } from "./budget.ts";
import { bare, presetNamed, presetNames } from "./presets.ts";
import { judgeShape, type Policy, policyFields, stages } from "./schema.ts";

const UNNAMED = "custom";

/** A policy from JSON, laid over what it `extends`, `default` without it: objects are merged, `null` takes away. @throws UnloopError `bad_setting` */
export function policyFrom(value: unknown): Policy {
  const own = problemsIn(policyShape, value);
  const { policies, problems } = policiesFrom(own.length === 0 ? { [UNNAMED]: value } : {});
  const [wrong] = [...own, ...problems.map(({ path, problem }) => ({ path: path.slice(1), problem }))];
  if (wrong !== undefined) refuse(pathText(["policy", ...wrong.path]), wrong.problem);
  return policies.get(UNNAMED) ?? bare;
}

type Policies = ReadonlyMap<string, Policy>;

/** Policies by name that extend presets and each other, whatever their order. @param texts each without mistakes of its own */
export function policiesFrom(texts: Readonly<Record<string, unknown>>): {
  readonly policies: Policies;
  readonly problems: readonly Problem[];
} {
  const own = Object.keys(texts);
  const problems: Problem[] = [];
  const policies = new Map<string, Policy>();

  function resolve(name: string, below: readonly string[]): void {
    if (policies.has(name) || !Object.hasOwn(texts, name)) return;
    const { extends: extended = "default", ...overrides } = mappingOf(texts[name]);
    if (below.includes(name)) {
      const [first = name] = below;
      problems.push({ path: [first, "extends"], problem: "goes in a circle: no policy may extend itself." });
      return;
    }
    const bases = [extended].flat().flatMap((base) => (base === null ? [] : String(base)));
    for (const base of bases) {
      const wrong = wrongBase(base, own);
      if (wrong === undefined) resolve(base, [...below, name]);
      else problems.push({ path: [name, "extends"], problem: wrong });
    }
    if (policies.has(name)) return;
    const found = bases.flatMap((base) => presetNamed(base) ?? policies.get(base) ?? []);
    const { policy, problems: whole } = laidOver(found, { name, ...overrides });
    policies.set(name, policy);
    problems.push(...whole.map(({ path, problem }) => ({ path: [name, ...path], problem })));
  }

  for (const name of own) {
    if (presetNames.includes(name)) problems.push({ path: [name], problem: "is a preset's name; choose another." });
    else resolve(name, []);
  }
  return { policies, problems };
}

function wrongBase(name: string, own: readonly string[]): string | undefined {
  const names = [...presetNames, ...own];
  if (names.includes(name)) return undefined;
  const presetList = presetNames.map((one) => `"${one}"`).join(", ");
  const others = own.length > 1 ? ", or another policy of the file" : "";
  return `must be one of ${presetList}${others}, not ${shownValue(name, names)}${meantInstead(name, names)}`;
}

/** A policy over those that it extends, with what is wrong only with these below it. */
function laidOver(bases: readonly Policy[], overrides: PolicyFields) {
  // The one place that makes a policy of JSON: every field was looked at, and the base has those that must be there.
  const laidOut = settled([...bases.map(saidBy), overrides].reduce<PolicyFields>(laid, { ...bare }));
  const policy = laidOut as unknown as Policy;
  const judge = policy.judge === undefined ? [] : problemsIn(judgeShape, policy.judge, ["judge"]);
  return {
    policy,
    problems: [...judge, ...unpriced(policy), ...waitsInVain(policy), ...passedOver(overrides, policy)],
  };
}

/** Each rung that is named must come before the harder ones, those of what is extended included, or it is never reached. */
function passedOver({ ladders, tools }: PolicyFields, policy: Policy): readonly Problem[] {
  const ofTools = Object.entries(mappingOf(tools)).map(
    ([tool, terms]) => [["tools", tool, "ladders"], mappingOf(terms).ladders] as const,
  );
  return [[["ladders"], ladders] as const, ...ofTools].flatMap(([path, all]) =>
    Object.entries(mappingOf(all)).flatMap(([ladder, said]) => {
      const own = mappingOf(said);
      const counts: PolicyFields = { ...mappingOf(mappingOf(policy.ladders)[ladder]), ...own };
      const rungs = stages.flatMap((rung) => (typeof counts[rung] === "number" ? [{ rung, count: counts[rung] }] : []));
      return rungs.flatMap(({ rung, count }, i) => {
        const sooner = rungs.slice(i + 1).find((harder) => harder.count < count);
        if (sooner === undefined || typeof own[rung] !== "number") return [];
        const problem = `is ${count}, and ${sooner.rung} comes at ${sooner.count} already, so it is passed over; give it a lower number, or null.`;
        return [{ path: [...path, ladder, rung], problem }];
      });
    }),
  );
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

/** A policy as a setting says it: a preset's name, JSON, or the policy itself. @param at what the operator calls the setting @throws UnloopError `bad_setting` */
export function policyNamed(text: string | Policy, at = "policy"): Policy {
  if (typeof text !== "string") return text;
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

const baseNames: InputShape = {
  narrows: "extends: default",
  schema: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }, { type: "null" }] },
  run(value, path, report) {
    // What is wrong with one of a list is told of the list: its names are short.
    if (value !== null) for (const name of [value].flat()) text.run(name, path, report);
  },
};

const shape = overlay({ extends: baseNames, ...policyFields });

/** What a policy's JSON may be; the names that it extends are looked at later. A field that a policy had is told as removed. */
export const policyShape: InputShape = {
  ...shape,
  run: (value, at, report) =>
    shape.run(value, at, (problem) => {
      const instead = problem.path.length === at.length && removed.get(problem.field ?? "");
      report(instead ? { ...problem, problem: `has no "${problem.field}" any more. ${instead}` } : problem);
    }),
};

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
  const result = new Map<string, unknown>(isMapping(below) ? Object.entries(below) : []);
  for (const [name, value] of Object.entries(above)) {
    if (value === null) result.delete(name);
    else result.set(name, isMapping(value) ? merged(result.get(name), value) : value);
  }
  return Object.fromEntries(result);
}

/** A ladder that is `off` is one without rungs: without a ladder at all a grade would go by its detector's main one. */
function settled(terms: PolicyFields): PolicyFields {
  const changed = (name: string, change: (value: unknown) => unknown): PolicyFields =>
    isMapping(terms[name])
      ? { [name]: Object.fromEntries(Object.entries(terms[name]).map(([key, value]) => [key, change(value)])) }
      : {};
  return {
    ...terms,
    ...changed("ladders", (ladder) => (ladder === "off" ? {} : ladder)),
    ...changed("tools", (tool) => settled(mappingOf(tool))),
  };
}

function parsed(text: string, at: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the text.
    const place = /position (\d+)/.exec(String(error))?.[1];
    const where = place === undefined ? "" : ` at character ${Number(place) + 1}`;
    const problem = `looks like JSON, but is not valid JSON${where}; check quotes, commas and braces.`;
    throw new UnloopError("bad_setting", `${at} ${problem}`, { cause: error });
  }
}

function mappingOf(value: unknown): PolicyFields {
  return isMapping(value) ? value : {};
}

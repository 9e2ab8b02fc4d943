import { nearestName } from "../nearest-name.ts";
import { UnloopError } from "../errors.ts";
import { limitedKinds } from "./budget.ts";
import { type Check, fields, isObject, refuse } from "./checks.ts";
import { presetNamed, presetNames } from "./presets.ts";
import { bare } from "./presets/bare.ts";
import { policyFields, wholeFields } from "./schema.ts";
import type { Policy } from "./terms.ts";

/**
 * A policy from JSON: what it says, laid over the preset (or presets, in order) that it `extends`: `default` without it,
 * nothing at all with `null`. Objects are merged, lists and values replaced, `null` takes away.
 * @throws UnloopError `bad_setting`, with the place and the cure
 */
export function policyFrom(value: unknown): Policy {
  check(value, "policy");
  if (!isObject(value)) return refuse("policy", "must be an object in braces.");
  const { extends: below = "default", ...said } = value;
  const bases = presetsIn(below).map(saidBy);
  const named = { name: "custom", ...said };
  // The one place that makes a policy of JSON: every field was looked at, and the base has those that must be there.
  const policy = settled([...bases, named].reduce<PolicyFields>(laid, { ...bare }));
  for (const [name, check] of Object.entries(wholeFields))
    if (policy[name] !== undefined) check(policy[name], `policy.${name}`);
  return priced(policy as unknown as Policy);
}

/** Without a price nothing would ever cost anything, and the limit would be none. */
function priced(policy: Policy): Policy {
  const isFree = Object.keys(policy.prices ?? {}).length === 0;
  if (isFree && limitedKinds(policy).has("cost")) refuse("policy", 'limits the cost, so it must also say "prices".');
  return policy;
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
  return refuse(at, `must be one of ${names}, or a policy as JSON, not ${JSON.stringify(text.slice(0, 40))}.`);
}

type PolicyFields = Readonly<Record<string, unknown>>;

const preset: Check = (value, at) => {
  const names = presetNames.map((name) => `"${name}"`).join(", ");
  if (typeof value !== "string") refuse(at, `must be one of ${names}, a list of them, or null.`);
  if (presetNamed(value) === undefined)
    refuse(at, `must be one of ${names}, not "${value}"; did you mean "${nearestName(value, presetNames)}"?`);
};

const check = fields({
  extends: (value, at) => {
    if (value !== null) for (const one of Array.isArray(value) ? value : [value]) preset(one, at);
  },
  ...policyFields,
});

function presetsIn(below: unknown): readonly Policy[] {
  const names: readonly unknown[] = Array.isArray(below) ? below : [below];
  return names.flatMap((name) => (typeof name === "string" ? (presetNamed(name) ?? []) : []));
}

/** What a preset says of its own: where two are laid over each other, the bare ground of one must not cover the other. */
function saidBy(policy: Policy): PolicyFields {
  const ground: PolicyFields = { ...bare };
  return Object.fromEntries(Object.entries(policy).filter(([name, value]) => value !== ground[name]));
}

/** A limit said above takes the place of the ladder that a preset below has for it. */
function laid(below: PolicyFields, above: PolicyFields): PolicyFields {
  if (!isObject(above.budget) || !isObject(below.ladders)) return merged(below, above);
  const limited = Object.keys(above.budget).map((kind) => `budget:${kind}`);
  const ladders = Object.entries(below.ladders).filter(([name]) => !limited.includes(name));
  return merged({ ...below, ladders: Object.fromEntries(ladders) }, above);
}

/** JSON Merge Patch (RFC 7396). */
function merged(below: unknown, above: PolicyFields): PolicyFields {
  const result = new Map(isObject(below) ? Object.entries(below) : []);
  for (const [name, value] of Object.entries(above)) {
    if (value === null) result.delete(name);
    else result.set(name, isObject(value) ? merged(result.get(name), value) : value);
  }
  return Object.fromEntries(result);
}

/** A ladder that is `off` is one without rungs: without a ladder at all a grade would go by its detector's main one. */
function settled(policy: PolicyFields): PolicyFields {
  const tools = isObject(policy.tools) ? policy.tools : {};
  return {
    ...withLadders(policy),
    tools: Object.fromEntries(Object.entries(tools).map(([name, rule]) => [name, withLadders(rule)])),
  };
}

function withLadders(terms: unknown): PolicyFields {
  if (!isObject(terms) || !isObject(terms.ladders)) return isObject(terms) ? terms : {};
  const ladders = Object.entries(terms.ladders).map(([name, ladder]) => [name, ladder === "off" ? {} : ladder]);
  return { ...terms, ladders: Object.fromEntries(ladders) };
}

function parsed(text: string, at: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UnloopError("bad_setting", `${at} begins like JSON and is none: ${why}.`, { cause: error });
  }
}

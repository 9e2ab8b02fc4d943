import { agentName, productOf } from "../agents/agents.ts";
import type { Policy } from "../policy/policy.ts";
import { globMatcher } from "../text/glob.ts";
import { hashText } from "../text/hash.ts";
import { withoutEndSlashes } from "../text/without-end-slashes.ts";
import type { Mode } from "./settings.ts";

/** Conditions of a rule; all that are given must hold, and of a list one entry. */
export interface RuleConditions
  extends Partial<Readonly<Record<"tenant" | "client" | "agent" | "model", Patterns | undefined>>> {
  readonly path?: string | undefined;
  readonly header?: Readonly<Record<string, string>> | undefined;
}

export interface Rule {
  readonly name: string;
  readonly when: RuleConditions;
  readonly terms: RuleTerms;
}

export interface RuleTerms {
  /** Undefined for the operator's defaults, which no rule chose. */
  readonly rule: string | undefined;
  readonly mode: Mode;
  readonly policy: Policy;
  /** Per cent of sessions that are enforced, the others observed; undefined: all are treated alike. */
  readonly rollout: number | undefined;
}

export interface RequestFacts {
  readonly path: string;
  header(name: string): string | undefined;
  readonly tenant: string | undefined;
  readonly client: string | undefined;
}

export type Choice =
  | { readonly terms: RuleTerms }
  | { readonly byModel: (model: string) => RuleTerms; readonly otherwise: RuleTerms };

interface Test {
  readonly says: string;
  readonly ofModel?: true;
  readonly holds: (facts: RequestFacts, model: string) => boolean;
}

export type Ruleset = ReturnType<typeof ruleset>;

/** Rules in order; the first that matches chooses, and `standard` where none does. */
export function ruleset(rules: readonly Rule[], standard: RuleTerms) {
  const compiled = rules.map(({ when, ...rule }) => ({ ...rule, tests: testsIn(when) }));
  const always: Choice = { terms: standard };
  /** The rules up to the first that matches, with the condition that decided. */
  const explain = (facts: RequestFacts, model: string) => {
    const considered: { readonly rule: string; readonly matched: boolean; readonly because: string }[] = [];
    for (const { name, terms, tests } of compiled) {
      const failed = tests.find(({ holds }) => !holds(facts, model));
      const all = tests.map(({ says }) => says).join(", ") || "it has no condition";
      const because = failed === undefined ? all : `not ${failed.says}`;
      considered.push({ rule: name, matched: failed === undefined, because });
      if (failed === undefined) return { terms, considered };
    }
    return { terms: standard, considered };
  };
  return {
    texts: rules.map(({ name, when, terms: { mode, policy, rollout } }) => ({
      ...{ name, when, policy: policy.name, mode },
      ...(rollout !== undefined && { rollout }),
    })),
    /** Those of the rules that a request of this tenant, with one of its clients' keys, may fall under. */
    policiesFor: (tenant: string, clients: readonly string[]) =>
      rules
        .filter(({ when }) => mayHold(when.tenant, [tenant]) && mayHold(when.client, clients))
        .map(({ terms }) => terms.policy.name),
    choose(facts: RequestFacts): Choice {
      const first = compiled.find(({ tests }) => tests.every(({ ofModel, holds }) => ofModel || holds(facts, "")));
      if (first === undefined) return always;
      if (!first.tests.some(({ ofModel }) => ofModel)) return { terms: first.terms };
      return { byModel: (model) => explain(facts, model).terms, otherwise: standard };
    },
    explain,
  };
}

function testsIn({ path, header = {}, tenant, client, agent, model }: RuleConditions): readonly Test[] {
  type Read = (facts: RequestFacts, model: string) => Patterns | undefined;
  const test = (what: string, patterns: Patterns | undefined, read: Read): readonly Test[] => {
    if (patterns === undefined) return [];
    const fits = anyOf(patterns);
    const says = `${what} ${[patterns].flat().join(" or ")}`;
    return [{ says, holds: (...asked) => [read(...asked) ?? ""].flat().some(fits) }];
  };
  return [
    ...(path === undefined
      ? []
      : [{ says: `path ${path}`, holds: (facts: RequestFacts) => isUnder(facts.path, path) }]),
    ...Object.entries(header).flatMap(([field, pattern]) =>
      test(`header ${field}:`, pattern, (facts) => facts.header(field.toLowerCase())),
    ),
    ...test("tenant", tenant, (facts) => facts.tenant),
    ...test("client", client, (facts) => facts.client),
    ...test("agent", agent, agentNames),
    ...test("model", model, (_, asked) => asked).map((one) => ({ ...one, ofModel: true as const })),
  ];
}

type Patterns = string | readonly string[];

/** Its name, and what its user agent says; an agent that names itself is known by that alone. */
function agentNames({ header }: RequestFacts): readonly string[] {
  const isNamed = header("x-unloop-agent") !== undefined;
  return [agentName(header), ...(isNamed ? [] : [productOf(header), header("user-agent") ?? ""])];
}

function anyOf(patterns: Patterns): (text: string) => boolean {
  const matchers = [patterns].flat().map(globMatcher);
  return (text) => text !== "" && matchers.some((matches) => matches(text));
}

function mayHold(patterns: Patterns | undefined, texts: readonly string[]): boolean {
  return patterns === undefined || texts.some(anyOf(patterns));
}

/** `/team` covers `/team` and `/team/v1`, and not `/teams`. */
export function isUnder(path: string, prefix: string): boolean {
  const base = withoutEndSlashes(prefix);
  return path.startsWith(base) && (path.length === base.length || path[base.length] === "/");
}

export type RolloutArm = "enforced" | "held-out";

/** The same on every replica, and independent of other rollouts; a larger percentage keeps those that a smaller one enforces. @param rollout a rule's name */
export function rolloutArm(session: string, rollout: string, percent: number): RolloutArm {
  return fractionOf(`${rollout}\u0000${session}`) * 100 < percent ? "enforced" : "held-out";
}

/** A hash with a final mix (murmur3's), as a number from 0 to 1. */
function fractionOf(text: string): number {
  let hash = hashText(text);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

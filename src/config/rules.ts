import { agentName, productOf } from "../agents/agents.ts";
import type { Policy } from "../policy/policy.ts";
import { globMatcher } from "../text/glob.ts";
import { withoutEndSlashes } from "../text/without-end-slashes.ts";
import type { Mode } from "./settings.ts";

/** Conditions of a rule; all that are given must hold, and of a list one entry. */
export interface RuleConditions {
  /** Beginning of the path, up to a slash. */
  readonly path?: string | undefined;
  /** Headers by name, each a pattern. */
  readonly header?: Readonly<Record<string, string>> | undefined;
  readonly tenant?: string | readonly string[] | undefined;
  readonly client?: string | readonly string[] | undefined;
  readonly agent?: string | readonly string[] | undefined;
  readonly model?: string | readonly string[] | undefined;
}

/** A rule of the configuration file, with its policy looked up. */
export interface Rule {
  readonly name: string;
  readonly when: RuleConditions;
  readonly terms: RuleTerms;
}

/** Terms that a rule chooses. */
export interface RuleTerms {
  /** Undefined for the operator's defaults, which no rule chose. */
  readonly rule: string | undefined;
  readonly mode: Mode;
  readonly policy: Policy;
  /** Per cent of sessions that are enforced, the others observed; undefined: all are treated alike. */
  readonly rollout: number | undefined;
}

/** Facts about a request that are known before its body is read. */
export interface RequestFacts {
  readonly path: string;
  header(name: string): string | undefined;
  readonly tenant: string | undefined;
  readonly client: string | undefined;
}

/** Terms that hold for a request, or that its model decides. */
export type Choice =
  | { readonly terms: RuleTerms }
  | { readonly byModel: (model: string) => RuleTerms; readonly otherwise: RuleTerms };

/** Why a rule was taken or passed over. */
export interface Considered {
  readonly rule: string;
  readonly matched: boolean;
  readonly because: string;
}

type Test = (facts: RequestFacts) => boolean;

interface CompiledRule {
  readonly name: string;
  readonly tests: readonly { readonly says: string; readonly holds: Test }[];
  readonly model: { readonly says: string; readonly holds: (model: string) => boolean } | undefined;
  readonly terms: RuleTerms;
}

export interface Ruleset {
  /** As they are written. */
  readonly texts: readonly object[];
  /** Names of the policies of those rules that a request of this tenant, with one of its clients' keys, may fall under. */
  policiesFor(tenant: string, clients: readonly string[]): readonly string[];
  choose(facts: RequestFacts): Choice;
  /** The rules in order, up to the first that matches, with the condition that decided. */
  explain(
    facts: RequestFacts,
    model: string,
  ): { readonly terms: RuleTerms; readonly considered: readonly Considered[] };
}

/** Rules in order; the first that matches chooses, and `standard` where none does. */
export function ruleset(rules: readonly Rule[], standard: RuleTerms): Ruleset {
  const compiled = rules.map(compile);
  const always: Choice = { terms: standard };
  return {
    texts: rules.map(({ name, when, terms: { mode, policy, rollout } }) => ({
      name,
      when,
      policy: policy.name,
      mode,
      ...(rollout !== undefined && { rollout }),
    })),
    policiesFor: (tenant, clients) =>
      rules
        .filter(({ when }) => mayHold(when.tenant, [tenant]) && mayHold(when.client, clients))
        .map(({ terms }) => terms.policy.name),
    choose(facts) {
      if (compiled.length === 0) return always;
      const candidates = compiled.filter(({ tests }) => tests.every(({ holds }) => holds(facts)));
      const [first] = candidates;
      if (first === undefined) return always;
      if (first.model === undefined) return { terms: first.terms };
      const byModel = (model: string) => candidates.find((rule) => rule.model?.holds(model) ?? true)?.terms ?? standard;
      return { byModel, otherwise: standard };
    },
    explain(facts, model) {
      const considered: Considered[] = [];
      for (const rule of compiled) {
        const because = failedCondition(rule, facts, model);
        considered.push({ rule: rule.name, matched: because === undefined, because: because ?? saysOf(rule) });
        if (because === undefined) return { terms: rule.terms, considered };
      }
      return { terms: standard, considered };
    },
  };
}

function failedCondition(
  { tests, model: byModel }: CompiledRule,
  facts: RequestFacts,
  model: string,
): string | undefined {
  const failed = tests.find(({ holds }) => !holds(facts));
  if (failed !== undefined) return `not ${failed.says}`;
  return byModel === undefined || byModel.holds(model) ? undefined : `not ${byModel.says}`;
}

function saysOf({ tests, model }: CompiledRule): string {
  const all = [...tests.map(({ says }) => says), ...(model === undefined ? [] : [model.says])];
  return all.length === 0 ? "it has no condition" : all.join(", ");
}

function compile({ name, when, terms }: Rule): CompiledRule {
  const { path, header = {}, tenant, client, agent, model } = when;
  const agentText = (
    what: string,
    patterns: string | readonly string[] | undefined,
    read: (facts: RequestFacts) => string | readonly string[],
  ) => {
    if (patterns === undefined) return [];
    const holds = anyOf(patterns);
    return [
      { says: `${what} ${patternList(patterns)}`, holds: (facts: RequestFacts) => [read(facts)].flat().some(holds) },
    ];
  };
  return {
    name,
    terms,
    tests: [
      ...(path === undefined
        ? []
        : [{ says: `path ${path}`, holds: ({ path: wanted }: RequestFacts) => isUnder(wanted, path) }]),
      ...Object.entries(header).flatMap(([field, pattern]) =>
        agentText(`header ${field}:`, pattern, (facts) => facts.header(field.toLowerCase()) ?? ""),
      ),
      ...agentText("tenant", tenant, (facts) => facts.tenant ?? ""),
      ...agentText("client", client, (facts) => facts.client ?? ""),
      ...agentText("agent", agent, agentNames),
    ],
    model: model === undefined ? undefined : { says: `model ${patternList(model)}`, holds: anyOf(model) },
  };
}

/** Its name, and what its user agent says; an agent that names itself is known by that alone. */
function agentNames({ header }: RequestFacts): readonly string[] {
  const isNamed = header("x-unloop-agent") !== undefined;
  return [agentName(header), ...(isNamed ? [] : [productOf(header), header("user-agent") ?? ""])];
}

function anyOf(patterns: string | readonly string[]): (text: string) => boolean {
  const matchers = [patterns].flat().map(globMatcher);
  return (text) => text !== "" && matchers.some((matches) => matches(text));
}

function mayHold(patterns: string | readonly string[] | undefined, texts: readonly string[]): boolean {
  return patterns === undefined || texts.some(anyOf(patterns));
}

function patternList(patterns: string | readonly string[]): string {
  return [patterns].flat().join(" or ");
}

/** `/team` covers `/team` and `/team/v1`, and not `/teams`. */
function isUnder(path: string, prefix: string): boolean {
  const base = withoutEndSlashes(prefix);
  return path.startsWith(base) && (path.length === base.length || path[base.length] === "/");
}

/** Side of a rollout by percentage. */
export type RolloutArm = "enforced" | "held-out";

/**
 * The side that a session is on: the same for all its requests, on every replica and after a restart, and independent
 * of the sides it is on in other rollouts. A larger percentage keeps those enforced that a smaller one enforces.
 * @param rollout what is rolled out, such as a rule's name
 */
export function rolloutArm(session: string, rollout: string, percent: number): RolloutArm {
  return fractionOf(`${rollout}\u0000${session}`) * 100 < percent ? "enforced" : "held-out";
}

/** FNV-1a over UTF-16 units with a final mix (murmur3's), as a number from 0 to 1. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

import type { SettingTexts } from "../config/config.ts";
import { detectorNames } from "../engine/engine.ts";
import { isMisspelt, knownInstead, nearestName } from "../text/nearest-name.ts";
import { type Policy, policiesFrom, presetNames } from "../policy/policy.ts";
import { type Path, pathText, type Problem, read } from "../shapes/shapes.ts";
import { type Located, parseLocated, type Place } from "./locate.ts";
import { type ConfigFileText, configFileShape, fieldNames } from "./schema.ts";
import { silentMistakes } from "./silent-mistakes.ts";

/** One mistake in a configuration file: its place, and a sentence that also says what would be right. */
export interface FileProblem extends Place {
  readonly message: string;
}

/** A configuration file without mistakes. */
export interface ConfigFile {
  /** Settings that it gives. */
  readonly settings: SettingTexts;
  readonly policies: ReadonlyMap<string, Policy>;
  readonly text: ConfigFileText;
  /** Of a mistake that only shows when the file is put to use, such as a secret that is not there. */
  problemAt(path: Path, problem: string): FileProblem;
}

export type ReadConfig = { readonly file: ConfigFile } | { readonly problems: readonly FileProblem[] };

/** More than any configuration, and less than what would hold up a process. In characters. */
const MAX_CHARS = 4_000_000;

/** Reads a configuration file: every mistake is told, and nothing is taken of a file that has one. */
export function readConfigFile(source: string): ReadConfig {
  if (source.length > MAX_CHARS) return { problems: [{ line: 1, column: 1, message: "The file is too long." }] };
  const located = parseLocated(source);
  if (located.errors.length > 0)
    return { problems: located.errors.map(({ place, problem }) => ({ ...place, message: `${problem}.` })) };
  return readLocated(located, silentMistakes);
}

/**
 * Reads a configuration that is a value already, as a Worker's bindings are: it has no lines. What is wrong in silence only
 * `check-config --worker` finds, which reads the file itself: that much weighs too much for a Worker.
 */
export function readConfigValue(value: unknown): ReadConfig {
  return readLocated({ value, errors: [], placeOf: () => ({ line: 1, column: 1 }) });
}

function readLocated(located: Located, further: (file: ConfigFileText) => readonly Problem[] = () => []): ReadConfig {
  const text = read(configFileShape, located.value);
  if ("problems" in text) return { problems: inOrder(text.problems, located) };
  const { policies, problems } = policiesFrom(text.value.policies ?? {});
  const wrong = [
    ...problems.map(({ path, problem }) => ({ path: ["policies", ...path], problem })),
    ...mistakesAcross(text.value),
    ...further(text.value),
  ];
  if (wrong.length > 0) return { problems: inOrder(wrong, located) };
  const file: ConfigFile = {
    settings: settingsOf(text.value),
    policies,
    text: text.value,
    problemAt: (path, problem) => problemAt(located, { path, problem }),
  };
  return { file };
}

function inOrder(problems: readonly Problem[], located: Located): readonly FileProblem[] {
  const known = fieldNames();
  return problems
    .map((problem) => problemAt(located, problem, known))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

/** A field that should not be there stands at its own place. */
function problemAt(located: Located, { path, problem, field }: Problem, known = fieldNames()): FileProblem {
  const place = located.placeOf(field === undefined ? path : [...path, field]);
  const at = path.length === 0 ? "The file" : pathText(path.map((part) => shownPart(part, known)));
  return { ...place, message: `${at} ${problem.replace(/([^.?])$/, "$1.")}` };
}

/** Names that the file itself chooses stand at its line; here, where a secret may have slipped in, a star does. */
function shownPart(part: string | number, known: ReadonlySet<string>): string | number {
  return typeof part === "number" || known.has(part) ? part : "*";
}

/** Mistakes that only show across fields. */
function mistakesAcross(file: ConfigFileText): readonly Problem[] {
  const { policy, policies = {}, rules = [], clients = [], admin, alerts = [], rollout, mode } = file;
  const policyNames = [...presetNames, ...Object.keys(policies)];
  const named = (path: Path, name: string | undefined) =>
    name === undefined ? [] : unknownName(path, name, "policy", policyNames);
  const tokens = admin?.tokens ?? [];
  return [
    ...named(["policy"], policy),
    ...rules.flatMap((rule, i) => named(["rules", i, "policy"], rule.policy)),
    ...clients.flatMap((client, i) => named(["clients", i, "policy"], client.policy)),
    ...alerts.flatMap((alert, i) => wrongFilters(["alerts", i], alert, { policies: policyNames, rules, clients })),
    ...twice("alerts", alerts),
    ...twice("rules", rules),
    ...twice("clients", clients),
    ...sameKey(clients),
    ...twice(["admin", "tokens"], tokens),
    ...rules.flatMap((rule, i) => uselessRollout(["rules", i, "rollout"], rule.rollout, rule.mode ?? mode)),
    ...uselessRollout(["rollout"], rollout, mode),
  ];
}

function unknownName(path: Path, name: string, kind: string, names: readonly string[]): readonly Problem[] {
  if (names.includes(name)) return [];
  const nearest = nearestName(name, names);
  // Of names that the file itself gives only the one that was likely meant is told.
  const published = names.filter((one) => presetNames.includes(one) || detectorNames.some((own) => own === one));
  const others = published.length > 0 ? knownInstead("", published) : "name one that there is.";
  const meant = nearest === undefined ? others : `did you mean ${JSON.stringify(nearest)}?`;
  const is = isMisspelt(name, names) ? `is ${JSON.stringify(name)}, which is not a` : "is not a";
  return [{ path, problem: `${is} ${kind}; ${meant}` }];
}

interface FilterNames {
  readonly policies: readonly string[];
  readonly rules: readonly { readonly name: string }[];
  readonly clients: readonly { readonly name: string; readonly tenant: string }[];
}

/** A filter that lets nothing through is a misspelt one. */
function wrongFilters(
  at: Path,
  alert: NonNullable<ConfigFileText["alerts"]>[number],
  { policies, rules, clients }: FilterNames,
): readonly Problem[] {
  const filters = [
    { field: "policies", values: alert.policies, kind: "policy", names: policies },
    { field: "rules", values: alert.rules, kind: "rule", names: ruleNames(rules, clients) },
    {
      field: "tenants",
      values: alert.tenants,
      kind: "tenant of a client key",
      names: clients.map(({ tenant }) => tenant),
    },
    { field: "detectors", values: alert.detectors, kind: "detector", names: [...detectorNames, "runaway-output"] },
  ];
  return filters.flatMap(({ field, values = [], kind, names }) =>
    values.flatMap((name, i) => unknownName([...at, field, i], name, kind, names)),
  );
}

/** Names of rules, those that client keys imply included. */
function ruleNames(rules: FilterNames["rules"], clients: FilterNames["clients"]): readonly string[] {
  return [...rules.map(({ name }) => name), ...clients.map(({ name }) => `client ${name}`)];
}

function twice(at: string | Path, list: readonly { readonly name: string }[]): readonly Problem[] {
  return list.flatMap(({ name }, i) =>
    list.findIndex((one) => one.name === name) < i
      ? [
          {
            path: [...[at].flat(), i, "name"],
            problem: "is that of an earlier one; names tell them apart.",
          },
        ]
      : [],
  );
}

function sameKey(clients: readonly { readonly sha256: string }[]): readonly Problem[] {
  return clients.flatMap(({ sha256 }, i) =>
    clients.findIndex((one) => one.sha256 === sha256) < i
      ? [{ path: ["clients", i, "sha256"], problem: "is another client's, too; each needs a key of its own." }]
      : [],
  );
}

function uselessRollout(path: Path, percent: number | undefined, mode: string | undefined): readonly Problem[] {
  if (percent !== undefined && percent > 0 && percent < 1)
    return [{ path, problem: "is less than one per cent; a tenth of the sessions is 10" }];
  return percent === undefined || mode === undefined || mode === "enforce"
    ? []
    : [{ path, problem: `has no effect in mode ${mode}; a rollout enforces a part, so set the mode to enforce.` }];
}

function settingsOf({ mode, policy, limits = {} }: ConfigFileText): SettingTexts {
  const numbers = Object.entries(limits).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return { ...(mode && { mode }), ...(policy && { policy }), ...Object.fromEntries(numbers) };
}

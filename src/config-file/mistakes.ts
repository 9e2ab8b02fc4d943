import { limitNames, settingsTable } from "../config/config.ts";
import { detectorNames } from "../engine/engine.ts";
import { type Policy, presetNames } from "../policy/policy.ts";
import { isMapping, type Path, type Problem } from "../shapes/shapes.ts";
import { globMatcher } from "../text/glob.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import { isMisspelt, knownInstead, nearestName } from "../text/nearest-name.ts";
import { hiddenRules } from "./hidden-rules.ts";
import type { ConfigFileText } from "./schema.ts";

/** @param policies those of the file, laid over what they extend */
type FindMistakes = (file: ConfigFileText, policies: ReadonlyMap<string, Policy>) => readonly Problem[];

/** What is no mistake by its form, and has no effect or another one than was meant; nothing would ever say so. */
const checks: readonly FindMistakes[] = [
  unmatchedNames,
  hiddenRules,
  namesTwice,
  sharedKeys,
  wrongUnits,
  ({ mode: standard, rollout, rules = [] }) =>
    [
      { at: ["rollout"], rollout, mode: standard },
      ...rules.map((rule, i) => ({ at: ["rules", i, "rollout"], ...rule })),
    ]
      .filter(({ rollout, mode = standard ?? "enforce" }) => rollout !== undefined && mode !== "enforce")
      .map(({ at, mode = standard }) => ({
        path: at,
        problem: `has no effect in mode ${mode}; a rollout enforces a part, so set the mode to enforce.`,
      })),
];

export const mistakesIn: FindMistakes = (...file) => checks.flatMap((find) => find(...file));

/** Policies that there are not. */
export function namesInVain({ policy, policies = {}, rules = [], clients = [] }: ConfigFileText): readonly Problem[] {
  const names = [...presetNames, ...Object.keys(policies)];
  const named = (path: Path, name: string | undefined) =>
    name === undefined ? [] : unknownName(path, name, "policy", names);
  return [
    ...named(["policy"], policy),
    ...rules.flatMap((rule, i) => named(["rules", i, "policy"], rule.policy)),
    ...clients.flatMap((client, i) => named(["clients", i, "policy"], client.policy)),
  ];
}

/** A name that stands for nothing, with what was probably meant. */
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

function namesTwice({ rules, clients, alerts, admin }: ConfigFileText): readonly Problem[] {
  const lists = [
    { at: ["rules"], list: rules },
    { at: ["clients"], list: clients },
    { at: ["alerts"], list: alerts },
    { at: ["admin", "tokens"], list: admin?.tokens },
  ];
  return lists.flatMap(({ at, list = [] }) => {
    const names = list.map(({ name }) => name);
    return names.flatMap((name, i) =>
      names.indexOf(name) < i
        ? [{ path: [...at, i, "name"], problem: "is that of an earlier one; names tell them apart." }]
        : [],
    );
  });
}

/** Whoever has an agent's key could otherwise be an operator. */
function sharedKeys({ clients = [], admin: { tokens = [] } = {} }: ConfigFileText): readonly Problem[] {
  const empty = sha256Hex("");
  const keys = [
    ...clients.map(({ sha256 }, i) => ({ path: ["clients", i, "sha256"], sha256 })),
    ...tokens.map(({ sha256 }, i) => ({ path: ["admin", "tokens", i, "sha256"], sha256 })),
  ].filter(({ sha256 }) => sha256 !== undefined);
  return keys.flatMap(({ path, sha256 }, i) => {
    if (sha256 === empty) return [{ path, problem: "is that of an empty text; `unloop keys create` makes a key" }];
    const isTaken = keys.findIndex((one) => one.sha256 === sha256) < i;
    return isTaken ? [{ path, problem: "is that of an earlier client or token; each needs a key of its own" }] : [];
  });
}

/** Numbers that are right by their form, and a thousand or a million times too small. */
function wrongUnits({ limits = {}, policies = {}, rollout, rules = [] }: ConfigFileText): readonly Problem[] {
  const small = (path: Path, percent = 0) =>
    percent > 0 && percent < 1 ? [{ path, problem: "is less than one per cent; a tenth of the sessions is 10" }] : [];
  return [
    ...small(["rollout"], rollout),
    ...rules.flatMap((rule, i) => small(["rules", i, "rollout"], rule.rollout)),
    ...limitNames.flatMap((name) => smallLimit(name, limits[name])),
    ...Object.entries(policies).flatMap(([name, policy]) => pricesOfTokens(["policies", name, "prices"], policy)),
  ];
}

const UNITS: readonly (readonly [end: RegExp, unit: string])[] = [
  [/Ms$/, "milliseconds, a thousandth of what is usual; a second is 1000"],
  [/Bytes$/, "bytes, a thousandth of what is usual; a megabyte is 1048576"],
];

/** Where nothing is the standard, in bytes. */
const USUAL_BODY = 33_554_432;

/** Nobody wants a thousandth of what is usual; whoever thinks of seconds or kilobytes writes it. */
function smallLimit(name: (typeof limitNames)[number], value = 0): readonly Problem[] {
  const unit = UNITS.find(([end]) => end.test(name))?.[1];
  const isSmall = value > 0 && value <= (settingsTable[name].standard || USUAL_BODY) / 1000;
  return unit !== undefined && isSmall ? [{ path: ["limits", name], problem: `is ${value} ${unit}` }] : [];
}

/** In the currency of the budget. No model's million costs so little. */
const LEAST_PRICE = 0.001;

function pricesOfTokens(path: Path, policy: unknown): readonly Problem[] {
  const prices = isMapping(policy) && isMapping(policy.prices) ? policy.prices : {};
  return Object.entries(prices).flatMap(([model, price]) =>
    Object.entries(isMapping(price) ? price : {}).flatMap(([kind, amount]) =>
      typeof amount === "number" && amount > 0 && amount < LEAST_PRICE
        ? [{ path: [...path, model, kind], problem: "is that of a token; write the price of a million tokens" }]
        : [],
    ),
  );
}

/** Rules and alerts for a tenant, a client key, a policy, a rule or a detector that there is not: nothing would ever fall under them. */
function unmatchedNames({
  rules = [],
  clients = [],
  alerts = [],
  policies = {},
  admin: { tokens = [] } = {},
}: ConfigFileText): readonly Problem[] {
  const clientNames = clients.map(({ name }) => name);
  const tenants = clients.map(({ tenant }) => tenant);
  // A team that may look in may get its first key later.
  const teams = [...tenants, ...tokens.flatMap(({ tenant = "*" }) => (tenant === "*" ? [] : [tenant]))];
  const own = Object.entries(policies).map(([key, policy]) => (isMapping(policy) ? String(policy.name ?? key) : key));
  const named = {
    policies: { kind: "policy", names: [...presetNames, ...own] },
    // Client keys imply some.
    rules: { kind: "rule", names: [...rules.map(({ name }) => name), ...clientNames.map((name) => `client ${name}`)] },
    tenants: { kind: "tenant of a client key", names: tenants },
    detectors: { kind: "detector", names: [...detectorNames, "runaway-output"] },
  };
  return [
    ...rules.flatMap(({ when: { tenant = [], client = [] } = {} }, i) => [
      ...unmatched(["rules", i, "when", "tenant"], tenant, "tenant of a client key or token", teams),
      ...unmatched(["rules", i, "when", "client"], client, "client key", clientNames),
    ]),
    ...alerts.flatMap((alert, i) =>
      (["policies", "rules", "tenants", "detectors"] as const).flatMap((field) =>
        (alert[field] ?? []).flatMap((name, j) =>
          unknownName(["alerts", i, field, j], name, named[field].kind, named[field].names),
        ),
      ),
    ),
  ];
}

function unmatched(
  path: Path,
  patterns: string | readonly string[],
  kind: string,
  names: readonly string[],
): readonly Problem[] {
  return [patterns].flat().flatMap((pattern, i) => {
    if (names.some(globMatcher(pattern))) return [];
    return unknownName(typeof patterns === "string" ? path : [...path, i], pattern, kind, names);
  });
}

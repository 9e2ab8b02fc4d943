import { isUnder, limitNames, settingsTable } from "../config/config.ts";
import { detectorNames } from "../engine/engine.ts";
import { presetNames } from "../policy/policy.ts";
import { isMapping, type Path, type Problem } from "../shapes/shapes.ts";
import { globMatcher } from "../text/glob.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import { isMisspelt, knownInstead, nearestName } from "../text/nearest-name.ts";
import type { ConfigFileText } from "./schema.ts";

/** What is no mistake by its form, and has no effect or another one than was meant; nothing would ever say so. */
export function mistakesIn(file: ConfigFileText): readonly Problem[] {
  return [unmatchedNames, hiddenRules, namesTwice, sharedKeys, wrongUnits, rolloutsInVain].flatMap((find) =>
    find(file),
  );
}

export function namesInVain({ policy, policies = {}, rules = [], clients = [] }: ConfigFileText): readonly Problem[] {
  const names = [...presetNames, ...Object.keys(policies)];
  const named = [
    { at: ["policy"], name: policy },
    ...rules.map((rule, i) => ({ at: ["rules", i, "policy"], name: rule.policy })),
    ...clients.map((client, i) => ({ at: ["clients", i, "policy"], name: client.policy })),
  ];
  return named.flatMap(({ at, name }) => (name === undefined ? [] : unknownName(at, name, "policy", names)));
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

function namesTwice({ rules = [], clients = [], alerts = [], admin }: ConfigFileText): readonly Problem[] {
  const lists = [
    { at: ["rules"], list: rules },
    { at: ["clients"], list: clients },
    { at: ["alerts"], list: alerts },
    { at: ["admin", "tokens"], list: admin?.tokens ?? [] },
  ];
  return lists.flatMap(({ at, list }) =>
    list.flatMap(({ name }, i) => {
      const isTaken = list.findIndex((one) => one.name === name) < i;
      const problem = "is that of an earlier one; names tell them apart.";
      return isTaken ? [{ path: [...at, i, "name"], problem }] : [];
    }),
  );
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

function rolloutsInVain({ mode: standard = "enforce", rollout, rules = [] }: ConfigFileText): readonly Problem[] {
  const all = [{ at: ["rollout"], rollout }, ...rules.map((rule, i) => ({ at: ["rules", i, "rollout"], ...rule }))];
  return all.flatMap(({ at, rollout: percent, ...rule }) => {
    const { mode = standard } = rule as { readonly mode?: string };
    const problem = `has no effect in mode ${mode}; a rollout enforces a part, so set the mode to enforce.`;
    return percent !== undefined && mode !== "enforce" ? [{ path: at, problem }] : [];
  });
}

const UNITS: readonly (readonly [end: RegExp, unit: string])[] = [
  [/Ms$/, "milliseconds, a thousandth of what is usual; a second is 1000"],
  [/Bytes$/, "bytes, a thousandth of what is usual; a megabyte is 1048576"],
];
/** Where nothing is the standard, in bytes. */
const USUAL_BODY = 33_554_432;
/** In the currency of the budget. No model's million tokens cost so little. */
const LEAST_PRICE = 0.001;

/** Numbers that are right by their form, and a thousand or a million times too small: whoever thinks of seconds or kilobytes writes them. */
function wrongUnits({ limits = {}, policies = {}, rollout, rules = [] }: ConfigFileText): readonly Problem[] {
  const small = (path: Path, value: unknown, most: number, problem: string) =>
    typeof value === "number" && value > 0 && value < most ? [{ path, problem }] : [];
  const percent = (path: Path, value: unknown) =>
    small(path, value, 1, "is less than one per cent; a tenth of the sessions is 10");
  const price = "is that of a token; write the price of a million tokens";
  return [
    ...percent(["rollout"], rollout),
    ...rules.flatMap((rule, i) => percent(["rules", i, "rollout"], rule.rollout)),
    ...limitNames.flatMap((name) => {
      const unit = UNITS.find(([end]) => end.test(name))?.[1];
      const most = unit === undefined ? 0 : (settingsTable[name].standard || USUAL_BODY) / 1000 + 1;
      return small(["limits", name], limits[name], most, `is ${limits[name]} ${unit}`);
    }),
    ...entriesIn(policies).flatMap(([name, policy]) =>
      entriesIn(entryIn(policy, "prices")).flatMap(([model, prices]) =>
        entriesIn(prices).flatMap(([kind, amount]) =>
          small(["policies", name, "prices", model, kind], amount, LEAST_PRICE, price),
        ),
      ),
    ),
  ];
}

const entriesIn = (value: unknown) => Object.entries(isMapping(value) ? value : {});
const entryIn = (value: unknown, name: string): unknown => (isMapping(value) ? value[name] : undefined);

/** Rules and alerts for a tenant, a client key, a policy, a rule or a detector that there is not: nothing would ever fall under them. */
function unmatchedNames({
  rules = [],
  clients = [],
  alerts = [],
  policies,
  admin,
}: ConfigFileText): readonly Problem[] {
  const clientNames = clients.map(({ name }) => name);
  const tenants = clients.map(({ tenant }) => tenant);
  // A team that may look in may get its first key later.
  const teams = [...tenants, ...(admin?.tokens ?? []).flatMap(({ tenant = "*" }) => (tenant === "*" ? [] : tenant))];
  const own = entriesIn(policies).map(([key, policy]) => String(entryIn(policy, "name") ?? key));
  // Client keys imply rules.
  const ruleNames = [...rules.map(({ name }) => name), ...clientNames.map((name) => `client ${name}`)];
  const known = {
    policies: { kind: "policy", names: [...presetNames, ...own] },
    rules: { kind: "rule", names: ruleNames },
    tenants: { kind: "tenant of a client key", names: tenants },
    detectors: { kind: "detector", names: [...detectorNames, "runaway-output"] },
  };
  const unmatched = (path: Path, patterns: Patterns = [], kind: string, names: readonly string[]) =>
    [patterns].flat().flatMap((pattern, i) => {
      const at = typeof patterns === "string" ? path : [...path, i];
      return names.some(globMatcher(pattern)) ? [] : unknownName(at, pattern, kind, names);
    });
  return [
    ...rules.flatMap(({ when }, i) => [
      ...unmatched(["rules", i, "when", "tenant"], when?.tenant, "tenant of a client key or token", teams),
      ...unmatched(["rules", i, "when", "client"], when?.client, "client key", clientNames),
    ]),
    ...alerts.flatMap((alert, i) =>
      (["policies", "rules", "tenants", "detectors"] as const).flatMap((field) =>
        (alert[field] ?? []).flatMap((name, j) =>
          name === "*" ? [] : unknownName(["alerts", i, field, j], name, known[field].kind, known[field].names),
        ),
      ),
    ),
  ];
}

type Patterns = string | readonly string[];
type When = NonNullable<NonNullable<ConfigFileText["rules"]>[number]["when"]>;

/** What falls under a rule, or under what a client key says of itself, falls under rules before it already. */
function hiddenRules({ rules = [], clients = [], rollout }: ConfigFileText): readonly Problem[] {
  const hidden = (path: Path, when: When, before: number, says: (by: string) => string) => {
    const own = when.client === undefined ? [] : clients.filter(({ name }) => takes(when.client, name));
    const tenants = own.length === 0 ? undefined : own.map(({ tenant }) => tenant);
    const first = rules.slice(0, before).findIndex((rule) => covers(rule.when ?? {}, when, tenants));
    return first === -1 ? [] : [{ path, problem: says(`rules[${first}] before it takes all that it would`) }];
  };
  return [
    ...rules.flatMap(({ when = {} }, i) =>
      hidden(["rules", i], when, i, (by) => `is never reached: ${by}. Move it up, or remove it.`),
    ),
    ...clients.flatMap(({ name, policy, mode }, i) => {
      const [field] = policy !== undefined ? ["policy"] : mode !== undefined ? ["mode"] : [];
      if (field === undefined) return [];
      const says = (by: string) => `has no effect: ${by}. Say it in a rule before that one, or remove it.`;
      return hidden(["clients", i, field], { client: name }, rules.length, says);
    }),
    ...(rollout === undefined
      ? []
      : hidden(["rollout"], {}, rules.length, () => "has no effect: a rule takes all requests. Say it in that rule.")),
  ];
}

/** Whether all that falls under a narrower condition falls under this one. @param tenants those of the narrower one's client keys */
function covers({ path, header = {}, tenant, ...texts }: When, narrower: When, tenants: Patterns | undefined): boolean {
  const fields = Object.entries(narrower.header ?? {}).map(([name, pattern]) => [name.toLowerCase(), pattern] as const);
  return (
    (path === undefined || isUnder(narrower.path ?? "", path)) &&
    Object.entries(header).every(([name, one]) => takes(one, new Map(fields).get(name.toLowerCase()))) &&
    (takes(tenant, narrower.tenant) || takes(tenant, tenants)) &&
    (["client", "agent", "model"] as const).every((name) => takes(texts[name], narrower[name]))
  );
}

/** Whether all that the narrower patterns take these do. A star in one is taken by a star alone. */
function takes(patterns: Patterns | undefined, narrower: Patterns | undefined): boolean {
  if (patterns === undefined) return true;
  const matchers = [patterns].flat().map(globMatcher);
  return narrower !== undefined && [narrower].flat().every((one) => matchers.some((matches) => matches(one)));
}

import { presetNames, stages } from "../../policy/policy.ts";
import { isMapping, type Path, type Problem } from "../../shapes/shapes.ts";
import { sha256Hex } from "../../text/keyed-hash.ts";
import type { ConfigFileText } from "../schema.ts";
import { hiddenRules } from "./hidden-rules.ts";
import { limitNames, settingsTable } from "../../config/config.ts";
import { detectorNames } from "../../engine/engine.ts";
import { globMatcher } from "../../text/glob.ts";
import { unknownName } from "../unknown-name.ts";

/** What is no mistake by its form, and has no effect or another one than was meant; nothing would ever say so. */
export function silentMistakes(file: ConfigFileText): readonly Problem[] {
  const { rules = [], clients = [], alerts = [], policies = {}, admin: { tokens = [], proxies = [] } = {} } = file;
  return [
    ...unknownNames(file),
    ...hiddenRules(file),
    ...Object.entries(policies).flatMap(([name, policy]) => reversedLadders(["policies", name], policy)),
    ...sameKeys(file),
    ...proxies.flatMap((network, i) => noNetwork(["admin", "proxies", i], network)),
    ...wrongUnits(file),
    ...twice(["rules"], rules),
    ...twice(["clients"], clients),
    ...twice(["alerts"], alerts),
    ...twice(["admin", "tokens"], tokens),
    ...uselessRollouts(file),
  ];
}

function twice(at: Path, list: readonly { readonly name: string }[]): readonly Problem[] {
  return list.flatMap(({ name }, i) =>
    list.findIndex((one) => one.name === name) < i
      ? [{ path: [...at, i, "name"], problem: "is that of an earlier one; names tell them apart." }]
      : [],
  );
}

/** Whoever has an agent's key could otherwise be an operator. */
function sameKeys({ clients = [], admin: { tokens = [] } = {} }: ConfigFileText): readonly Problem[] {
  const empty = sha256Hex("");
  const keys = [
    ...clients.map(({ sha256 }, i) => ({ path: ["clients", i, "sha256"], sha256 })),
    ...tokens.map(({ sha256 }, i) => ({ path: ["admin", "tokens", i, "sha256"], sha256 })),
  ].filter(({ sha256 }) => sha256 !== undefined);
  return keys.flatMap(({ path, sha256 }, i) => {
    if (sha256 === empty) return [{ path, problem: "is that of an empty text; `unloop client-key` makes a key" }];
    const isTaken = keys.findIndex((one) => one.sha256 === sha256) < i;
    return isTaken ? [{ path, problem: "is that of an earlier client or token; each needs a key of its own" }] : [];
  });
}

/** IPv4 or IPv6, with or without the bits of a network. */
function noNetwork(path: Path, network: string): readonly Problem[] {
  const [, ip = "", bits = 0] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(network) ?? [];
  const isV4 = /^\d+\.\d+\.\d+\.\d+$/.test(ip) && URL.canParse(`http://${ip}`) && Number(bits) <= 32;
  const isV6 = ip.includes(":") && URL.canParse(`http://[${ip}]`) && Number(bits) <= 128;
  if (!isV4 && !isV6) return [{ path, problem: "must be an IP address, or a network such as 10.0.0.0/24" }];
  const isAll = network.includes("/") && Number(bits) === 0;
  return isAll ? [{ path, problem: "is every address: anybody could say who they are. Name the proxy's" }] : [];
}

/** Of the rungs that a ladder itself names each must come before the next, or it is passed over. */
function reversedLadders(path: Path, value: unknown): readonly Problem[] {
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name !== "ladders")
      return name === "tools" || path.at(-1) === "tools" ? reversedLadders([...path, name], inner) : [];
    return Object.entries(isMapping(inner) ? inner : {}).flatMap(([ladder, counts]) =>
      outOfOrder([...path, name, ladder], isMapping(counts) ? counts : {}),
    );
  });
}

function outOfOrder(path: Path, counts: Readonly<Record<string, unknown>>): readonly Problem[] {
  const given = stages.flatMap((stage) => (typeof counts[stage] === "number" ? [[stage, counts[stage]] as const] : []));
  return given.flatMap(([rung, count], i) => {
    const [next, sooner] = given.slice(i + 1).find(([, other]) => other < count) ?? [];
    const problem = `is ${count}, and ${next} comes at ${sooner} already, so it is passed over; give it a lower number, or null`;
    return next === undefined ? [] : [{ path: [...path, rung], problem }];
  });
}

function uselessRollouts({ mode: standard, rollout: share, rules = [] }: ConfigFileText): readonly Problem[] {
  const all = [
    { path: ["rollout"], rollout: share, mode: standard },
    ...rules.map(({ rollout, mode = standard }, i) => ({ path: ["rules", i, "rollout"], rollout, mode })),
  ];
  return all
    .filter(({ rollout, mode = "enforce" }) => rollout !== undefined && mode !== "enforce")
    .map(({ path, mode }) => ({
      path,
      problem: `has no effect in mode ${mode}; a rollout enforces a part, so set the mode to enforce.`,
    }));
}

/** Numbers that are right by their form, and a thousand or a million times too small. */
function wrongUnits({ limits = {}, policies = {}, rollout, rules = [] }: ConfigFileText): readonly Problem[] {
  return [
    ...smallShare(["rollout"], rollout),
    ...rules.flatMap((rule, i) => smallShare(["rules", i, "rollout"], rule.rollout)),
    ...limitNames.flatMap((name) => smallLimit(name, limits[name])),
    ...Object.entries(policies).flatMap(([name, policy]) => pricesOfTokens(["policies", name, "prices"], policy)),
  ];
}

function smallShare(path: Path, percent = 0): readonly Problem[] {
  const problem = "is less than one per cent; a tenth of the sessions is 10";
  return percent > 0 && percent < 1 ? [{ path, problem }] : [];
}

const UNITS: readonly (readonly [end: RegExp, unit: string])[] = [
  [/Ms$/, "milliseconds, a thousandth of what is usual; a second is 1000"],
  [/Bytes$/, "bytes, a thousandth of what is usual; a megabyte is 1048576"],
];

/** Nobody wants a thousandth of what is usual; whoever thinks of seconds or kilobytes writes it. */
function smallLimit(name: (typeof limitNames)[number], value = 0): readonly Problem[] {
  const unit = UNITS.find(([end]) => end.test(name))?.[1];
  const isSmall = value > 0 && value <= Number(settingsTable[name].standard) / 1000;
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
function unknownNames({
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

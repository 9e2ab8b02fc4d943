import { globMatcher } from "../text/glob.ts";
import { nearestName } from "../text/nearest-name.ts";
import { detectorNames } from "../engine/engine.ts";
import { presetNames, rungs } from "../policy/policy.ts";
import { isMapping, type Path, type Problem } from "../shapes/shapes.ts";
import { hidden } from "./hidden-rules.ts";
import type { ConfigFileText } from "./schema.ts";
import { unknownName } from "./unknown-name.ts";

/** What is no mistake by its form, and has no effect or another one than was meant; nothing would ever say so. */
export function silentMistakes(file: ConfigFileText) {
  const { rules = [], clients = [], admin, policies = {}, limits = {}, alerts = [], rollout, mode } = file;
  const policyNames = [...presetNames, ...Object.keys(policies)];
  const tenants = clients.map(({ tenant }) => tenant);
  // A team that may look in may get its first key later.
  const teams = [...tenants, ...(admin?.tokens ?? []).flatMap(({ tenant = "*" }) => (tenant === "*" ? [] : [tenant]))];
  const names = clients.map(({ name }) => name);
  return [
    ...rules.flatMap((rule, i) => [
      ...unmatched(["rules", i, "when", "tenant"], rule.when?.tenant, teams, "tenant of a client key or token"),
      ...unmatched(["rules", i, "when", "client"], rule.when?.client, names, "client key"),
      ...hidden(rules, i),
    ]),
    ...(admin?.tokens ?? []).flatMap(({ tenant }, i) => misspelt(["admin", "tokens", i, "tenant"], tenant, tenants)),
    ...(admin?.proxies ?? []).flatMap((network, i) => noNetwork(["admin", "proxies", i], network)),
    ...(admin?.tokens ?? []).flatMap(({ group }, i) =>
      group === undefined || admin?.proxies?.length
        ? []
        : [{ path: ["admin", "tokens", i, "group"], problem: "is told by no proxy; name one in admin.proxies" }],
    ),
    ...Object.entries(policies).flatMap(([name, policy]) => reversed(["policies", name], policy)),
    ...overBudget(limits),
    ...twice("alerts", alerts),
    ...twice("rules", rules),
    ...twice("clients", clients),
    ...sameKey(clients),
    ...twice(["admin", "tokens"], admin?.tokens ?? []),
    ...alerts.flatMap((alert, i) => wrongFilters(["alerts", i], alert, { policies: policyNames, rules, clients })),
    ...rules.flatMap((rule, i) => uselessRollout(["rules", i, "rollout"], rule.rollout, rule.mode ?? mode)),
    ...uselessRollout(["rollout"], rollout, mode),
  ];
}

/** IPv4 or IPv6, with or without the bits of a network. */
function noNetwork(path: Path, network: string): readonly Problem[] {
  const [, ip = "", bits = 0] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(network) ?? [];
  const isV4 = /^\d+\.\d+\.\d+\.\d+$/.test(ip) && URL.canParse(`http://${ip}`) && Number(bits) <= 32;
  const isV6 = ip.includes(":") && URL.canParse(`http://[${ip}]`) && Number(bits) <= 128;
  return isV4 || isV6 ? [] : [{ path, problem: "must be an IP address, or a network such as 10.0.0.0/24" }];
}

/** Only a client key gives a request its tenant. */
function unmatched(
  path: Path,
  patterns: string | readonly string[] | undefined,
  names: readonly string[],
  kind: string,
): readonly Problem[] {
  return [patterns ?? []].flat().flatMap((pattern, i) => {
    if (names.some(globMatcher(pattern))) return [];
    const problem = `matches no ${kind} of this file${meant(pattern, names)}; correct it, or take it out`;
    return [{ path: typeof patterns === "string" ? path : [...path, i], problem }];
  });
}

/** A team may get its first key later; a name that is almost a client's tenant is a slip. */
function misspelt(path: Path, tenant: string | undefined, tenants: readonly string[]): readonly Problem[] {
  if (tenant === undefined || tenant === "*" || tenants.includes(tenant)) return [];
  const did = meant(tenant, tenants);
  return did === "" ? [] : [{ path, problem: `is no tenant of a client key${did}` }];
}

function meant(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
}

/** Of the rungs that a ladder itself names each must come before the next, or it is passed over. */
function reversed(path: Path, value: unknown): readonly Problem[] {
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name !== "ladders") return name === "tools" || path.at(-1) === "tools" ? reversed([...path, name], inner) : [];
    return Object.entries(isMapping(inner) ? inner : {}).flatMap(([ladder, counts]) =>
      outOfOrder([...path, name, ladder], isMapping(counts) ? counts : {}),
    );
  });
}

function outOfOrder(path: Path, counts: Readonly<Record<string, unknown>>): readonly Problem[] {
  const given = rungs.flatMap((rung) => (typeof counts[rung] === "number" ? [[rung, counts[rung]] as const] : []));
  return given.flatMap(([rung, count], i) => {
    const [next, sooner] = given.slice(i + 1).find(([, other]) => other < count) ?? [];
    const problem = `is ${count}, and ${next} comes at ${sooner} already, so it is passed over; give it a lower number, or null`;
    return next === undefined ? [] : [{ path: [...path, rung], problem }];
  });
}

function overBudget({
  maxBodyBytes = 0,
  bodyBudgetBytes = maxBodyBytes,
}: Readonly<Record<string, number | undefined>>) {
  const problem = `is ${maxBodyBytes}, above limits.bodyBudgetBytes (${bodyBudgetBytes}), which no such body could pass; lower it, or raise that`;
  return maxBodyBytes > bodyBudgetBytes ? [{ path: ["limits", "maxBodyBytes"], problem }] : [];
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

function uselessRollout(path: Path, percent: number | undefined, mode: string | undefined): readonly Problem[] {
  if (percent !== undefined && percent > 0 && percent < 1)
    return [{ path, problem: "is less than one per cent; a tenth of the sessions is 10" }];
  return percent === undefined || mode === undefined || mode === "enforce"
    ? []
    : [{ path, problem: `has no effect in mode ${mode}; a rollout enforces a part, so set the mode to enforce.` }];
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

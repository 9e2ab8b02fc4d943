import { detectorNames } from "../../engine/engine.ts";
import { presetNames } from "../../policy/policy.ts";
import { isMapping, type Path, type Problem } from "../../shapes/shapes.ts";
import { globMatcher } from "../../text/glob.ts";
import type { ConfigFileText } from "../schema.ts";
import { unknownName } from "../unknown-name.ts";

/** Rules and alerts for a tenant, a client key, a policy, a rule or a detector that there is not: nothing would ever fall under them. */
export function unknownNames({
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

import { detectorNames } from "../../engine/engine.ts";
import { presetNames } from "../../policy/policy.ts";
import type { Problem } from "../../shapes/shapes.ts";
import type { ConfigFileText } from "../schema.ts";
import { unknownName } from "../unknown-name.ts";
import { namesOfPolicies } from "./policy-mistakes.ts";

/** A filter of an alert that lets nothing through is a misspelt one. */
export function wrongFilters({ alerts = [], policies, rules = [], clients = [] }: ConfigFileText): readonly Problem[] {
  const known = {
    policies: { kind: "policy", names: [...presetNames, ...namesOfPolicies(policies)] },
    // Client keys imply some.
    rules: { kind: "rule", names: [...rules.map(({ name }) => name), ...clients.map(({ name }) => `client ${name}`)] },
    tenants: { kind: "tenant of a client key", names: clients.map(({ tenant }) => tenant) },
    detectors: { kind: "detector", names: [...detectorNames, "runaway-output"] },
  };
  return alerts.flatMap((alert, i) =>
    (["policies", "rules", "tenants", "detectors"] as const).flatMap((field) =>
      (alert[field] ?? []).flatMap((name, j) =>
        unknownName(["alerts", i, field, j], name, known[field].kind, known[field].names),
      ),
    ),
  );
}

import type { JsonSchema } from "../../../shapes/shapes.ts";
import { mode } from "./common.ts";
import { list, object, oneOf, orNull, text, time, yesNo } from "../json-schema.ts";

const reload = object({
  at: time("When."),
  ok: yesNo("Whether the file was applied; if not, the earlier configuration stays in force."),
  problems: list(text("One mistake, with its place and cure."), "What was wrong."),
  needsRestart: list(text("One limit."), "The changes in the file that need a restart."),
});

const status = object({
  version: text("The version of Unloop."),
  actor: text("The token's name; `loopback` if no token is needed."),
  role: oneOf(["read", "operate"], "What the token may do."),
  tenant: orNull(text("The only tenant that the token sees; null for all.")),
  mode,
  policy: text("The policy if no rule matches."),
  store: oneOf(["memory", "shared"], "Whether other processes share the sessions."),
  /** Null for a token of one tenant, too. */
  config: orNull(
    object({
      file: text("The configuration file."),
      lastReload: reload,
      lastSuccessAt: time("When a file was last applied."),
    }),
  ),
});

const configuration = object({
  mode,
  policy: text("The policy if no rule matches."),
  rules: list({ type: "object", description: "A rule as written in the file." }, "In order; the first match applies."),
  routes: list(
    object({ prefix: text("Beginning of the path."), upstream: text("The upstream's base URL.") }),
    "Upstreams by path prefix.",
  ),
  alerts: list(
    object(
      {
        name: text("Its name; `(UNLOOP_WEBHOOK_URL)` for the one from the environment."),
        on: list(text("An occasion."), "Which events send a message."),
        policies: list(text("A policy."), "Only under these policies."),
        rules: list(text("A rule."), "Only if one of these rules matched."),
        tenants: list(text("A tenant."), "Only for these tenants."),
        detectors: list(text("A detector."), "Only for loops that these detectors find."),
      },
      { optional: ["policies", "rules", "tenants", "detectors"] },
    ),
    "Destinations of alerts; no address, no secret.",
  ),
  clients: list(
    object({ name: text("The client key's name."), tenant: text("Its tenant.") }),
    "Client keys; no key, no hash.",
  ),
});

/** Of what is running. */
export const runningSchemas: Readonly<Record<string, JsonSchema>> = {
  Status: status,
  Configuration: configuration,
};

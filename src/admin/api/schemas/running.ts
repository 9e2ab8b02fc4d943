import type { JsonSchema } from "../../../json-schema.ts";
import { mode } from "./common.ts";
import { list, object, oneOf, orNull, text, time, yesNo } from "../json-schema.ts";

const reload = object({
  at: time("When."),
  ok: yesNo("Whether the file was taken; if not, the earlier configuration still holds."),
  problems: list(text("One mistake, with its place and cure."), "What was wrong."),
  needsRestart: list(text("One limit."), "What of the file holds only after a restart."),
});

const status = object({
  version: text("The version of Unloop."),
  actor: text("Who asks: the token's name; `loopback` where no token is needed."),
  role: oneOf(["read", "operate"], "What the token may do."),
  tenant: orNull(text("The only tenant that the token sees; null for all.")),
  mode,
  policy: text("The policy where no rule chooses one."),
  store: oneOf(["memory", "shared"], "Whether other processes share the sessions."),
  /** Null for a token of one tenant, too. */
  config: orNull(
    object({
      file: text("The configuration file."),
      lastReload: reload,
      lastSuccessAt: time("When a file was taken last."),
    }),
  ),
});

const configuration = object({
  mode,
  policy: text("The policy where no rule chooses one."),
  rules: list(
    { type: "object", description: "A rule as the file has it." },
    "In order; the first that matches chooses.",
  ),
  routes: list(
    object({ prefix: text("Beginning of the path."), upstream: text("Where it leads.") }),
    "Upstreams by path.",
  ),
  alerts: list(
    object(
      {
        name: text("Its name; `(UNLOOP_WEBHOOK_URL)` for that of the environment."),
        on: list(text("An occasion."), "What messages are sent for."),
        policies: list(text("A policy."), "Only under these."),
        rules: list(text("A rule."), "Only where one of these chose."),
        tenants: list(text("A tenant."), "Only for these."),
        detectors: list(text("A detector."), "Only for what these find."),
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

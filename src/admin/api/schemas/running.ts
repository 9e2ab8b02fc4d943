import type { JsonSchema } from "../../../shapes/shapes.ts";
import { mode } from "./common.ts";
import { listSchema, recordSchema, oneOfSchema, orNull, textSchema, time, wholeSchema, yesNo } from "../json-schema.ts";

const reload = recordSchema({
  at: time("When."),
  ok: yesNo("Whether the file was applied; if not, the earlier configuration stays in force."),
  problems: listSchema(textSchema("One mistake, with its place and cure."), "What was wrong."),
  needsRestart: listSchema(textSchema("One limit."), "The changes in the file that need a restart."),
});

const status = recordSchema({
  version: textSchema("The version of Unloop."),
  actor: textSchema("The token's name; `loopback` if no token is needed."),
  role: oneOfSchema(["read", "operate"], "What the token may do."),
  tenant: orNull(textSchema("The only tenant that the token sees; null for all.")),
  mode,
  policy: textSchema("The policy if no rule matches."),
  policies: listSchema(
    recordSchema({ name: textSchema("Its name."), source: oneOfSchema(["preset", "file"], "Where it comes from.") }),
    "Presets, and policies of the configuration file.",
  ),
  store: oneOfSchema(["memory", "shared"], "Whether other processes share the sessions."),
  warnings: listSchema(
    textSchema("What it is, and the cure."),
    "What is wrong with the deployment, such as an open relay.",
  ),
  /** Null for a token of one tenant, too. */
  config: orNull(
    recordSchema({
      file: textSchema("The configuration file."),
      revision: textSchema("Digest of the configuration in force; replicas that agree have the same one."),
      lastReload: reload,
      lastSuccessAt: time("When a file was last applied."),
    }),
  ),
  // Of all tenants: nothing of it to a token that is limited to one.
  "rules?": listSchema(
    { type: "object", description: "A rule as written in the file." },
    "In order; the first match applies.",
  ),
  "routes?": listSchema(
    recordSchema({ prefix: textSchema("Beginning of the path."), upstream: textSchema("The upstream's base URL.") }),
    "Upstreams by path prefix.",
  ),
  "alerts?": listSchema(
    recordSchema({
      name: textSchema("Its name."),
      on: listSchema(textSchema("An occasion."), "Which events send a message."),
      "policies?": listSchema(textSchema("A policy."), "Only under these policies."),
      "rules?": listSchema(textSchema("A rule."), "Only if one of these rules matched."),
      "tenants?": listSchema(textSchema("A tenant."), "Only for these tenants."),
      "detectors?": listSchema(textSchema("A detector."), "Only for loops that these detectors find."),
    }),
    "Destinations of alerts; no address, no secret.",
  ),
  "clients?": listSchema(
    recordSchema({
      name: textSchema("The client key's name."),
      tenant: textSchema("Its tenant."),
      "models?": { description: "Patterns of the models that it may ask; one, or a list." },
      "requestsPerMinute?": wholeSchema("Its limit."),
      expires: orNull(textSchema("From then on it is refused.")),
      lastUsed: orNull(textSchema("Its last request of the last 30 days, to the minute.")),
    }),
    "Client keys; no key, no hash.",
  ),
});

/** Schemas of the running configuration. */
export const runningSchemas: Readonly<Record<string, JsonSchema>> = {
  Status: status,
};

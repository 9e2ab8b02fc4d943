import { alertOccasions, limitNames, settingsTable } from "../config/config.ts";
import { policyShape } from "../policy/policy.ts";
import {
  anyText,
  baseUrl,
  check,
  described,
  type JsonSchema,
  list,
  matching,
  moment,
  narrows,
  networkOf,
  nullable,
  numberFrom,
  object,
  oneOfChoices,
  optional,
  pathPrefix,
  recordOf,
  textOr,
  type InputShape,
  type ValueOf,
  where,
  wholeNumberFrom,
  wrongKind,
  yesOrNo,
} from "../shapes/shapes.ts";

const EMPTY = "must not be empty";

const listOf = <Value>(one: InputShape<Value>) => list(one, "a list");
const mapping = <Value>(name: InputShape, value: InputShape<Value>) =>
  recordOf(name, value, { kind: "a mapping of names to values", nameAt: "entry" });

const name = matching(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits or any of _ . -");
const nameOrAll = matching(/^(?:\*|[\w.-]{1,64})$/, 'must be a tenant\'s name, or "*" for all of them');
const filled: InputShape<string> = check({ type: "string", minLength: 1 }, (value) =>
  typeof value === "string" ? (value === "" ? EMPTY : undefined) : wrongKind("a text in quotes", value),
);
const variable = matching(/^[A-Za-z_]\w*$/, "must be the name of a variable, without $ and braces");
function some<Value>(one: InputShape<Value>): InputShape<readonly Value[]> {
  const all = where(listOf(one), ({ length }) => length > 0, EMPTY);
  return { ...all, schema: { minItems: 1, ...all.schema } };
}

const patterns: InputShape<string | readonly string[]> = {
  schema: { anyOf: [filled.schema, { ...listOf(filled).schema, minItems: 1 }] },
  run: (value, at, report) => some(filled).run(typeof value === "string" ? [value] : value, at, report),
};
const mode = described(settingsTable.mode.shape, settingsTable.mode.about);
const policyName = described(anyText, "A preset, or a policy of this file.");
const percent = numberFrom(0, 100);
const sha256 = matching(
  /^[0-9a-f]{64}$/,
  "must be the SHA-256 of the key, as 64 hexadecimal digits; `unloop keys create` makes both",
);

const ELSEWHERE = "{ env: NAME } or { file: PATH }: where the secret stands";

const secret = where(
  object({ env: optional(variable), file: optional(filled) }, () => `must be ${ELSEWHERE}`),
  ({ env, file }) => (env === undefined) !== (file === undefined),
  `must be ${ELSEWHERE}`,
);

const policy = described(
  policyShape,
  "A policy, merged over those that it `extends` (presets, or policies of this file).",
);

const condition = (name: string, about: string) => narrows(optional(patterns, about), `${name}: "*"`);

const when = described(
  object({
    path: narrows(optional(pathPrefix, "Prefix of the request's path, up to a slash."), "path: /"),
    header: narrows(
      optional(mapping(anyText, narrows(filled, 'NAME: "*"')), "Headers, each with a pattern for its value."),
      "header: {}",
    ),
    tenant: condition("tenant", "Tenant of the client key."),
    client: condition("client", "Name of the client key."),
    agent: condition(
      "agent",
      "`x-unloop-agent`, or else the user agent: whole, or its first product without the version.",
    ),
    model: condition("model", "The model that the request names."),
  }),
  "All given conditions must hold. In patterns `*` stands for any characters; case does not matter.",
);

const rule = object({
  name,
  when: narrows(optional(when), "when: {}"),
  policy: narrows(optional(policyName), "policy: default"),
  mode: narrows(optional(mode), "mode: enforce"),
  rollout: narrows(
    optional(percent, "Percentage of sessions that are enforced; the others are observed."),
    "rollout: 100",
  ),
});

function orWord<Value, const Word extends string>(word: Word, shape: InputShape<Value>): InputShape<Value | Word> {
  return {
    schema: { anyOf: [shape.schema, { const: word }] },
    run: (value, at, report) => value !== word && shape.run(value, at, report),
  };
}

const client = object({
  name,
  tenant: described(name, "Sessions of different tenants are kept apart."),
  sha256: described(sha256, "SHA-256 of the key that the client sends."),
  policy: narrows(optional(policyName), "policy: default"),
  mode: narrows(optional(mode), "mode: enforce"),
  expires: narrows(
    optional(orWord("never", moment), "From then on the key is refused, and its use is in the audit."),
    "expires: never",
  ),
  models: narrows(optional(patterns, "Models that it may ask; without it, all."), 'models: "*"'),
  requestsPerMinute: narrows(
    optional(
      orWord("unlimited", wholeNumberFrom(1, 1_000_000)),
      "More are refused with 429; each replica counts its own requests.",
    ),
    "requestsPerMinute: unlimited",
  ),
  upstreamKey: optional(secret, "Sent upstream in place of the client's key."),
});

const token = where(
  object({
    name: described(name, "Appears in the journal as the actor."),
    role: oneOfChoices("metrics", "read", "operate"),
    tenant: narrows(
      optional(nameOrAll, "The only tenant that the token can see; without it, or with `*`, all of them."),
      'tenant: "*"',
    ),
    sha256: optional(sha256),
    env: optional(variable),
    file: optional(filled),
    group: optional(filled, "People of this group, in place of a token."),
  }),
  ({ sha256: hash, env, file, group }) => [hash, env, file, group].filter((one) => one !== undefined).length === 1,
  'must say one of "sha256", "env", "file" and "group": how the token is known',
);

const filter = (name: string, about: string) => narrows(optional(some(filled), about), `${name}: ["*"]`);

const alert = object({
  name: described(name, "Identifies the destination; after a reload, pending messages continue under the same name."),
  url: described(textOr(anyText, secret), "The webhook's address; Slack's incoming webhooks accept the messages."),
  secret: optional(secret, "Signs the messages (`x-unloop-signature`)."),
  on: optional(
    some(oneOfChoices(...alertOccasions)),
    "Which events send a message; `force-done`, `short-circuit` and `cut` by default.",
  ),
  policies: filter("policies", "Only under these policies."),
  rules: filter("rules", "Only if one of these rules matched."),
  tenants: filter("tenants", "Only for these tenants of client keys."),
  detectors: filter(
    "detectors",
    "Only for loops that these detectors find; `runaway-output` stands for answers that were cut off.",
  ),
});

const limits = object(
  Object.fromEntries(
    limitNames.map((limit) => [limit, optional(settingsTable[limit].shape, settingsTable[limit].about)] as const),
  ),
);

export const configFileShape = object(
  {
    $schema: optional(anyText),
    mode: narrows(optional(mode), "mode: enforce"),
    policy: narrows(optional(policyName), "policy: default"),
    rollout: narrows(optional(percent, "Percentage of sessions that are enforced if no rule matches."), "rollout: 100"),
    upstreams: narrows(
      optional(
        mapping(pathPrefix, narrows(nullable(baseUrl as InputShape<URL | string>), "PREFIX: null")),
        "Base URLs by path prefix; `/` is for all other paths. `null` takes one away.",
      ),
      "upstreams: {}",
    ),
    allowClientOverrides: optional(
      yesOrNo,
      "Clients may choose mode and policy, with the headers `x-unloop-mode` and `x-unloop-policy`.",
    ),
    policies: optional(mapping(name, policy)),
    rules: narrows(optional(listOf(rule), "In order; the first match sets policy and mode."), "rules: []"),
    clients: narrows(
      optional(listOf(client), "Client keys. If there are any, every request needs one."),
      "clients: []",
    ),
    admin: optional(
      object({
        tokens: narrows(optional(listOf(token)), "tokens: []"),
        proxies: optional(listOf(networkOf), "Identity proxies: addresses or networks such as 10.0.0.0/24."),
      }),
    ),
    alerts: optional(listOf(alert), "Webhooks, each with its filters."),
    limits: optional(limits),
  },
  wrongFile,
);

/** What is no configuration at all may be a file of secrets, or one in the middle of being written. */
function wrongFile(value: unknown): string {
  return (value ?? null) === null
    ? "is empty; a file that is to change nothing says {}"
    : "must be a mapping of names to values, such as `policy: default`";
}

export type ConfigFileText = ValueOf<typeof configFileShape>;

export function configJsonSchema(): JsonSchema {
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...configFileShape.schema };
}

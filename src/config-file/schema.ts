import { alertOccasions, limitNames, settingsTable } from "../config/config.ts";
import { policyShape } from "../policy/policy.ts";
import {
  anyText,
  baseUrl,
  check,
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
const mode = settingsTable.mode.shape;
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

const condition = (name: string) => narrows(optional(patterns), `${name}: "*"`);

/** All that are given must hold. */
const when = object({
  path: narrows(optional(pathPrefix), "path: /"),
  header: narrows(optional(mapping(anyText, narrows(filled, 'NAME: "*"'))), "header: {}"),
  tenant: condition("tenant"),
  client: condition("client"),
  agent: condition("agent"),
  model: condition("model"),
});

const rule = object({
  name,
  when: narrows(optional(when), "when: {}"),
  policy: narrows(optional(anyText), "policy: default"),
  mode: narrows(optional(mode), "mode: enforce"),
  rollout: narrows(optional(percent), "rollout: 100"),
});

function orWord<Value, const Word extends string>(word: Word, shape: InputShape<Value>): InputShape<Value | Word> {
  return {
    schema: { anyOf: [shape.schema, { const: word }] },
    run: (value, at, report) => value !== word && shape.run(value, at, report),
  };
}

const client = object({
  name,
  tenant: name,
  sha256,
  policy: narrows(optional(anyText), "policy: default"),
  mode: narrows(optional(mode), "mode: enforce"),
  expires: narrows(optional(orWord("never", moment)), "expires: never"),
  models: narrows(optional(patterns), 'models: "*"'),
  requestsPerMinute: narrows(
    optional(orWord("unlimited", wholeNumberFrom(1, 1_000_000))),
    "requestsPerMinute: unlimited",
  ),
  upstreamKey: optional(secret),
});

const token = where(
  object({
    name,
    role: oneOfChoices("metrics", "read", "operate"),
    tenant: narrows(optional(nameOrAll), 'tenant: "*"'),
    sha256: optional(sha256),
    env: optional(variable),
    file: optional(filled),
    group: optional(filled),
  }),
  ({ sha256: hash, env, file, group }) => [hash, env, file, group].filter((one) => one !== undefined).length === 1,
  'must say one of "sha256", "env", "file" and "group": how the token is known',
);

const filter = (name: string) => narrows(optional(some(filled)), `${name}: ["*"]`);

const alert = object({
  name,
  url: textOr(anyText, secret),
  secret: optional(secret),
  on: optional(some(oneOfChoices(...alertOccasions))),
  policies: filter("policies"),
  rules: filter("rules"),
  tenants: filter("tenants"),
  detectors: filter("detectors"),
});

const limits = object(
  Object.fromEntries(limitNames.map((limit) => [limit, optional(settingsTable[limit].shape)] as const)),
);

export const configFileShape = object(
  {
    $schema: optional(anyText),
    mode: narrows(optional(mode), "mode: enforce"),
    policy: narrows(optional(anyText), "policy: default"),
    rollout: narrows(optional(percent), "rollout: 100"),
    upstreams: narrows(
      optional(mapping(pathPrefix, narrows(nullable(baseUrl as InputShape<URL | string>), "PREFIX: null"))),
      "upstreams: {}",
    ),
    allowClientOverrides: optional(yesOrNo),
    policies: optional(mapping(name, policyShape)),
    rules: narrows(optional(listOf(rule)), "rules: []"),
    clients: narrows(optional(listOf(client)), "clients: []"),
    admin: optional(
      object({ tokens: narrows(optional(listOf(token)), "tokens: []"), proxies: optional(listOf(networkOf)) }),
    ),
    alerts: optional(listOf(alert)),
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

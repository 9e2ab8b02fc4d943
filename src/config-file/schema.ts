import { alertOccasions, limitNames, settingsTable } from "../config/config.ts";
import { policyShape } from "../policy/policy.ts";
import {
  anyText,
  check,
  described,
  isMapping,
  type JsonSchema,
  list,
  numberOrKind,
  object,
  oneOfChoices,
  optional,
  recordOf,
  textOr,
  type InputShape,
  type ValueOf,
  where,
  wrongKind,
  yesOrNo,
} from "../shapes/shapes.ts";

const TEXT = "a text in quotes";
const EMPTY = "must not be empty";

function matching(pattern: RegExp, problem: string): InputShape<string> {
  return check({ type: "string", pattern: pattern.source }, (value) =>
    typeof value === "string" ? (pattern.test(value) ? undefined : problem) : wrongKind(TEXT, value),
  );
}

function choice<const Choice extends string>(choices: readonly Choice[]): InputShape<Choice> {
  return { ...oneOfChoices(...choices), schema: { type: "string", enum: choices } };
}

function number(type: "number" | "integer", least: number, most: number, of = ""): InputShape<number> {
  return check({ type, minimum: least, maximum: most }, (value) => {
    if (typeof value !== "number") return `must be a number${of}, not ${numberOrKind(value)}.`;
    if (!Number.isFinite(value)) return `must be a finite number${of}`;
    if (type === "integer" && !Number.isInteger(value)) return `must be a whole number, not ${value}`;
    if (value < least) return `must be at least ${least}, not ${numberOrKind(value)}`;
    return value > most ? `must be at most ${most}, not ${numberOrKind(value)}` : undefined;
  });
}

const listOf = <Value>(one: InputShape<Value>) => list(one, "a list");
const mapping = <Value>(name: InputShape, value: InputShape<Value>) =>
  recordOf(name, value, { kind: "a mapping of names to values", nameAt: "entry" });

const name = matching(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits or any of _ . -");
const nameOrAll = matching(/^(?:\*|[\w.-]{1,64})$/, 'must be a tenant\'s name, or "*" for all of them');
const path = matching(/^\/[\w./~-]*$/, "must be the beginning of a path, such as /team-a");
const filled: InputShape<string> = check({ type: "string", minLength: 1 }, (value) =>
  typeof value === "string" ? (value === "" ? EMPTY : undefined) : wrongKind(TEXT, value),
);
const variable = matching(/^[A-Za-z_]\w*$/, "must be the name of a variable, without $ and braces");
/** At least one. */
function some<Value>(one: InputShape<Value>): InputShape<readonly Value[]> {
  const all = where(listOf(one), ({ length }) => length > 0, EMPTY);
  return { ...all, schema: { minItems: 1, ...all.schema } };
}

/** One pattern or a list of them. */
const patterns: InputShape<string | readonly string[]> = {
  schema: { anyOf: [filled.schema, { ...listOf(filled).schema, minItems: 1 }] },
  run: (value, at, report) => some(filled).run(typeof value === "string" ? [value] : value, at, report),
};
const mode = described(
  choice(["enforce", "observe", "off"]),
  "`enforce` intervenes; `observe` only reports what it would do; `off` passes everything through unread.",
);
const policyName = described(anyText, "A preset, or a policy of this file.");
const percent = number("number", 0, 100, " from 0 to 100");
const sha256 = matching(
  /^[0-9a-f]{64}$/,
  "must be the SHA-256 of the key, as 64 hexadecimal digits; `unloop client-key` makes both",
);

const ELSEWHERE = "{ env: NAME } or { file: PATH }: where the secret stands";

/** A secret that stands elsewhere: the file itself holds none. */
const secret = where(
  object({ env: optional(variable), file: optional(filled) }, () => `must be ${ELSEWHERE}`),
  ({ env, file }) => (env === undefined) !== (file === undefined),
  `must be ${ELSEWHERE}`,
);

/** An address that may be a secret by itself. */
const address = textOr(anyText, {
  ...secret,
  run(value, at, report) {
    if (isMapping(value)) secret.run(value, at, report);
    else
      report({
        path: at,
        problem: `must be a whole http or https URL, or ${ELSEWHERE}`,
      });
  },
});

const policy: InputShape = {
  ...policyShape,
  schema: {
    description: "A policy, merged over those that it `extends` (presets, or policies of this file).",
    ...policyShape.schema,
  },
};

const when = described(
  object({
    path: optional(path, "Prefix of the request's path, up to a slash."),
    header: optional(mapping(anyText, filled), "Headers, each with a pattern for its value."),
    tenant: optional(patterns, "Tenant of the client key."),
    client: optional(patterns, "Name of the client key."),
    agent: optional(
      patterns,
      "`x-unloop-agent`, or else the user agent: whole, or its first product without the version.",
    ),
    model: optional(patterns, "The model that the request names."),
  }),
  "All given conditions must hold. In patterns `*` stands for any characters; case does not matter.",
);

const rule = object({
  name,
  when: optional(when),
  policy: optional(policyName),
  mode: optional(mode),
  rollout: optional(percent, "Percentage of sessions that are enforced; the others are observed."),
});

function isoDay(day: string): string {
  const time = Date.parse(day);
  return Number.isNaN(time) ? "" : new Date(time).toISOString().slice(0, 10);
}

/** A date, or a time in UTC or with its offset. */
const moment = where(
  matching(
    /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/,
    "must be a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z",
  ),
  // Of days that there are not some are taken for those behind them.
  (text) => isoDay(text.slice(0, 10)) === text.slice(0, 10) && !Number.isNaN(Date.parse(text)),
  "must be a day and a time that there are",
);

const client = object({
  name,
  tenant: described(name, "Sessions of different tenants are kept apart."),
  sha256: described(sha256, "SHA-256 of the key that the client sends."),
  policy: optional(policyName),
  mode: optional(mode),
  expires: optional(moment, "From then on the key is refused, and its use is in the audit."),
  models: optional(patterns, "Models that it may ask; without it, all."),
  requestsPerMinute: optional(
    number("integer", 1, 1_000_000),
    "More are refused with 429; each replica counts its own requests.",
  ),
  upstreamKey: optional(secret, "Sent upstream in place of the client's key."),
});

const token = where(
  object({
    name: described(name, "Appears in the journal as the actor."),
    role: choice(["metrics", "read", "operate"]),
    tenant: optional(nameOrAll, "The only tenant that the token can see; without it, or with `*`, all of them."),
    sha256: optional(sha256),
    env: optional(variable),
    file: optional(filled),
    group: optional(filled, "People of this group, in place of a token."),
  }),
  ({ sha256: hash, env, file, group }) => [hash, env, file, group].filter((one) => one !== undefined).length === 1,
  'must say one of "sha256", "env", "file" and "group": how the token is known',
);

const alert = object({
  name: described(name, "Identifies the destination; after a reload, pending messages continue under the same name."),
  url: described(address, "The webhook's address; Slack's incoming webhooks accept the messages."),
  secret: optional(secret, "Signs the messages (`x-unloop-signature`)."),
  on: optional(
    some(choice(alertOccasions)),
    "Which events send a message; `force-done`, `short-circuit` and `cut` by default.",
  ),
  policies: optional(some(filled), "Only under these policies."),
  rules: optional(some(filled), "Only if one of these rules matched."),
  tenants: optional(some(filled), "Only for these tenants of client keys."),
  detectors: optional(
    some(filled),
    "Only for loops that these detectors find; `runaway-output` stands for answers that were cut off.",
  ),
});

const limits = object(
  Object.fromEntries(
    limitNames.map((limit) => {
      const { least, most, about } = settingsTable[limit];
      const [, unit] = /, in (milliseconds)\b/.exec(about) ?? [];
      return [limit, optional(number("integer", least, most, unit && ` of ${unit}`), about)];
    }),
  ),
);

/** Schema of a configuration file. */
export const configFileShape = object(
  {
    $schema: optional(anyText),
    mode: optional(mode),
    policy: optional(policyName),
    rollout: optional(percent, "Percentage of sessions that are enforced if no rule matches."),
    upstreams: optional(mapping(path, anyText), "Base URLs by path prefix; `/` is for all other paths."),
    allowClientOverrides: optional(
      yesOrNo,
      "Clients may choose mode and policy, with the headers `x-unloop-mode` and `x-unloop-policy`.",
    ),
    policies: optional(mapping(name, policy)),
    rules: optional(listOf(rule), "In order; the first match sets policy and mode."),
    clients: optional(listOf(client), "Client keys. If there are any, every request needs one."),
    admin: optional(
      object({
        tokens: optional(listOf(token)),
        proxies: optional(listOf(filled), "Identity proxies: addresses or networks such as 10.0.0.0/24."),
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

/** JSON Schema of a configuration file, for editors. */
export function configJsonSchema(): JsonSchema {
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...configFileShape.schema };
}

/** Every name that a field can have, in policies, too. Gathered only where there are mistakes to tell. */
export const fieldNames = (): ReadonlySet<string> => new Set(namesIn(configJsonSchema()));

function namesIn(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { readonly properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)];
}

import { z } from "zod";
import { alertOccasions, limitNames, settingsTable } from "../config/config.ts";
import { policyJsonSchema, policyProblems } from "../policy/policy.ts";
import { unknownKeys } from "./messages.ts";

/** An object of these keys and no others; an unknown one is told with the nearest that there is. */
function keys<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? unknownKeys(issue.keys, names) : undefined),
  });
}

const name = z.string().regex(/^[\w.-]{1,64}$/, "must be 1 to 64 letters, digits or any of _ . -");
const nameOrAll = z.string().regex(/^(?:\*|[\w.-]{1,64})$/, 'must be a tenant\'s name, or "*" for all of them');
const path = z.string().regex(/^\/[\w./~-]*$/, "must be the beginning of a path, such as /team-a");
const pattern = z.string().min(1, "must not be empty");
/** One pattern or a list of them. */
const patterns = z.preprocess(
  (value) => (typeof value === "string" ? [value] : value),
  z.array(pattern).min(1, "must not be empty"),
);
const mode = z
  .enum(["enforce", "observe", "off"])
  .describe("`enforce` intervenes; `observe` only reports what it would do; `off` passes everything through unread.");
const policyName = z.string().describe("A preset, or a policy of this file.");
const percent = z.number().min(0).max(100);
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must be the SHA-256 of the key, as 64 hexadecimal digits; `unloop client-key` makes both");

/** A secret that stands elsewhere: the file itself holds none. */
const secret = keys({ env: z.string().min(1).optional(), file: z.string().min(1).optional() }).refine(
  ({ env, file }) => (env === undefined) !== (file === undefined),
  'must say either "env" or "file": where the secret stands',
);

/** The policy's own checks say what is wrong in it. */
export const policy = z
  .unknown()
  .superRefine((value, context) => {
    for (const { path: at, problem, field } of policyProblems(value))
      context.addIssue({ code: "custom", path: [...at], message: problem, params: { field } });
  })
  .describe("A policy, merged over those that it `extends` (presets, or policies of this file).");

const when = keys({
  path: path.optional().describe("Prefix of the request's path, up to a slash."),
  header: z.record(z.string(), pattern).optional().describe("Headers, each with a pattern for its value."),
  tenant: patterns.optional().describe("Tenant of the client key."),
  client: patterns.optional().describe("Name of the client key."),
  agent: patterns
    .optional()
    .describe("`x-unloop-agent`, or else the first product of the user agent without its version."),
  model: patterns.optional().describe("The model that the request names."),
  userAgent: patterns.optional().describe("The whole user agent."),
}).describe("All given conditions must hold. In patterns `*` stands for any characters; case does not matter.");

const rule = keys({
  name,
  when: when.optional(),
  policy: policyName.optional(),
  mode: mode.optional(),
  rollout: percent.optional().describe("Percentage of sessions that are enforced; the others are observed."),
});

const client = keys({
  name,
  tenant: name.describe("Sessions of different tenants are kept apart."),
  sha256: sha256.describe("SHA-256 of the key that the client sends."),
  policy: policyName.optional(),
  mode: mode.optional(),
  upstreamKey: secret.optional().describe("Sent upstream in place of the client's key."),
});

const token = keys({
  name: name.describe("Appears in the journal as the actor."),
  role: z.enum(["read", "operate"]),
  tenant: nameOrAll
    .optional()
    .describe("The only tenant that the token can see; without it, or with `*`, all of them."),
  sha256: sha256.optional(),
  env: z.string().min(1).optional(),
  file: z.string().min(1).optional(),
}).refine(
  ({ sha256: hash, env, file }) => [hash, env, file].filter((one) => one !== undefined).length === 1,
  'must say one of "sha256", "env" and "file": how the token is known',
);

const names = z.array(z.string().min(1, "must not be empty")).min(1, "must not be empty");

const alert = keys({
  name: name.describe("Identifies the destination; after a reload, pending messages continue under the same name."),
  url: z
    .union([z.string(), secret], {
      error: "must be a whole http or https URL, or { env: NAME } or { file: PATH }: where that stands",
    })
    .describe("The webhook's address; Slack's incoming webhooks accept the messages."),
  secret: secret.optional().describe("Signs the messages (`x-unloop-signature`)."),
  on: z
    .array(z.enum(alertOccasions))
    .min(1, "must not be empty")
    .optional()
    .describe("Which events send a message; `force-done`, `short-circuit` and `cut` by default."),
  policies: names.optional().describe("Only under these policies."),
  rules: names.optional().describe("Only if one of these rules matched."),
  tenants: names.optional().describe("Only for these tenants of client keys."),
  detectors: names
    .optional()
    .describe("Only for loops that these detectors find; `runaway-output` stands for answers that were cut off."),
});

const limits = keys(
  Object.fromEntries(
    limitNames.map((limit) => {
      const { least, most, about } = settingsTable[limit];
      return [limit, z.number().int().min(least).max(most).optional().describe(about)];
    }),
  ),
);

/** What a configuration file may say. */
export const configFileSchema = keys({
  $schema: z.string().optional(),
  mode: mode.optional(),
  policy: policyName.optional(),
  rollout: percent.optional().describe("Percentage of sessions that are enforced if no rule matches."),
  upstreams: z.record(path, z.string()).optional().describe("Base URLs by path prefix; `/` is for all other paths."),
  policies: z.record(name, policy).optional(),
  rules: z.array(rule).optional().describe("In order; the first match sets policy and mode."),
  clients: z.array(client).optional().describe("Client keys. If there are any, every request needs one."),
  admin: keys({ tokens: z.array(token).optional() }).optional(),
  alerts: z.array(alert).optional().describe("Webhooks, each with its filters."),
  limits: limits.optional(),
});

export type ConfigFileText = z.infer<typeof configFileSchema>;

function takesPatterns(schema: z.core.$ZodType): boolean {
  return schema === patterns || (schema instanceof z.ZodOptional && schema.unwrap() === patterns);
}

const anyOfPatterns = {
  anyOf: [
    { type: "string", minLength: 1 },
    { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 },
  ],
};

/** The same as a JSON Schema, for editors. */
export function configJsonSchema(): unknown {
  return z.toJSONSchema(configFileSchema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === policy) Object.assign(jsonSchema, policyJsonSchema);
      if (!takesPatterns(zodSchema)) return;
      for (const keyword of ["type", "items", "minItems"] as const) delete jsonSchema[keyword];
      Object.assign(jsonSchema, anyOfPatterns);
    },
  });
}

/** Every name that a field can have, in policies, too. */
export const fieldNames: ReadonlySet<string> = new Set(namesIn(configJsonSchema()));

function namesIn(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { readonly properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)];
}

import { runStates } from "../../activity/activity.ts";
import type { Rung } from "../../policy/policy.ts";
import { protocolNames } from "../../protocols/protocols.ts";
import {
  anyText,
  check,
  described,
  isMapping,
  type JsonSchema,
  matching,
  object,
  optional,
  pathText,
  problemsIn,
  recordOf,
  type InputShape,
  type Shapes,
  textOfLength,
  type ValueOf,
  where,
  wholeNumberFrom,
} from "../../shapes/shapes.ts";
import { badRequest } from "./context.ts";
import { RUNGS } from "./session-view.ts";
import { recordSchema } from "./view.ts";

/** A day. */
export const STANDARD_MINUTES = 1_440;

const MAX_NAME = 256;
const MAX_SESSIONS = 500;

/** A body of these fields, described as the API describes all its objects. */
const body = <Known extends Shapes>(shapes: Known) => ({
  ...object(shapes, () => "must be an object."),
  schema: recordSchema(Object.entries(shapes)),
});

/** A value that the document says less of than is looked at. */
function that<Value>(schema: JsonSchema, holds: (value: unknown) => boolean, problem: string): InputShape<Value> {
  return check(schema, (value) => (holds(value) ? undefined : problem));
}

const isText = (value: unknown) => typeof value === "string";
const isListOf = (most: number, holds: (one: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length <= most && value.every(holds);
const textWithin = (most: number, about: string) => described(textOfLength(1, most), about);

const choice = <const Choice extends string>(choices: readonly Choice[], about: string) =>
  that<Choice>(
    { type: "string", enum: choices, description: about },
    (value) => choices.some((one) => one === value),
    `must be one of ${choices.join(", ")}.`,
  );

const headers = (about: string) => ({
  ...recordOf(anyText, anyText, { kind: "an object of texts" }),
  schema: { type: "object", additionalProperties: { type: "string", description: "A value." }, description: about },
});

const policy = (about: string) =>
  that<string | object>(
    { type: ["string", "object"], description: about },
    (value) => isText(value) || isMapping(value),
    "must be a policy's name, or a policy as JSON.",
  );

const reason = where(textOfLength(1, 500), (text) => text.trim() !== "", "must be a text of 1 to 500 characters.");
const givenReason = described(
  { ...reason, schema: { ...reason.schema, pattern: "\\S" } },
  "The reason, for the journal; a contained client sees it too.",
);
const wholeMinutes = wholeNumberFrom(1, 10_080);
const minutes = { ...wholeMinutes, schema: { ...wholeMinutes.schema, default: STANDARD_MINUTES } };

/** A query's number arrives as text. */
const wholeLimit = wholeNumberFrom(1, 200);
const limit: InputShape = {
  schema: { ...wholeLimit.schema, default: 50, description: "How many at most." },
  run: (text, path, report) => wholeLimit.run(wholeLimit.fromText?.(String(text)), path, report),
};
const said = (about: string) => described(anyText, about);
const position = (pattern: RegExp, of: string, about: string) => described(matching(pattern, `must be ${of}.`), about);

const anyState = `(${runStates.join("|")})`;
const states = `One of ${runStates.join(", ")}, or several.`;

export const WINDOWS_MS: Readonly<Record<string, number>> = { "1h": 3_600_000, "6h": 21_600_000, "24h": 86_400_000 };

/** Where an entry of the journal is told. */
export const entryId = /^\d{1,20}(-\d{1,20})?$/;

const chosen = {
  q: said("Part of the name."),
  tenant: said("Only of this tenant."),
  agent: said("Beginning of the agent's name."),
  policy: said("Only under this policy."),
  model: said("The model."),
  detector: said("The detector."),
  tool: said("The tool."),
  state: position(new RegExp(`^${anyState}(,${anyState})*$`), `one of ${runStates.join(", ")}, or several`, states),
  rung: choice(
    ["", "observe:"].flatMap((mode) => RUNGS.map((rung) => mode + rung)),
    "With this intervention, or with one that enforce mode would have made.",
  ),
  window: choice(Object.keys(WINDOWS_MS), "In use in this time."),
};

/** Queries of the API, validated by the same shapes that document them. */
export const queries = {
  sessions: {
    ...chosen,
    cursor: position(/^\d+(\.\d+)?:/, "the `next` of a page", "`next` of the page before."),
    limit,
  },
  overview: chosen,
  journal: {
    type: said("Only of these types, separated by commas."),
    session: said("Only of this session, by id."),
    tenant: chosen.tenant,
    policy: chosen.policy,
    detector: said("Only of this detector."),
    before: position(entryId, "the id of an entry", "`next` of the page before, or an entry's `id`."),
    limit,
  },
  savings: {
    tenant: chosen.tenant,
    agent: chosen.agent,
    policy: chosen.policy,
    model: said("Only sessions with this model, at its price in the policy's table; without it, at the price of `*`."),
    window: chosen.window,
  },
} satisfies Readonly<Record<string, Shapes>>;

const GIVEN = ["conversations", "sessions"];
const dryRun = where(
  body({
    policy: policy("The policy to try: a name, or a policy as JSON."),
    against: optional(policy("The policy to compare with: a name, or a policy as JSON; by default the operator's.")),
    conversations: optional(
      that<readonly unknown[]>(
        {
          type: "array",
          items: { description: "A request body, a list of messages, or a run of the decision export." },
          description: "The newest 1,024 steps of each are judged. Earlier user messages are taken into account.",
          maxItems: 200,
        },
        isListOf(200, () => true),
        "must be a list of at most 200.",
      ),
    ),
    sessions: optional(
      that<"recent" | readonly string[]>(
        {
          anyOf: [{ const: "recent" }, { type: "array", items: { type: "string" }, maxItems: MAX_SESSIONS }],
          description: "Ids of sessions, or `recent` for the newest 200. Their stored steps are judged.",
        },
        (value) => value === "recent" || isListOf(MAX_SESSIONS, isText)(value),
        `must be "recent", or a list of at most ${MAX_SESSIONS} ids.`,
      ),
    ),
  }),
  (value) => GIVEN.filter((name) => Object.hasOwn(value, name)).length === 1,
  'must have either "conversations" or "sessions".',
);

/** Request bodies of the API. Each is validated by the same shape that documents it. */
export const bodies = {
  Act: body({ reason: givenReason }),
  Contain: body({
    reason: givenReason,
    minutes: optional(described(minutes, "How long it lasts unless it is released.")),
  }),
  Feedback: body({
    right: that<boolean>(
      { type: "boolean", description: "`false` for a false alarm." },
      (value) => typeof value === "boolean",
      "must be true or false.",
    ),
    reason: optional(described(textOfLength(0, 500), "Why, for the journal.")),
  }),
  ExplainRequest: body({
    path: optional(described(anyText, "Path of the request; by default `/v1/chat/completions`.")),
    headers: optional(headers("Its headers, such as `user-agent`.")),
    model: optional(described(anyText, "The model that it names.")),
    client: optional(described(anyText, "Name of its client key.")),
    tenant: optional(described(anyText, "Its tenant.")),
    session: optional(described(anyText, "Id of its session, for the side of a rollout.")),
  }),
  DryRunRequest: { ...dryRun, schema: { ...dryRun.schema, oneOf: GIVEN.map((name) => ({ required: [name] })) } },
  DecideRequest: body({
    request: that<object>(
      {
        type: "object",
        description: "The body of the request that you are about to send to the model, in its wire format.",
      },
      isMapping,
      'must be a request\'s body, an object such as {"messages":[...]}.',
    ),
    wire: optional(choice(protocolNames, "Its wire format; by default recognised from the body.")),
    session: optional(
      described(
        textOfLength(1, MAX_NAME),
        "Names the run. Its stored history counts, and new steps are stored. Requires the role `operate`. Without it only the history in `request` is judged, and nothing is stored.",
      ),
    ),
    tenant: optional(
      textWithin(MAX_NAME, "The tenant of the run; a token that is limited to a tenant always uses its own."),
    ),
    policy: optional(policy("A policy's name, or a policy as JSON; by default the configured policy for the request.")),
    mode: optional(choice(["enforce", "observe"], "Overrides the configuration.")),
    path: optional(
      textWithin(2_048, "The request's path, for rules that match on it; by default the endpoint of its wire format."),
    ),
    headers: optional(headers("Its headers, as far as rules or session names depend on them.")),
    answer: optional(
      that<object | string>(
        {
          anyOf: [{ type: "object" }, { type: "string" }],
          description:
            "The model's answer to the request as you sent it (an object, or an event stream as text), to be judged before its calls are executed.",
        },
        (value) => isText(value) || isMapping(value),
        "must be the whole of the model's answer: an object, or an event stream as text.",
      ),
    ),
    reasked: optional(
      that<readonly Extract<Rung, "nudge" | "force-done">[]>(
        {
          type: "array",
          items: { type: "string", enum: ["nudge", "force-done"], description: "A rung." },
          description: "Rungs for which you have already called the model again for this answer, in order.",
          maxItems: 16,
        },
        isListOf(16, (one) => one === "nudge" || one === "force-done"),
        "must be a list of at most 16 of the rungs nudge, force-done.",
      ),
    ),
  }),
};

export type BodyName = keyof typeof bodies;
export type BodyOf<Name extends BodyName> = ValueOf<(typeof bodies)[Name]>;

/** @throws ApiError if a body is not what its shape says */
export function checkBody(name: BodyName, value: unknown): void {
  refuseWrong(bodies[name], value, "body");
}

/** @throws ApiError for what a query does not take: a misspelt filter would let everything through */
export function checkQuery(shapes: Shapes, query: Readonly<Record<string, string>>): void {
  const given = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, optional(shape)]));
  refuseWrong(object(given), query, "query");
}

/** A misspelt name goes first: it may be why another is missing. */
function refuseWrong(shape: InputShape, value: unknown, what: "body" | "query"): void {
  const problems = problemsIn(shape, value);
  const wrong = problems.find(({ field }) => field !== undefined) ?? problems[0];
  if (wrong === undefined) return;
  const { path, problem, field } = wrong;
  if (field === undefined) throw badRequest(`${path.length === 0 ? `The ${what}` : pathText(path)} ${problem}`);
  const names = Object.keys(Object(shape.schema.properties)).join(", ") || "none";
  throw badRequest(`${JSON.stringify(field.slice(0, 64))} is not a field of this ${what}; it takes ${names}.`);
}

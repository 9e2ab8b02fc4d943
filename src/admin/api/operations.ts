import { runStates } from "../../activity/activity.ts";
import type { JsonSchema } from "../../shapes/shapes.ts";
import type { BodyName } from "./bodies.ts";
import { oneOfSchema, textSchema } from "./json-schema.ts";

/** Role of a token: `operate` includes `read`. */
export type Role = "read" | "operate";

export interface Operation {
  readonly method: "get" | "post";
  /** Behind `/unloop/api`; parameters in braces. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Name of the shape of the request's body. */
  readonly body?: BodyName;
  /** Name of the schema of the answer; `stream` and `markdown` and `openapi` are no schemas. */
  readonly answer: string;
}

const paging = {
  limit: { type: "integer", minimum: 1, maximum: 200, default: 50, description: "How many at most." },
};
const chosen = {
  q: textSchema("Part of the name."),
  tenant: textSchema("Only of this tenant."),
  agent: textSchema("Beginning of the agent's name."),
  policy: textSchema("Only under this policy."),
  model: textSchema("The model."),
  detector: textSchema("The detector."),
  tool: textSchema("The tool."),
  state: textSchema(`One of ${runStates.join(", ")}, or several.`),
  rung: oneOfSchema(["nudge", "force-done", "short-circuit", "cut"], "With this rung."),
  window: oneOfSchema(["1h", "6h", "24h"], "In use in this time."),
};
const period = { window: { ...oneOfSchema(["1h", "6h", "24h", "7d"], "How far back."), default: "24h" } };

const get = (path: string, answer: string, summary: string, query: Operation["query"] = {}) =>
  ({ method: "get", path, role: "read", summary, query, answer }) as const;

const post = <Body extends BodyName>(path: string, body: Body, answer: string, summary: string) =>
  ({ method: "post", path, role: "read", summary, body, answer }) as const;

/** An operator's act on a session. */
const act = <Body extends BodyName>(name: string, body: Body, summary: string) =>
  ({ ...post(`/sessions/{id}/${name}`, body, "Session", summary), role: "operate" }) as const;

/** Every operation of the admin API: routes, access and the OpenAPI document derive from it. */
export const operations = {
  openapi: get("/openapi.json", "openapi", "This document."),
  status: get("/status", "Status", "The token in use, and the running configuration."),
  listSessions: get("/sessions", "SessionPage", "Sessions, the newest first.", {
    ...chosen,
    cursor: textSchema("`next` of the page before."),
    ...paging,
  }),
  overview: get("/overview", "Overview", "Sums over sessions.", chosen),
  readSession: get(
    "/sessions/{id}",
    "SessionDetail",
    "One session with its threads, steps and findings. No text of the conversation.",
  ),
  reportSession: get("/sessions/{id}/report", "markdown", "The same as a page in Markdown, for a ticket."),
  containSession: act(
    "contain",
    "Contain",
    "End a session now, on all replicas: open streams end, and requests are answered with the reason.",
  ),
  releaseSession: act(
    "release",
    "Act",
    "Lift a containment and every block of the guard. Counting starts again from here.",
  ),
  resetSession: act("reset", "Act", "Forget a session's steps, findings and budget."),
  rateSession: act("feedback", "Feedback", "Say whether the newest intervention was right."),
  readJournal: get("/journal", "EntryPage", "Findings, interventions and operators' acts, newest first.", {
    type: textSchema("Only of these types, separated by commas."),
    session: textSchema("Only of this session, by id."),
    tenant: textSchema("Only of this tenant."),
    policy: textSchema("Only under this policy."),
    detector: textSchema("Only of this detector."),
    before: textSchema("`next` of the page before, or an entry's `id`."),
    ...paging,
  }),
  streamJournal: get(
    "/journal/stream",
    "stream",
    "The live journal, as server-sent events: `id` is an entry's id, `data` an Entry. Resumes after the header `Last-Event-ID`.",
  ),
  analytics: get(
    "/analytics",
    "Analytics",
    "Loops and interventions by policy, detector, rung and tool. Not available to a token that is limited to a tenant.",
    period,
  ),
  savings: get(
    "/savings",
    "Savings",
    "What the guard has saved, by policy: measured against the held-out sessions of a rollout, or else an estimate marked as one. Not available to a token that is limited to a tenant.",
    {
      ...period,
      model: {
        ...textSchema(
          "Counts all tokens at the price of this model in the policy's table; without it, at the price of `*`.",
        ),
        default: "*",
      },
    },
  ),
  configuration: get(
    "/config",
    "Configuration",
    "The active configuration, without keys and hashes. Not available to a token that is limited to a tenant.",
  ),
  listPolicies: get("/policies", "PolicyList", "All policies."),
  readPolicy: get("/policies/{name}", "Policy", "One policy as JSON."),
  explain: post("/explain", "ExplainRequest", "Explanation", "Which policy and mode a request would get, and why."),
  dryRun: post(
    "/dry-run",
    "DryRunRequest",
    "DryRun",
    "What another policy would have done with posted conversations or with stored steps.",
  ),
  decide: post(
    "/decide",
    "DecideRequest",
    "Decision",
    "Decides on a request before it is sent, or on its answer before its calls are executed, for programs that do not send their traffic through the guard. With a session it requires the role operate.",
  ),
} satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof operations;

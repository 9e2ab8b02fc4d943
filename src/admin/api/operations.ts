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

/** Every operation of the admin API: routes, access and the OpenAPI document derive from it. */
export const operations = {
  openapi: { method: "get", path: "/openapi.json", role: "read", summary: "This document.", answer: "openapi" },
  status: {
    method: "get",
    path: "/status",
    role: "read",
    summary: "The token in use, and the running configuration.",
    answer: "Status",
  },
  listSessions: {
    method: "get",
    path: "/sessions",
    role: "read",
    summary: "Sessions, the newest first.",
    query: {
      q: textSchema("Part of the session's name."),
      tenant: textSchema("Only of this tenant."),
      agent: textSchema("Beginning of the agent's name."),
      policy: textSchema("Only under this policy."),
      state: oneOfSchema(
        ["looping", "ended", "cut", "contained", "healthy"],
        "`looping`: the loop of its newest intervention is not over; `ended`: by Unloop; `cut`: its newest answer was cut off; `contained`: ended by an operator.",
      ),
      rung: oneOfSchema(["nudge", "force-done", "short-circuit", "cut"], "Only with an intervention of this rung."),
      cursor: textSchema("`next` of the page before."),
      ...paging,
    },
    answer: "SessionPage",
  },
  readSession: {
    method: "get",
    path: "/sessions/{id}",
    role: "read",
    summary: "One session with its threads, steps and findings. No text of the conversation.",
    answer: "SessionDetail",
  },
  reportSession: {
    method: "get",
    path: "/sessions/{id}/report",
    role: "read",
    summary: "The same as a page in Markdown, for a ticket.",
    answer: "markdown",
  },
  containSession: {
    method: "post",
    path: "/sessions/{id}/contain",
    role: "operate",
    summary: "End a session now, on all replicas: open streams end, and requests are answered with the reason.",
    body: "Contain",
    answer: "Session",
  },
  releaseSession: {
    method: "post",
    path: "/sessions/{id}/release",
    role: "operate",
    summary: "Lift a containment and every block of the guard. Counting starts again from here.",
    body: "Act",
    answer: "Session",
  },
  resetSession: {
    method: "post",
    path: "/sessions/{id}/reset",
    role: "operate",
    summary: "Forget a session's steps, findings and budget.",
    body: "Act",
    answer: "Session",
  },
  readJournal: {
    method: "get",
    path: "/journal",
    role: "read",
    summary: "Findings, interventions and operators' acts, newest first.",
    query: {
      type: textSchema("Only of these types, separated by commas."),
      session: textSchema("Only of this session, by id."),
      tenant: textSchema("Only of this tenant."),
      policy: textSchema("Only under this policy."),
      detector: textSchema("Only of this detector."),
      before: textSchema("`next` of the page before, or an entry's `id`."),
      ...paging,
    },
    answer: "EntryPage",
  },
  streamJournal: {
    method: "get",
    path: "/journal/stream",
    role: "read",
    summary:
      "The live journal, as server-sent events: `id` is an entry's id, `data` an Entry. Resumes after the header `Last-Event-ID`.",
    answer: "stream",
  },
  analytics: {
    method: "get",
    path: "/analytics",
    role: "read",
    summary:
      "Loops and interventions by policy, detector, rung and tool. Not available to a token that is limited to a tenant.",
    query: { window: { ...oneOfSchema(["1h", "6h", "24h", "7d"], "How far back."), default: "24h" } },
    answer: "Analytics",
  },
  savings: {
    method: "get",
    path: "/savings",
    role: "read",
    summary:
      "What the guard has saved, by policy: measured against the held-out sessions of a rollout, or else an estimate marked as one. Not available to a token that is limited to a tenant.",
    query: {
      window: { ...oneOfSchema(["1h", "6h", "24h", "7d"], "How far back."), default: "24h" },
      model: {
        ...textSchema(
          "Counts all tokens at the price of this model in the policy's table; without it, at the price of `*`.",
        ),
        default: "*",
      },
    },
    answer: "Savings",
  },
  configuration: {
    method: "get",
    path: "/config",
    role: "read",
    summary: "The active configuration, without keys and hashes. Not available to a token that is limited to a tenant.",
    answer: "Configuration",
  },
  listPolicies: { method: "get", path: "/policies", role: "read", summary: "All policies.", answer: "PolicyList" },
  readPolicy: {
    method: "get",
    path: "/policies/{name}",
    role: "read",
    summary: "One policy as JSON.",
    answer: "Policy",
  },
  explain: {
    method: "post",
    path: "/explain",
    role: "read",
    summary: "Which policy and mode a request would get, and why.",
    body: "ExplainRequest",
    answer: "Explanation",
  },
  dryRun: {
    method: "post",
    path: "/dry-run",
    role: "read",
    summary: "What another policy would have done with posted conversations or with stored steps.",
    body: "DryRunRequest",
    answer: "DryRun",
  },
  decide: {
    method: "post",
    path: "/decide",
    role: "read",
    summary:
      "Decides on a request before it is sent, or on its answer before its calls are executed, for programs that do not send their traffic through the guard. With a session it requires the role operate.",
    body: "DecideRequest",
    answer: "Decision",
  },
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof operations;

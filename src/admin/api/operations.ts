import type { JsonSchema } from "../../json-schema.ts";
import { oneOf, text } from "./json-schema.ts";

/** What a token may do: `operate` includes `read`. */
export type Role = "read" | "operate";

export interface Operation {
  readonly method: "get" | "post";
  /** Behind `/unloop/api`; parameters in braces. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Name of the schema of the request's body. */
  readonly body?: string;
  /** Name of the schema of the answer; `stream` and `markdown` and `openapi` are no schemas. */
  readonly answer: string;
}

const paging = {
  limit: { type: "integer", minimum: 1, maximum: 200, default: 50, description: "How many at most." },
};

/** Every operation of the admin API: routes, access and the OpenAPI document derive from it. */
export const operations = {
  openapi: { method: "get", path: "/openapi.json", role: "read", summary: "This document.", answer: "openapi" },
  status: { method: "get", path: "/status", role: "read", summary: "Who asks, and what is running.", answer: "Status" },
  listSessions: {
    method: "get",
    path: "/sessions",
    role: "read",
    summary: "Sessions, the newest first.",
    query: {
      q: text("Part of the session's name."),
      tenant: text("Only of this tenant."),
      agent: text("Beginning of the agent's name."),
      policy: text("Only under this policy."),
      state: oneOf(
        ["looping", "ended", "cut", "contained", "healthy"],
        "`looping`: with an intervention, and not over since; `ended`: by Unloop; `cut`: its newest answer was cut off; `contained`: ended by an operator.",
      ),
      rung: oneOf(["nudge", "force-done", "short-circuit", "cut"], "Only with an intervention of this rung."),
      cursor: text("`next` of the page before."),
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
    summary: "End a session now, on all replicas: open streams are ended, and requests are answered with the reason.",
    body: "Contain",
    answer: "Session",
  },
  releaseSession: {
    method: "post",
    path: "/sessions/{id}/release",
    role: "operate",
    summary: "Lift a containment and every block of the guard; what repeats from here on is counted afresh.",
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
    summary: "What was found and done, and by whom, the newest first.",
    query: {
      type: text("Only of these types, separated by commas."),
      session: text("Only of this session, by id."),
      tenant: text("Only of this tenant."),
      policy: text("Only under this policy."),
      detector: text("Only of this detector."),
      before: text("`next` of the page before, or an entry's `id`."),
      ...paging,
    },
    answer: "EntryPage",
  },
  streamJournal: {
    method: "get",
    path: "/journal/stream",
    role: "read",
    summary:
      "The journal live, as server-sent events: `id` is an entry's id, `data` an Entry. Goes on behind the header `Last-Event-ID`.",
    answer: "stream",
  },
  analytics: {
    method: "get",
    path: "/analytics",
    role: "read",
    summary:
      "What was found and done, by policy, detector, rung and tool. Not for a token that is limited to a tenant.",
    query: { window: { ...oneOf(["1h", "6h", "24h", "7d"], "How far back."), default: "24h" } },
    answer: "Analytics",
  },
  savings: {
    method: "get",
    path: "/savings",
    role: "read",
    summary:
      "What the guard has saved, by policy: measured against the sessions that a rollout holds out, else an estimate that says so. Not for a token that is limited to a tenant.",
    query: {
      window: { ...oneOf(["1h", "6h", "24h", "7d"], "How far back."), default: "24h" },
      model: {
        ...text("Whose price in the policy's table is the price of all tokens; the one of `*` without it."),
        default: "*",
      },
    },
    answer: "Savings",
  },
  configuration: {
    method: "get",
    path: "/config",
    role: "read",
    summary: "The configuration in force, without keys and hashes. Not for a token that is limited to a tenant.",
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
    summary: "What another policy would have done, on posted conversations or on the steps that are remembered.",
    body: "DryRunRequest",
    answer: "DryRun",
  },
  decide: {
    method: "post",
    path: "/decide",
    role: "read",
    summary:
      "What to do with a request before it is sent, or with its answer before its calls are carried out: for programs that are no HTTP client of the guard. With a session it takes the role operate.",
    body: "DecideRequest",
    answer: "Decision",
  },
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof operations;

import { runStates } from "../../activity/activity.ts";
import type { JsonSchema } from "../../shapes/shapes.ts";
import type { BodyName } from "./bodies.ts";
import { oneOfSchema, textSchema } from "./json-schema.ts";

/** Roles of tokens; each may do what those before it may. `metrics` takes a scrape and nothing else. */
export const roles = ["metrics", "read", "operate"] as const;

export type Role = (typeof roles)[number];

export interface Operation {
  readonly method: "get" | "post";
  /** Behind `/unloop/api`; parameters in braces. */
  readonly path: string;
  readonly role: Role;
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Name of the shape of the request's body. */
  readonly body?: BodyName;
  /** Name of the schema of the answer; `stream` and `openapi` are no schemas. */
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
  state: {
    ...textSchema(`One of ${runStates.join(", ")}, or several.`),
    pattern: `^(${runStates.join("|")})(,(${runStates.join("|")}))*$`,
  },
  rung: oneOfSchema(
    ["", "observe:"].flatMap((mode) => ["nudge", "force-done", "short-circuit", "cut"].map((rung) => mode + rung)),
    "With this intervention, or with one that enforce mode would have made.",
  ),
  window: oneOfSchema(["1h", "6h", "24h"], "In use in this time."),
};

const get = (path: string, answer: string, query: Operation["query"] = {}) =>
  ({ method: "get", path, role: "read", query, answer }) as const;

const post = <Body extends BodyName>(path: string, body: Body, answer: string) =>
  ({ method: "post", path, role: "read", body, answer }) as const;

/** An operator's act on a session. */
const act = <Body extends BodyName>(name: string, body: Body) =>
  ({ ...post(`/sessions/{id}/${name}`, body, "Session"), role: "operate" }) as const;

/** Every operation of the admin API: routes, access and the OpenAPI document derive from it. */
export const operations = {
  openapi: get("/openapi.json", "openapi"),
  status: get("/status", "Status"),
  listSessions: get("/sessions", "SessionPage", {
    ...chosen,
    cursor: { ...textSchema("`next` of the page before."), pattern: "^[0-9]+(\\.[0-9]+)?:" },
    ...paging,
  }),
  overview: get("/overview", "Overview", chosen),
  readSession: get("/sessions/{id}", "SessionDetail"),
  containSession: act("contain", "Contain"),
  releaseSession: act("release", "Act"),
  resetSession: act("reset", "Act"),
  rateSession: act("feedback", "Feedback"),
  readJournal: get("/journal", "EntryPage", {
    type: textSchema("Only of these types, separated by commas."),
    session: textSchema("Only of this session, by id."),
    tenant: textSchema("Only of this tenant."),
    policy: textSchema("Only under this policy."),
    detector: textSchema("Only of this detector."),
    before: {
      ...textSchema("`next` of the page before, or an entry's `id`."),
      pattern: "^[0-9]{1,20}(-[0-9]{1,20})?$",
    },
    ...paging,
  }),
  streamJournal: get("/journal/stream", "stream"),
  savings: get("/savings", "Savings", {
    tenant: chosen.tenant,
    agent: chosen.agent,
    policy: chosen.policy,
    model: textSchema(
      "Only sessions with this model, at its price in the policy's table; without it, at the price of `*`.",
    ),
    window: chosen.window,
  }),
  readPolicy: get("/policies/{name}", "Policy"),
  explain: post("/explain", "ExplainRequest", "Explanation"),
  dryRun: post("/dry-run", "DryRunRequest", "DryRun"),
  decide: post("/decide", "DecideRequest", "Decision"),
} satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof operations;

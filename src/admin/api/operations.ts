import type { JsonSchema, Shapes } from "../../shapes/shapes.ts";
import type { Role } from "../access.ts";
import { type ApiCall, notFound } from "./context.ts";
import { decide, decision } from "./decide.ts";
import { dryRun, dryRunView } from "./dry-run.ts";
import { entryPage, entryView, readJournal, streamJournal } from "./journal.ts";
import { bodies, type BodyName, type BodyOf, queries } from "./inputs.ts";
import { containSession, rateSession, releaseSession, resetSession } from "./operator-actions.ts";
import { overview, overviewView, sumsRow } from "./overview.ts";
import { savings, savingsView } from "./savings.ts";
import { sessionView } from "./session-view.ts";
import { listSessions, readSession, sessionDetail, sessionPage } from "./sessions.ts";
import { explain, explanation, status, statusView } from "./status.ts";
import { asText, view } from "./view.ts";

export interface Operation {
  readonly method: "get" | "post";
  /** Behind `/unloop/api`; parameters in braces. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  readonly query?: Shapes;
  /** Name of the shape of the request's body. */
  readonly body?: BodyName;
  /** Name of the view of the answer; `stream` and `openapi` are none. */
  readonly answer: keyof typeof views | "stream" | "openapi";
  readonly handle: (call: ApiCall<never>) => unknown;
}

const error = view()({
  code: asText("Stable; for programs."),
  message: asText("For people: what is wrong, and the cure."),
});

/** What the API answers, by the name that the document has for it. */
export const views = {
  Error: { schema: { type: "object", properties: { error: error.schema }, required: ["error"] } },
  Status: statusView,
  Session: sessionView,
  SessionPage: sessionPage,
  SessionDetail: sessionDetail,
  Overview: overviewView,
  Sums: sumsRow,
  Savings: savingsView,
  Entry: entryView,
  EntryPage: entryPage,
  Policy: { schema: { type: "object", description: "The whole policy, as docs/configuration.md describes it." } },
  Explanation: explanation,
  DryRun: dryRunView,
  Decision: decision,
} satisfies Readonly<Record<string, { readonly schema: JsonSchema }>>;

type Answer = Operation["answer"];

const get = (
  path: string,
  answer: Answer,
  summary: string,
  handle: (call: ApiCall<undefined>) => unknown,
  query: Operation["query"] = {},
) => ({ method: "get", path, role: "read", summary, query, answer, handle }) as const;

const post = <const Body extends BodyName>(
  path: string,
  body: Body,
  answer: Answer,
  summary: string,
  handle: (call: ApiCall<BodyOf<Body>>) => unknown,
) => ({ method: "post", path, role: "read", summary, body, answer, handle }) as const;

/** An operator's act on a session. */
const act = <const Body extends BodyName>(
  name: string,
  body: Body,
  summary: string,
  handle: (call: ApiCall<BodyOf<Body>>) => unknown,
) => ({ ...post(`/sessions/{id}/${name}`, body, "Session", summary, handle), role: "operate" }) as const;

/** Every operation of the admin API: routes, access and the OpenAPI document derive from it. */
export const operations = {
  openapi: get("/openapi.json", "openapi", "This document.", ({ version, openApi }) => {
    if (openApi === undefined) throw notFound("document here");
    return openApi(version);
  }),
  status: get("/status", "Status", "The token in use, and the running configuration, without keys and hashes.", status),
  listSessions: get("/sessions", "SessionPage", "Sessions, the newest first.", listSessions, queries.sessions),
  overview: get("/overview", "Overview", "Sums over sessions.", overview, queries.overview),
  readSession: get(
    "/sessions/{id}",
    "SessionDetail",
    "One session with its threads, steps and findings. No text of the conversation.",
    readSession,
  ),
  containSession: act(
    "contain",
    "Contain",
    "End a session now, on all replicas: open streams end, and requests are answered with the reason.",
    containSession,
  ),
  releaseSession: act(
    "release",
    "Act",
    "Lift a containment and every block of the guard. Counting starts again from here.",
    releaseSession,
  ),
  resetSession: act("reset", "Act", "Forget a session's steps, findings and budget.", resetSession),
  rateSession: act("feedback", "Feedback", "Say whether the newest intervention was right.", rateSession),
  readJournal: get(
    "/journal",
    "EntryPage",
    "Findings, interventions and operators' acts, newest first.",
    readJournal,
    queries.journal,
  ),
  streamJournal: get(
    "/journal/stream",
    "stream",
    "The live journal, as server-sent events: `id` is an entry's id, `data` an Entry. Resumes after the header `Last-Event-ID`.",
    streamJournal,
  ),
  savings: get(
    "/savings",
    "Savings",
    "What the guard has saved, by policy: enforced sessions of a rollout beside those that it holds out. A token that is limited to a tenant gets its own.",
    savings,
    queries.savings,
  ),
  readPolicy: get("/policies/{name}", "Policy", "One policy as JSON.", ({ control, id, actor }) => {
    const policy = control.policyNamed(id, actor.tenant);
    if (policy === undefined) throw notFound("such policy");
    return policy;
  }),
  explain: post(
    "/explain",
    "ExplainRequest",
    "Explanation",
    "Which policy and mode a request would get, and why.",
    explain,
  ),
  dryRun: post(
    "/dry-run",
    "DryRunRequest",
    "DryRun",
    "What another policy would have done with posted conversations or with stored steps.",
    dryRun,
  ),
  decide: post(
    "/decide",
    "DecideRequest",
    "Decision",
    "Decides on a request before it is sent, or on its answer before its calls are executed, for programs that do not send their traffic through the guard. With a session it requires the role operate.",
    decide,
  ),
} satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof operations;

const problem = (description: string) => ({
  description,
  content: { "application/json": { schema: refTo("Error") } },
});
const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const responses = {
  BadRequest: problem("A parameter or the body is wrong."),
  NotAuthorised: problem("The token is missing or wrong."),
  Forbidden: problem("The token may not do this."),
  NotFound: problem("Not found, or it belongs to another tenant."),
  TooLarge: problem("The body is larger than 12 MB."),
  Unavailable: problem("The session store cannot be reached, or there is no memory left for another request body."),
};

/** The admin API as an OpenAPI 3.1 document. */
export function openApi(version: string): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [id, operation] of Object.entries<Operation>(operations))
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described(id, operation) };
  const schemas = Object.entries({ ...views, ...bodies }).map(([name, { schema }]) => [name, schema]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Unloop admin API",
      version,
      description:
        "Sessions, journal, savings and policies of a running guard. Times are ISO 8601 in UTC. No answer contains a key or conversation text.",
    },
    servers: [{ url: "/unloop/api" }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "An admin token. None is needed if the guard listens on loopback and no token is set.",
        },
      },
      schemas: Object.fromEntries(schemas),
      responses,
    },
  };
}

function described(operationId: string, { path, role, summary, query = {}, body, answer }: Operation): JsonSchema {
  const shared = (name: keyof typeof responses): JsonSchema => ({ $ref: `#/components/responses/${name}` });
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(
    ([
      name,
      {
        schema: { description, ...schema },
      },
    ]) => ({
      name,
      in: "query",
      description,
      schema,
    }),
  );
  const json = (schema: JsonSchema) => ({ "application/json": { schema } });
  const content =
    answer === "stream"
      ? { "text/event-stream": { schema: { type: "string" } } }
      : json(answer === "openapi" ? { type: "object" } : refTo(answer));
  return {
    operationId,
    summary,
    "x-unloop-role": role,
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(body !== undefined && { requestBody: { required: true, content: json(refTo(body)) } }),
    responses: {
      200: { description: "Done.", content },
      400: shared("BadRequest"),
      401: shared("NotAuthorised"),
      403: shared("Forbidden"),
      ...((inPath.length > 0 || body !== undefined) && { 404: shared("NotFound") }),
      ...(body !== undefined && { 413: shared("TooLarge") }),
      503: shared("Unavailable"),
    },
  };
}

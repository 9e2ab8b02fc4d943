import type { JsonSchema } from "../../shapes/shapes.ts";
import { type Operation, type OperationId, operations } from "./operations.ts";
import { recordSchema, textSchema } from "./json-schema.ts";
import { decideSchemas } from "./schemas/decide.ts";
import { dryRunSchemas, policySchemas } from "./schemas/common.ts";
import { journalSchemas } from "./schemas/journal.ts";
import { runningSchemas } from "./schemas/running.ts";
import { savingsSchemas } from "./schemas/savings.ts";
import { sessionSchemas } from "./schemas/sessions.ts";

/** Schemas of requests and answers, by name. */
export const schemas: Readonly<Record<string, JsonSchema>> = {
  Error: recordSchema({
    error: recordSchema({
      code: textSchema("Stable; for programs."),
      message: textSchema("For people: what is wrong, and the cure."),
    }),
  }),
  ...sessionSchemas,
  ...journalSchemas,
  ...savingsSchemas,
  ...runningSchemas,
  ...policySchemas,
  ...dryRunSchemas,
  ...decideSchemas,
};

const problem = (description: string) => ({
  description,
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

const responses = {
  BadRequest: problem("A parameter or the body is wrong."),
  NotAuthorised: problem("The token is missing or wrong."),
  Forbidden: problem("The token may not do this."),
  NotFound: problem("Not found, or it belongs to another tenant."),
  TooLarge: problem("The body is larger than 16 MB."),
  Unavailable: problem("The session store cannot be reached, or there is no memory left for another request body."),
};

/** Apart from the operations, since a Worker serves the document as a file. */
const summaries: Readonly<Record<OperationId, string>> = {
  openapi: "This document.",
  status: "The token in use, and the running configuration, without keys and hashes.",
  listSessions: "Sessions, the newest first.",
  overview: "Sums over sessions.",
  readSession: "One session with its threads, steps and findings. No text of the conversation.",
  containSession: "End a session now, on all replicas: open streams end, and requests are answered with the reason.",
  releaseSession: "Lift a containment and every block of the guard. Counting starts again from here.",
  resetSession: "Forget a session's steps, findings and budget.",
  rateSession: "Say whether the newest intervention was right.",
  readJournal: "Findings, interventions and operators' acts, newest first.",
  streamJournal:
    "The live journal, as server-sent events: `id` is an entry's id, `data` an Entry. Resumes after the header `Last-Event-ID`.",
  savings:
    "What the guard has saved, by policy: enforced sessions of a rollout beside those that it holds out. A token that is limited to a tenant gets its own.",
  readPolicy: "One policy as JSON.",
  explain: "Which policy and mode a request would get, and why.",
  dryRun: "What another policy would have done with posted conversations or with stored steps.",
  decide:
    "Decides on a request before it is sent, or on its answer before its calls are executed, for programs that do not send their traffic through the guard. With a session it requires the role operate.",
};

/** The admin API as an OpenAPI 3.1 document. */
export function openApi(version: string): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [id, operation] of Object.entries(operations) as [OperationId, Operation][]) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described(id, operation) };
  }
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
      schemas,
      responses,
    },
  };
}

function described(operationId: OperationId, operation: Operation): JsonSchema {
  const { path, role, query = {}, body, answer } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    description,
    schema,
  }));
  return {
    operationId,
    summary: summaries[operationId],
    "x-unloop-role": role,
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { "application/json": { schema: refTo(body) } } },
    }),
    responses: {
      200: { description: "Done.", content: contentOf(answer) },
      400: shared("BadRequest"),
      401: shared("NotAuthorised"),
      403: shared("Forbidden"),
      ...(inPath.length > 0 || body !== undefined ? { 404: shared("NotFound") } : {}),
      ...(body !== undefined ? { 413: shared("TooLarge") } : {}),
      503: shared("Unavailable"),
    },
  };
}

function contentOf(answer: string): JsonSchema {
  if (answer === "stream") return { "text/event-stream": { schema: { type: "string" } } };
  return { "application/json": { schema: answer === "openapi" ? { type: "object" } : refTo(answer) } };
}

const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const shared = (name: keyof typeof responses): JsonSchema => ({ $ref: `#/components/responses/${name}` });

import type { JsonSchema } from "../../shapes/shapes.ts";
import { type Operation, operations } from "./operations.ts";
import { schemas } from "./schemas.ts";

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

/** The admin API as an OpenAPI 3.1 document. */
export function openApi(version: string): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [id, operation] of Object.entries(operations)) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described(id, operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Unloop admin API",
      version,
      description:
        "Sessions, journal, analytics and policies of a running guard. Times are ISO 8601 in UTC. No answer contains a key or conversation text.",
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

function described(operationId: string, operation: Operation): JsonSchema {
  const { path, role, summary, query = {}, body, answer } = operation;
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
    summary,
    "x-unloop-role": role,
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { "application/json": { schema: refTo(body) } } },
    }),
    responses: {
      200: { description: "Done.", content: contentOf(answer) },
      ...(body !== undefined || inQuery.length > 0 ? { 400: shared("BadRequest") } : {}),
      401: shared("NotAuthorised"),
      403: shared("Forbidden"),
      ...(inPath.length > 0 ? { 404: shared("NotFound") } : {}),
      ...(body !== undefined ? { 413: shared("TooLarge") } : {}),
      503: shared("Unavailable"),
    },
  };
}

function contentOf(answer: string): JsonSchema {
  if (answer === "stream") return { "text/event-stream": { schema: { type: "string" } } };
  if (answer === "markdown") return { "text/markdown": { schema: { type: "string" } } };
  return { "application/json": { schema: answer === "openapi" ? { type: "object" } : refTo(answer) } };
}

const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const shared = (name: keyof typeof responses): JsonSchema => ({ $ref: `#/components/responses/${name}` });

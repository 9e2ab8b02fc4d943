import type { JsonSchema } from "../../shapes/shapes.ts";
import { decide, policyIn } from "./decide.ts";
import { dryRun } from "./dry-run.ts";
import { entryView, readJournal } from "./journal.ts";
import { get, notFound, type Operation } from "./operation.ts";
import { containSession, rateSession, releaseSession, resetSession } from "./operator-actions.ts";
import { overview, sumsRow } from "./overview.ts";
import { sessionView } from "./session-view.ts";
import { listSessions, readSession } from "./sessions.ts";
import { status } from "./status.ts";
import { show } from "./view.ts";

const openapi = get("/openapi.json", "This document.", show.object("OpenAPI 3.1."), (call) => {
  if (call.openApi === undefined) throw notFound("document here");
  return call.openApi(call.version);
});

const readPolicy = get(
  "/policies/{name}",
  "One policy as JSON.",
  show.object("The whole policy, as docs/configuration.md describes it."),
  (call) => policyIn(call, call.id),
);

export const operations = {
  ...{ openapi, status, listSessions, overview, readSession, containSession, releaseSession, resetSession },
  ...{ rateSession, readJournal, readPolicy, dryRun, decide },
} satisfies Readonly<Record<string, Operation>>;

export type OperationId = keyof typeof operations;

const error = show.view()({
  code: show.text("Stable; for programs."),
  message: show.text("For people: what is wrong, and the cure."),
});

const schemas = {
  Error: { type: "object", properties: { error: error.schema }, required: ["error"] },
  Session: sessionView.schema,
  Sums: sumsRow.schema,
  Entry: entryView.schema,
};

const REFUSALS = {
  400: "A parameter or the body is wrong.",
  401: "The token is missing or wrong.",
  403: "The token may not do this.",
  404: "Not found, or it belongs to another tenant.",
  413: "The body is larger than 12 MB.",
  503: "The session store cannot be reached, or there is no memory left for another request body.",
};

const json = (schema: JsonSchema) => ({ "application/json": { schema } });

export function openApi(version: string): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [id, operation] of Object.entries<Operation>(operations))
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described(id, operation) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Unloop admin API",
      version,
      description:
        "Sessions, journal and policies of a running guard. Times are ISO 8601 in UTC. No answer contains a key or conversation text.",
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
    },
  };
}

function described(operationId: string, { path, role, summary, query = {}, body, answer }: Operation): JsonSchema {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    ...{ name, in: "path", required: true, schema: { type: "string" } },
  }));
  const inQuery = Object.entries(query).map(([name, shape]) => {
    const { description, ...schema } = shape.schema;
    return { name, in: "query", description, schema };
  });
  const refusals = Object.entries(REFUSALS).filter(
    ([status]) => (status !== "413" || body) && (status !== "404" || body || inPath.length > 0),
  );
  const refused = json({ $ref: "#/components/schemas/Error" });
  return {
    operationId,
    summary,
    "x-unloop-role": role,
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(body && { requestBody: { required: true, content: json(body.schema) } }),
    responses: {
      200: { description: "Done.", content: json(answer.schema) },
      ...Object.fromEntries(refusals.map(([status, description]) => [status, { description, content: refused }])),
    },
  };
}

import type { Context } from "hono";
import { Hono } from "hono/tiny";
import { UnloopError } from "../../errors.ts";
import { type AdminAccess, admitAudited, originOf } from "../access.ts";
import { object } from "../../shapes/shapes.ts";
import { parseJson } from "../../text/parse-json.ts";
import { clientGone, takeBody } from "../../transport/transport.ts";
import { turn } from "../../turns.ts";
import { decide, policyIn } from "./decide.ts";
import { dryRun } from "./dry-run.ts";
import { readJournal } from "./journal.ts";
import { type ApiCall, ApiError, type ApiServices, badRequest, get, type Operation, refuseWrong } from "./operation.ts";
import { containSession, rateSession, releaseSession, resetSession } from "./operator-actions.ts";
import { overview } from "./overview.ts";
import { listSessions, readSession } from "./sessions.ts";
import { status } from "./status.ts";

/** As much as one guarded request makes the guard read. In bytes. */
const MAX_BODY = 12 * 1024 * 1024;

/** JSON alone is read: what a form of another site could send is refused. @param take told of each piece before it is kept */
export async function jsonBody({ headers, body, signal }: Request, take: (bytes: number) => void): Promise<unknown> {
  if (!/^application\/json *(?:;|$)/i.test(headers.get("content-type") ?? ""))
    throw badRequest("Send the body as content-type: application/json.");
  const hold = { take: (bytes: number) => take(bytes) === undefined, give: () => undefined };
  const limits = { maxBytes: Number.POSITIVE_INFINITY, readBytes: MAX_BODY, hold };
  // Not cancelled: that would close the connection on which the answer is still due.
  const pieces = (body ?? new Blob().stream()).values({ preventCancel: true });
  const gone = {
    get aborted() {
      return signal.aborted;
    },
    reason: clientGone(),
  };
  const bytes = await takeBody(pieces, Number(headers.get("content-length") ?? 0), limits, gone);
  if (!(bytes instanceof Uint8Array))
    throw new ApiError(413, "body_too_large", `The body is larger than ${MAX_BODY} bytes. Send less at once.`);
  await turn();
  const value = parseJson(new TextDecoder().decode(bytes));
  await turn();
  if (value === undefined) throw badRequest("The body is not valid JSON.");
  return value;
}

export type { ApiServices };

const readPolicy = get("/policies/{name}", (call) => policyIn(call, call.id));

export const operations = {
  ...{ status, listSessions, overview, readSession, containSession, releaseSession, resetSession },
  ...{ rateSession, readJournal, readPolicy, dryRun, decide },
} satisfies Readonly<Record<string, Operation>>;

export function adminApi(services: ApiServices, access: AdminAccess): Hono {
  const app = new Hono();
  const methods = new Map<string, readonly string[]>();
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    const path = pathOf(operation.path);
    app.on(operation.method, path, (context) => answer(context, id, operation, services, access));
    methods.set(path, [...(methods.get(path) ?? []), operation.method.toUpperCase()]);
  }
  for (const [path, allowed] of methods) app.all(path, (context) => wrongMethod(context, allowed.join(", ")));
  return app;
}

const pathOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

function wrongMethod(context: Context, allowed: string): Response {
  context.header("allow", allowed);
  return problem(context, 405, "wrong_method", `Ask with ${allowed}, not with ${context.req.method}.`);
}

async function answer(
  context: Context,
  id: string,
  operation: Operation,
  services: ApiServices,
  access: AdminAccess,
): Promise<Response> {
  const actor = admitAudited(context, operation.role, access);
  if ("message" in actor) return problem(context, actor.status, actor.code, actor.message);
  const hold = services.guard().bodyBudget.open(actor.tenant ?? actor.name);
  try {
    // A misspelt filter would let everything through.
    refuseWrong(object(operation.query ?? {}), context.req.query(), "query");
    const body =
      operation.body &&
      (await jsonBody(context.req.raw, (bytes) => {
        if (!hold.take(bytes))
          throw new UnloopError("overloaded", "The request bodies in flight use all the memory reserved for them.");
      }));
    if (operation.body !== undefined) refuseWrong(operation.body, body, "body");
    if (operation.role === "operate") {
      const { reason } = body as { readonly reason?: string };
      const act = { act: id, actor: actor.name, reason, session: context.req.param("id"), ...originOf(context) };
      if (access.audit?.(act) === false) throw new UnloopError("audit_failed", "The audit cannot be written.");
    }
    const { req } = context;
    const target = req.param("id") ?? req.param("name") ?? "";
    const call = { ...services, actor, body, id: target, query: (name: string) => req.query(name) };
    return context.json(await operation.handle(call as ApiCall<never>), 200, { "cache-control": "no-store" });
  } catch (error) {
    if (error instanceof ApiError) return problem(context, error.status, error.code, error.message);
    if (!(error instanceof UnloopError)) throw error;
    const status = error.code === "bad_setting" ? 400 : 503;
    return problem(context, status, error.code, `${error.message} ${error.cure}`);
  } finally {
    hold.release();
  }
}

function problem(
  context: Context,
  status: 400 | 401 | 403 | 404 | 405 | 413 | 503,
  code: string,
  message: string,
): Response {
  return context.json({ error: { code, message } }, status);
}

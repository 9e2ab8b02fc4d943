import { UnloopError } from "../../errors.ts";
import { type AdminAccess, admitAudited, originOf, type Sender } from "../access.ts";
import { object } from "../../shapes/shapes.ts";
import { parseJson } from "../../text/parse-json.ts";
import { clientGone, takeBody } from "../../transport/transport.ts";
import { turn } from "../../turns.ts";
import { decide, policyIn } from "./decide.ts";
import { dryRun } from "./dry-run.ts";
import { readJournal } from "./journal.ts";
import { type ApiCall, ApiError, type ApiServices, badRequest, get, type Operation, refuseWrong } from "./operation.ts";
import { containSession, rateSession, releaseSession, resetSession } from "./operator-actions.ts";
import { overview, status } from "./overview.ts";
import { listSessions, readSession } from "./sessions.ts";

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

/** A request for something under `/unloop`. */
export interface Asked extends Sender {
  readonly request: Request;
  /** In lower case; `head` counts as `get`. */
  readonly method: string;
  /** Behind `/unloop`. */
  readonly path: string;
}

/** Answers what stands under `/api`; undefined for what is none of its operations. */
export function adminApi(services: ApiServices, access: AdminAccess) {
  const routes = Object.entries<Operation>(operations).map(([id, operation]) => ({
    ...{ id, operation, pattern: new RegExp(`^/api${operation.path.replace(/\{\w+\}/, "([^/]+)")}$`) },
  }));
  return async (asked: Asked): Promise<Response | undefined> => {
    const here = routes.filter(({ pattern }) => pattern.test(asked.path));
    if (here.length === 0) return undefined;
    const route = here.find(({ operation }) => operation.method === asked.method);
    if (route !== undefined) {
      const target = route.pattern.exec(asked.path)?.[1] ?? "";
      // What `adminPath` has left, so that it divides no path.
      const id = target.replace(/%(?:2f|3f|23|25)/gi, decodeURIComponent);
      return answer(asked, route.id, id, route.operation, services, access);
    }
    const allow = here.map(({ operation }) => operation.method.toUpperCase()).join(", ");
    return problem(405, "wrong_method", `Ask with ${allow}, not with ${asked.request.method}.`, { allow });
  };
}

async function answer(
  asked: Asked,
  act: string,
  id: string,
  operation: Operation,
  services: ApiServices,
  access: AdminAccess,
): Promise<Response> {
  const actor = admitAudited(asked, operation.role, access);
  if ("message" in actor) return problem(actor.status, actor.code, actor.message);
  const hold = services.guard().bodyBudget.open(actor.tenant ?? actor.name);
  try {
    const query = new URL(asked.request.url).searchParams;
    // A misspelt filter would let everything through.
    refuseWrong(object(operation.query ?? {}), Object.fromEntries([...query].reverse()), "query");
    const body =
      operation.body &&
      (await jsonBody(asked.request, (bytes) => {
        if (!hold.take(bytes))
          throw new UnloopError("overloaded", "The request bodies in flight use all the memory reserved for them.");
      }));
    if (operation.body !== undefined) refuseWrong(operation.body, body, "body");
    if (operation.role === "operate") {
      const { reason } = body as { readonly reason?: string };
      const entry = { act, actor: actor.name, reason, session: id, ...originOf(asked) };
      if (access.audit?.(entry) === false) throw new UnloopError("audit_failed", "The audit cannot be written.");
    }
    const call = { ...services, actor, body, id, query: (name: string) => query.get(name) ?? undefined };
    const value = await operation.handle(call as ApiCall<never>);
    return Response.json(value, { headers: { "cache-control": "no-store" } });
  } catch (error) {
    if (error instanceof ApiError) return problem(error.status, error.code, error.message);
    if (!(error instanceof UnloopError)) throw error;
    return problem(error.code === "bad_setting" ? 400 : 503, error.code, `${error.message} ${error.cure}`);
  } finally {
    hold.release();
  }
}

export function problem(status: number, code: string, message: string, headers?: Record<string, string>): Response {
  return Response.json({ error: { code, message } }, { status, ...(headers && { headers }) });
}

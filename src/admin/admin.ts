import { type AdminAccess, admitAudited } from "./access.ts";
import { UnloopError } from "../errors.ts";
import { pageFiles } from "../page/page.ts";
import { failOpen } from "../proxy/proxy.ts";
import { adminApi, type ApiServices, type Asked, problem } from "./api/api.ts";

export { type AdminAccess, type AdminToken, identifyBy, operatorToken, tokensIn } from "./access.ts";

export interface AdminOptions {
  /** Whether new exchanges are welcome: all are answered until the listener closes, but others may be faster. */
  readonly status: () => "ready" | "draining" | "warming-up";
  readonly metrics: ((tenant?: string) => Promise<{ readonly contentType: string; readonly text: string }>) | undefined;
  readonly access: AdminAccess;
  readonly api: ApiServices;
  /** Undefined where the platform serves the page's files itself. */
  readonly page: ((path: string) => Response | undefined) | undefined;
}

/** Answers what is asked under `/unloop`: nothing there is ever the upstream's. @param address of the other end, where the platform tells it */
export type AdminApp = (request: Request, address?: string) => Promise<Response>;

/** The path behind `/unloop` in a target: without host, query and escapes, but for those of `/`, `?`, `#` and `%`, which divide nothing. Undefined where it is not the operators'. */
export function adminPath(target: string): string | undefined {
  const path = target.replace(/^\w+:\/\/[^/?#]*/, "");
  const plain = path.replace(/%(?!2f|3f|23|25)[2-7][\da-f]/gi, (one) => decodeURIComponent(one));
  return /^\/unloop(?![^/?#])([^?#]*)/.exec(plain)?.[1];
}

/** What orchestrators ask, where operators have a listener of their own. */
export function healthApp(status: AdminOptions["status"]): AdminApp {
  return answering(async ({ path }) => healthIn(path, status));
}

export function adminApp({ status, metrics, access, api, page }: AdminOptions): AdminApp {
  const ask = adminApi(api, access);
  const find = async (asked: Asked) => {
    const { method, path } = asked;
    if (method !== "get") return ask(asked);
    if (path === "/metrics" && metrics !== undefined) {
      const actor = admitAudited(asked, "metrics", access);
      if ("message" in actor) return problem(actor.status, actor.code, actor.message);
      const { contentType, text } = await metrics(actor.tenant);
      return new Response(text, { headers: { "content-type": contentType } });
    }
    return healthIn(path, status) ?? (await ask(asked)) ?? page?.(path);
  };
  return answering((asked) =>
    failOpen<Response | undefined, Response>(
      () => find(asked),
      (facts) => {
        api.guard().services.log.error(facts, "exchange-failed");
        const { status, code, message, cure } = new UnloopError("internal_error", "The guard failed.");
        return problem(status, code, `${message} ${cure}`);
      },
    ),
  );
}

function answering(answer: (asked: Asked) => Promise<Response | undefined>): AdminApp {
  return async (request, address) => {
    const isHead = request.method === "HEAD";
    const method = isHead ? "get" : request.method.toLowerCase();
    const asked = { request, method, path: adminPath(request.url) ?? "?", headers: request.headers, address };
    const response = (await answer(asked)) ?? problem(404, "not_found", "There is nothing here.");
    response.headers.set("x-content-type-options", "nosniff");
    return isHead ? new Response(null, response) : response;
  };
}

function healthIn(path: string, status: AdminOptions["status"]): Response | undefined {
  if (path === "/healthz") return Response.json({ status: "ok" });
  if (path !== "/readyz") return undefined;
  return Response.json({ status: status() }, { status: status() === "ready" ? 200 : 503 });
}

/** Nothing but the page's own files and the API of the same origin; and no frame of another site around it. */
const CONTENT_SECURITY_POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The live page: static files that tell nothing, so they are for all; what is told comes from the API. @param file gives one by its name */
export function pageApp(file: (name: string) => string): Required<AdminOptions>["page"] {
  const files = new Map([
    ["/", { name: "index.html", type: "text/html" }],
    ["/api/openapi.json", { name: "openapi.json", type: "application/json" }],
    ...pageFiles().map(([name, type]) => [`/assets/${name}`, { name, type }] as const),
  ]);
  return (path) => {
    const found = files.get(path || "/");
    return found && new Response(file(found.name), { headers: headersFor(found.type) });
  };
}

const headersFor = (type: string) => ({
  "content-type": `${type}; charset=utf-8`,
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
  // The files of another version must not stay behind.
  "cache-control": "no-cache",
});

import type { Context } from "hono";
import { Hono } from "hono/tiny";
import { type AdminAccess, admitAudited } from "./access.ts";
import { pageFiles } from "../page/page.ts";
import { adminApi, type ApiServices } from "./api/api.ts";

export { type AdminAccess, type AdminToken, identifyBy, operatorToken, tokensIn } from "./access.ts";

export interface AdminOptions {
  /** Whether new exchanges are welcome: all are answered until the listener closes, but others may be faster. */
  readonly status: () => "ready" | "draining" | "warming-up";
  readonly metrics: ((tenant?: string) => Promise<{ readonly contentType: string; readonly text: string }>) | undefined;
  readonly access: AdminAccess;
  readonly api: ApiServices;
  /** Undefined where the platform serves the page's files itself. */
  readonly page: Hono | undefined;
}

/** What orchestrators ask, to be mounted under `/unloop` where operators have a listener of their own. */
export function healthApp(status: AdminOptions["status"]): Hono {
  const app = healthRoutes(status);
  app.all("*", nothingHere);
  return app;
}

function healthRoutes(status: AdminOptions["status"]): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    context.header("x-content-type-options", "nosniff");
  });
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.get("/readyz", (context) => context.json({ status: status() }, status() === "ready" ? 200 : 503));
  return app;
}

export function adminApp({ status, metrics, access, api, page }: AdminOptions): Hono {
  const app = healthRoutes(status);
  if (metrics !== undefined)
    app.get("/metrics", async (context) => {
      const actor = admitAudited(context, "metrics", access);
      if ("message" in actor)
        return context.json({ error: { code: actor.code, message: actor.message } }, actor.status);
      const { contentType, text } = await metrics(actor.tenant);
      return context.body(text, 200, { "content-type": contentType });
    });
  app.route("/api", adminApi(api, access));
  if (page !== undefined) app.route("/", page);
  // Nothing under this path is ever the upstream's.
  app.all("*", nothingHere);
  return app;
}

const nothingHere = (context: Context) =>
  context.json({ error: { code: "not_found", message: "There is nothing here." } }, 404);

/** Nothing but the page's own files and the API of the same origin; and no frame of another site around it. */
const CONTENT_SECURITY_POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const headersFor = (type: string) => ({
  "content-type": `${type}; charset=utf-8`,
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  // The files of another version must not stay behind.
  "cache-control": "no-cache",
});

/** The live page: static files that tell nothing, so they are for all; what is told comes from the API. @param file gives one by its name */
export function pageApp(file: (name: string) => string): Hono {
  const app = new Hono();
  app.get("/api/openapi.json", (context) => context.body(file("openapi.json"), 200, headersFor("application/json")));
  app.get("*", async (context, next) =>
    /^\/unloop\/?$/.test(context.req.path) ? context.body(file("index.html"), 200, headersFor("text/html")) : next(),
  );
  for (const [name, type] of Object.entries(pageFiles))
    app.get(`/assets/${name}`, (context) => context.body(file(name), 200, headersFor(type)));
  return app;
}

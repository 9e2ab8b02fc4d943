import { Hono } from "hono/tiny";
import { pageFiles } from "../page/page.ts";

/** Gives a file of the page by its name. */
type PageFile = (name: string) => string;

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

/** The live page: static files that tell nothing, so they are for all; what is told comes from the API. */
export function pageApp(file: PageFile): Hono {
  const app = new Hono();
  app.get("*", (context, next) =>
    /^\/unloop\/?$/.test(context.req.path)
      ? Promise.resolve(context.body(file("index.html"), 200, headersFor("text/html")))
      : next(),
  );
  for (const [name, type] of Object.entries(pageFiles))
    app.get(`/assets/${name}`, (context) => context.body(file(name), 200, headersFor(type)));
  return app;
}

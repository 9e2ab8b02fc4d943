/**
 * Unloop on any runtime that serves a `fetch` function.
 *
 *   bun examples/web/server.ts
 *   deno serve --allow-env --allow-net --port 3000 examples/web/server.ts
 */
import { Hono } from "hono";
import { unloop } from "unloop";

const app = new Hono();

// Middleware may read the body: Hono keeps it, and the upstream gets it byte for byte.
app.use("/llm/*", async (context, next) => {
  const { model } = await context.req.json<{ readonly model?: string }>();
  if (model === "forbidden") return context.json({ error: "This model is not for us." }, 403);
  await next();
  return undefined;
});

app.route("/llm", unloop({ upstream: process.env.UPSTREAM ?? "https://api.openai.com" }));

export default { port: 3000, fetch: app.fetch };

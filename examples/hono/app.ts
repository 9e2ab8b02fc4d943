/**
 * Unloop inside an app of yours: a path of a Hono app is the guard, with the app's own middleware in front of it.
 *
 *   npx tsx examples/hono/app.ts
 *   curl http://127.0.0.1:3000/llm/v1/chat/completions -H "x-team: search" -H "authorization: Bearer $OPENAI_API_KEY" …
 */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { unloop } from "unloop";
import { nodeTransport } from "unloop/node";

const app = new Hono();

app.get("/", (context) => context.text("Agents use /llm/v1 as their base URL."));

// Middleware runs before the guard, as before any other route.
app.use("/llm/*", async (context, next) => {
  if (context.req.header("x-team") === undefined)
    return context.json({ error: "Say which team you are: x-team." }, 401);
  await next();
  return undefined;
});

app.route(
  "/llm",
  unloop({
    upstream: process.env.UPSTREAM ?? "https://api.openai.com",
    // Runs of one customer-facing bot may poll for long; all else is as the default policy has it.
    policy: '{ "extends": "default", "ladders": { "unchanged-poll": { "force-done": 40, "short-circuit": 60 } } }',
    // Moves bytes without web streams, several times faster on Node. Leave it out on other platforms.
    transport: nodeTransport(),
  }),
);

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? 3000) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/llm/v1`),
);

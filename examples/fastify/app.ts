/**
 * Unloop inside a fastify app: a path is the guard, without Hono and without web streams.
 *
 *   npx tsx examples/fastify/app.ts
 */
import fastify from "fastify";
import { guardOf } from "unloop";
import { nodeTransport } from "unloop/node";

const app = fastify();
const transport = nodeTransport();
const guard = guardOf({ upstream: process.env.UPSTREAM ?? "https://api.openai.com", transport });

app.get("/", async () => "Agents use /llm/v1 as their base URL.");

app.register(async (scope) => {
  // Below this path bodies are the guard's own: no parser reads them first.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  scope.all("/llm/*", (request, reply) => {
    reply.hijack();
    request.raw.url = request.url.slice("/llm".length);
    transport.take(request.raw, reply.raw, guard);
  });
});

console.log(`${await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 3000) })}/llm/v1`);

/**
 * Unloop inside an express app: a path is the guard, without Hono and without web streams.
 *
 *   npx tsx examples/express/app.ts
 */
import express from "express";
import type { AddressInfo } from "node:net";
import { guardOf } from "unloop";
import { nodeTransport } from "unloop/node";

const app = express();
const transport = nodeTransport();
const guard = guardOf({ upstream: process.env.UPSTREAM ?? "https://api.openai.com", transport });

// An app that parses every body keeps the bytes for the guard; without `verify`, mount the guard in front of the parser.
app.use(
  express.json({
    limit: "32mb",
    verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }),
  }),
);

app.use("/llm", (request, response) => transport.take(request, response, guard));

app.get("/", (_request, response) => void response.send("Agents use /llm/v1 as their base URL."));

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/llm/v1`),
);

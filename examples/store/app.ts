/**
 * The guard with a session store of your own (file-store.ts), in an app that you can stop and start again.
 *
 *   SESSIONS=./sessions npx tsx examples/store/app.ts
 */
import { serve } from "@hono/node-server";
import { memoryStores, unloop } from "unloop";
import { nodeTransport } from "unloop/node";
import { fileStore } from "./file-store.ts";

const SWEEP_MS = 60_000;

const sessions = fileStore(process.env.SESSIONS ?? "./sessions");
const app = unloop({
  upstream: process.env.UPSTREAM ?? "https://api.openai.com",
  // Counters (budgets) and the journal stay in memory here; a store for several processes keeps them, too.
  stores: { ...memoryStores(), sessions },
  // Keys the signatures in the files: after a restart with another one they mean nothing.
  secret: process.env.UNLOOP_SECRET ?? "a development secret",
  transport: nodeTransport(),
});

setInterval(() => sessions.sweep().catch((error) => console.error("sweeping failed:", error)), SWEEP_MS).unref();
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? 3000) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/v1`),
);

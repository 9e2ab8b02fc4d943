// What a gateway in the usual style does before it begins its own work: hono, the body as text, parsed. Arguments: its port,
// the upstream's origin.
import { Readable } from "node:stream";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Agent, request } from "undici";

const [port, origin] = process.argv.slice(2);
const dispatcher = new Agent({ connections: 1024, headersTimeout: 600_000, bodyTimeout: 300_000 });
const app = new Hono();

app.post("*", async (context) => {
  const text = await context.req.text();
  if (!Array.isArray(JSON.parse(text).messages)) return context.text("No messages.", 400);
  const headers = { ...context.req.header() };
  for (const own of ["connection", "host", "transfer-encoding"]) delete headers[own];
  const answer = await request(`${origin}${context.req.path}`, { method: "POST", headers, body: text, dispatcher });
  const fields = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    if (!["connection", "keep-alive", "transfer-encoding"].includes(name)) fields.set(name, String(value));
  }
  return new Response(Readable.toWeb(answer.body), { status: answer.statusCode, headers: fields });
});

serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" });

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Transport, unloop, webTransport } from "../../src/index.ts";
import { damaged, misshapen } from "../fuzz/inputs.ts";
import { type LogLine, logInto } from "./guard-rig.ts";

/** What a guard logs that works. */
const ordinary = new Set(["exchange", "recorded", "loop-warning"]);

const encoder = new TextEncoder();

/** The whole guard without sockets: what would be sent is written down and answered at once. */
function guardInProcess() {
  const logged: LogLine[] = [];
  let received: Uint8Array | undefined;
  let clients = 0;
  const { accept, close } = webTransport();
  const transport: Transport = {
    accept,
    close,
    async send({ body }, sink) {
      received = body instanceof Uint8Array ? body : undefined;
      sink.head(200, { "content-type": "application/json" });
      sink.write(encoder.encode("{}"));
      sink.end();
    },
  };
  const app = unloop({ upstream: "http://upstream.test", transport, log: logInto(logged) });
  return async (body: Uint8Array<ArrayBuffer>) => {
    logged.length = 0;
    received = undefined;
    // Each by a client of its own: small bodies come again, and the same request over and over is a storm.
    const headers = { authorization: `Bearer sk-${clients++}` };
    const response = await app.request("/v1/chat/completions", { method: "POST", headers, body });
    const text = await response.text();
    const verdict = response.headers.get("x-unloop-verdict");
    const failures = logged.filter(({ event }) => !ordinary.has(event));
    const untouched = received !== undefined && Buffer.from(body).equals(received);
    const sticky = response.headers.has("x-unloop-sticky");
    return { status: response.status, text, verdict, sticky, received, untouched, failures };
  };
}

// --- bodies ---

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const calls = (turn: number, count: number): Json =>
  Array.from({ length: count }, (_, i) => ({
    id: `c${turn}-${i}`,
    type: "function",
    function: { name: `tool_${i % 3}`, arguments: JSON.stringify({ path: `src/${turn}/${i}.ts`, line: turn * 7 }) },
  }));

/** A run of different calls with different results; there is no loop in it. */
function healthyRequest(turns: number, width: number): { [key: string]: Json } {
  const messages: Json[] = [
    { role: "system", content: "You are a careful engineer." },
    {
      role: "user",
      content: [
        { type: "text", text: "Fix the bug" },
        { type: "image_url", image_url: { url: "data:x" } },
      ],
    },
  ];
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push({ role: "assistant", content: turn % 2 ? null : `Step ${turn}`, tool_calls: calls(turn, width) });
    for (let i = 0; i < width; i += 1) {
      const content = `file ${turn}/${i} holds the number ${turn * 1000 + i} and the word w${turn}x${i}`;
      messages.push({ role: "tool", tool_call_id: `c${turn}-${i}`, content });
    }
  }
  const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  const tools = [0, 1, 2].map((i) => ({ type: "function", function: { name: `tool_${i}`, parameters } }));
  const format = { type: "json_schema", json_schema: { name: "x", schema: { type: "object" } } };
  return { model: "gpt-4o", stream: false, tools, tool_choice: "auto", response_format: format, messages };
}

const healthy = [healthyRequest(1, 1), healthyRequest(3, 2), healthyRequest(5, 4)];
const bytesOf = (texts: fc.Arbitrary<string>) => texts.map((text) => encoder.encode(text));
const odd = fc.oneof(
  { arbitrary: bytesOf(misshapen(healthy)), weight: 6 },
  { arbitrary: bytesOf(damaged(healthy.map((request) => JSON.stringify(request)))), weight: 3 },
  { arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes)), weight: 1 },
);

describe("no body, however odd,", () => {
  it("is held back, changed, or too much for the guard", async () => {
    const guard = guardInProcess();
    const property = fc.asyncProperty(odd, async (body) => {
      const { status, untouched, verdict, failures } = await guard(body);
      expect({ status, untouched, failures }).toEqual({ status: 200, untouched: true, failures: [] });
      expect(["ok", "unguarded"]).toContain(verdict);
    });
    await fc.assert(property);
  });

  it.each([
    { name: "a thousand parallel calls", body: JSON.stringify(healthyRequest(2, 1_000)) },
    { name: "a million brackets", body: `{"messages":${"[".repeat(500_000)}${"]".repeat(500_000)}}` },
    { name: "a hundred thousand messages", body: `{"messages":[${Array(100_000).fill('{"role":"user"}').join(",")}]}` },
  ])("is too much with $name", async ({ body }) => {
    const bytes = encoder.encode(body);
    const { untouched, status, failures } = await guardInProcess()(bytes);
    expect({ status, untouched, failures }).toEqual({ status: 200, untouched: true, failures: [] });
  });
});

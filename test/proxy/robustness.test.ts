import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { damaged, misshapen } from "../fuzz/inputs.ts";
import { called, repeated } from "../support/builders/chat-history.ts";
import { inProcess } from "../support/builders/in-process.ts";
import { type LogLine, logInto } from "./guard-rig.ts";

const ordinary = new Set(["exchange", "recorded", "loop-warning"]);
const encoder = new TextEncoder();
const passed = { status: 200, untouched: true, failures: [] };

function guard() {
  const logged: LogLine[] = [];
  const { fetch, asked } = inProcess(() => Response.json({}), { log: logInto(logged) });
  return async (body: Uint8Array<ArrayBuffer>) => {
    logged.length = 0;
    // Each by a client of its own: small bodies come again, and the same request over and over is a storm.
    const headers = { authorization: `Bearer sk-${asked.length}` };
    const response = await fetch("/v1/chat/completions", { method: "POST", headers, body });
    await response.text();
    const untouched = asked.at(-1)?.bytes.equals(Buffer.from(body));
    const failures = logged.filter(({ event }) => !ordinary.has(event));
    return { status: response.status, untouched, failures, verdict: response.headers.get("x-unloop-verdict") };
  };
}

const healthyRequest = (turns: number, width: number): object => ({
  model: "gpt-4o",
  tools: [{ type: "function", function: { name: "read", parameters: { type: "object" } } }],
  response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "object" } } },
  messages: [
    { role: "system", content: "You are a careful engineer." },
    {
      role: "user",
      content: [
        { type: "text", text: "Fix the bug" },
        { type: "image_url", image_url: { url: "data:x" } },
      ],
    },
    ...repeated(turns, (turn) => {
      const told = Array.from({ length: width }, (_, i) =>
        called(
          `c${turn}-${i}`,
          "read",
          { path: `src/${turn}/${i}.ts` },
          `file ${turn}/${i} holds the word w${turn}x${i}`,
        ),
      );
      const tool_calls = told.map(([call]) => Object(call).tool_calls[0]);
      return [{ role: "assistant", content: null, tool_calls }, ...told.flatMap((both) => both.slice(1))];
    }),
  ],
});

const healthy = [healthyRequest(1, 1), healthyRequest(3, 2), healthyRequest(5, 4)];
const bytesOf = (texts: fc.Arbitrary<string>) => texts.map((text) => encoder.encode(text));
const odd = fc.oneof(
  { arbitrary: bytesOf(misshapen(healthy)), weight: 6 },
  { arbitrary: bytesOf(damaged(healthy.map((request) => JSON.stringify(request)))), weight: 3 },
  { arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes)), weight: 1 },
);

describe("no body, however odd,", () => {
  it("is held back, changed, or too much for the guard", async () => {
    const ask = guard();
    const property = fc.asyncProperty(odd, async (body) => {
      const { verdict, ...came } = await ask(body);
      expect(came).toEqual(passed);
      expect(["ok", "unguarded"]).toContain(verdict);
    });
    await fc.assert(property);
  });

  it.each([
    { name: "a thousand parallel calls", body: JSON.stringify(healthyRequest(2, 1_000)) },
    { name: "a million brackets", body: `{"messages":${"[".repeat(500_000)}${"]".repeat(500_000)}}` },
    { name: "a hundred thousand messages", body: `{"messages":[${Array(100_000).fill('{"role":"user"}').join(",")}]}` },
  ])("is too much with $name", async ({ body }) => {
    expect(await guard()(encoder.encode(body))).toMatchObject(passed);
  });
});

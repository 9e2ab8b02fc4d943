import fc from "fast-check";
import { expect, it } from "vitest";
import { damaged, misshapen } from "../fuzz/inputs.ts";
import { samples } from "../fuzz/samples.ts";
import { called, chatBody, repeated, user } from "../support/builders/chat-history.ts";
import { inProcess } from "../support/builders/in-process.ts";
import { type LogLine, logInto } from "./guard-rig.ts";

const ordinary = new Set(["exchange", "recorded", "loop-warning"]);
const encoder = new TextEncoder();

const walk = (count: number) =>
  chatBody([user("Read."), ...repeated(count, (i) => called(`c${i}`, "read", { i }, `word${i} of ${count}`))]);
const healthy = [JSON.stringify(samples["chat-completions"].request), walk(1), walk(6)];
const odd = fc.oneof(
  {
    weight: 6,
    arbitrary: misshapen(healthy.map((text) => JSON.parse(text))).map((text) => encoder.encode(text)),
  },
  { weight: 3, arbitrary: damaged(healthy).map((text) => encoder.encode(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes)) },
);

it("no body, however odd, is held back, changed, or too much for the guard", async () => {
  const logged: LogLine[] = [];
  const { fetch, asked } = inProcess(() => Response.json({}), { log: logInto(logged) });
  const property = fc.asyncProperty(odd, async (body) => {
    // Each by a client of its own: small bodies come again, and the same request over and over is a storm.
    const headers = { authorization: `Bearer sk-${asked.length}` };
    const response = await fetch("/v1/chat/completions", { method: "POST", headers, body });
    await response.text();
    expect([response.status, asked.at(-1)?.bytes.equals(Buffer.from(body))]).toEqual([200, true]);
    expect(["ok", "unguarded"]).toContain(response.headers.get("x-unloop-verdict"));
    expect(logged.splice(0).filter(({ event }) => !ordinary.has(event))).toEqual([]);
  });
  await fc.assert(property);
});

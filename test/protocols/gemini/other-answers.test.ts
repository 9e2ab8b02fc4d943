import { describe, expect, it } from "vitest";
import { guardRig, standard } from "../../proxy/guard-rig.ts";
import { geminiArrayWire, geminiStreamWire, geminiWire } from "../../support/wires/gemini.ts";
import type { Said } from "../../support/wires/wire.ts";
import { call, chunk, text } from "./support.ts";

const opening: Said = { who: "user", text: "What is the weather in Paris?" };
/** Twice the same: the next answer may complete a loop, and is watched. */
const repeated = ["c1", "c2"].flatMap((id): readonly Said[] => [
  { who: "assistant", calls: [{ id, tool: "search", args: '{"q":"Paris"}' }] },
  { who: "tool", id, text: "Rain." },
]);

const words = chunk([text("In 箱根 it rains.")]);
const again = chunk([call("search", { q: "Paris" })], {}, { finishReason: "STOP" });
const array = `[${words},\r\n${again}]\n`;
const events = `data: ${words}\r\n\r\ndata: ${again}\r\n\r\n`;
const withinCharacter = (whole: string) => Buffer.from(whole).subarray(0, Buffer.from(whole).indexOf("箱") + 1);

const answers: readonly { readonly name: string; readonly type: string; readonly body: string | Uint8Array }[] = [
  { name: "an array that ends within an element", type: "application/json", body: array.slice(0, -8) },
  { name: "an array without its bracket", type: "application/json", body: `[${words}` },
  { name: "an array that ends within a character", type: "application/json", body: withinCharacter(array) },
  { name: "an array of something else", type: "application/json", body: '[1, "two", [{"three": 3}], null]' },
  { name: "events that end within a character", type: "text/event-stream", body: withinCharacter(events) },
  {
    name: "events of another API",
    type: "text/event-stream",
    body: 'data: {"choices":[{"delta":{}}]}\n\ndata: [DONE]\n\n',
  },
  { name: "JSON lines", type: "application/x-ndjson", body: '{"message":{"content":"Hi."},"done":true}\n' },
  { name: "an object that ends early", type: "application/json", body: words.slice(0, -8) },
  { name: "a page", type: "text/html", body: "<h1>Hi.</h1>" },
  { name: "nothing", type: "application/json", body: "" },
];

describe.each([
  { asks: "JSON", wire: geminiWire },
  { asks: "events", wire: geminiStreamWire },
  { asks: "an array", wire: geminiArrayWire },
])("where $asks is asked for", ({ wire }) => {
  it.each(
    answers.flatMap((answer) => [
      { ...answer, run: "a new run", said: [opening] },
      { ...answer, run: "one that may loop", said: [opening, ...repeated] },
    ]),
  )("an answer that is $name goes through byte for byte in $run", async ({ type, body, said }) => {
    const fields = { "content-type": type };
    const bytes = Buffer.from(body);
    const pieces = [bytes.subarray(0, 20), bytes.subarray(20)];
    const rig = await guardRig(
      () => ({ kind: "raw", status: 200, fields, pieces, ending: "end" }),
      { policy: standard() },
      wire,
    );
    const asked = { method: "POST", body: JSON.stringify(wire.body({ said })) };
    const answer = await fetch(`${rig.url}${wire.path}`, asked);
    expect(Buffer.from(await answer.arrayBuffer()).toString("latin1")).toBe(bytes.toString("latin1"));
    expect(answer.headers.get("content-type")).toBe(type);
    expect(rig.upstream.requests).toHaveLength(1);
  });
});

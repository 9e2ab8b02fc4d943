import { describe, expect, it } from "vitest";
import { guardRig, standard } from "../proxy/guard-rig.ts";
import { chatCompletionsWire } from "../support/wires/chat-completions.ts";
import { geminiArrayWire, geminiStreamWire, geminiWire } from "../support/wires/gemini.ts";
import { ollamaWire } from "../support/wires/ollama.ts";
import type { Said } from "../support/wires/wire.ts";

const opening: Said = { who: "user", text: "What is the weather in Paris?" };
const repeated = ["c1", "c2"].flatMap((id): readonly Said[] => [
  { who: "assistant", calls: [{ id, tool: "search", args: '{"q":"Paris"}' }] },
  { who: "tool", id, text: "Rain." },
]);

const words = '{"candidates":[{"content":{"role":"model","parts":[{"text":"In 箱根 it rains."}]},"index":0}]}';
const line = '{"model":"m","message":{"role":"assistant","content":"箱"},"done":false}\n';
const withinCharacter = (whole: string) => Buffer.from(whole).subarray(0, Buffer.from(whole).indexOf("箱") + 1);

const answers: readonly (readonly [name: string, type: string, body: string | Uint8Array])[] = [
  ["an array that ends within an element", "application/json", `[${words},\r\n${words.slice(0, -8)}`],
  ["an array without its bracket", "application/json", `[${words}`],
  ["an array that ends within a character", "application/json", withinCharacter(`[${words}]`)],
  ["an array of something else", "application/json", '[1, "two", [{"three": 3}], null]'],
  ["events that end within a character", "text/event-stream", withinCharacter(`data: ${words}\r\n\r\n`)],
  ["events of another API", "text/event-stream", 'data: {"choices":[{"delta":{}}]}\n\ndata: [DONE]\n\n'],
  ["lines that end within a character", "application/x-ndjson", withinCharacter(line)],
  ["lines under the type of one JSON text", "application/json", `${line}{"done":true}\n`],
  ["lines that are no JSON", "application/x-ndjson", 'Hi.\n{\n"x"}\n'],
  ["an object that ends early", "application/json", words.slice(0, -8)],
  ["a page", "text/html", "<h1>Hi.</h1>"],
  ["nothing", "application/json", ""],
];

describe.each([
  { asked: "chat completions", wire: chatCompletionsWire },
  { asked: "lines", wire: ollamaWire },
  { asked: "JSON", wire: geminiWire },
  { asked: "events", wire: geminiStreamWire },
  { asked: "an array", wire: geminiArrayWire },
])("where $asked is asked for, an answer that is", ({ wire }) => {
  it.each(answers)("%s goes through byte for byte, of a new run and of one that may loop", async (_, type, body) => {
    const bytes = Buffer.from(body);
    const pieces = [bytes.subarray(0, 20), bytes.subarray(20)];
    const script = () =>
      ({ kind: "raw", status: 200, fields: { "content-type": type }, pieces, ending: "end" }) as const;
    for (const said of [[opening], [opening, ...repeated]]) {
      const rig = await guardRig(script, { policy: standard() }, wire);
      const asked = { method: "POST", body: JSON.stringify(wire.body({ said })) };
      const answer = await fetch(`${rig.url}${wire.path}`, asked);
      expect(Buffer.from(await answer.arrayBuffer()).toString("latin1")).toBe(bytes.toString("latin1"));
      expect(answer.headers.get("content-type")).toBe(type);
      expect(rig.upstream.requests).toHaveLength(1);
    }
  });
});

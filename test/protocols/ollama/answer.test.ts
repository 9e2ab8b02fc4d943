import { describe, expect, it } from "vitest";
import { ollama } from "../../../src/protocols/ollama/ollama.ts";
import { type Answer, answerReader, segmentBytes, splitStream } from "../../../src/protocols/protocols.ts";

function line(message: object, more: object = {}): string {
  return `${JSON.stringify({ model: "qwen3", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content: "", ...message }, done: false, ...more })}\n`;
}

function read(...pieces: readonly (string | Uint8Array)[]): Answer | undefined {
  const reader = answerReader(ollama, "application/x-ndjson");
  for (const piece of pieces) reader.push(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
  return reader.end();
}

const call = (name: string, args: unknown = {}) => ({ tool_calls: [{ function: { name, arguments: args } }] });
const last = (more: object = {}) =>
  line({}, { done: true, done_reason: "stop", prompt_eval_count: 7, eval_count: 3, ...more });
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("a stream", () => {
  it("tells calls whole, one line each or several in one", () => {
    const both = { tool_calls: [...call("a", { q: 1 }).tool_calls, ...call("b").tool_calls] };
    const told = [
      { tool: "a", args: '{"q":1}' },
      { tool: "b", args: "{}" },
    ];
    expect(read(line(both), last())?.step.calls).toEqual(told);
    expect(read(line(call("a", { q: 1 })), line(call("b")), last())?.step.calls).toEqual(told);
  });

  it("thinks aside, counts in its last line and says there why it ends, where its server does", () => {
    const thinking = line({ thinking: "Hm." }) + line({ content: "Hi." });
    expect(read(thinking, last({ done_reason: "length" }))).toMatchObject({
      finishReason: "length",
      usage: { inputTokens: 7, outputTokens: 3 },
      step: { text: "Hi." },
    });
    expect(read(thinking, line({}, { done: true }))).toMatchObject({ finishReason: "stop" });
  });

  it.each(['{"error":"no"}\n', '{"error":{"message":"no"}}\n', "", "[1]\n", "nonsense\n"])(
    "with %j is no answer",
    (odd) => {
      expect(read(odd)).toBeUndefined();
      expect(read(line({ content: "Hi." }), odd)).toBeUndefined();
    },
  );

  it("that goes on with another does so in a paragraph of its own, counts both, and passes else byte for byte", () => {
    const first = splitStream(ollama.decoder(), false);
    first.push(bytesOf(line({ content: "I look." }) + line(call("a")) + last({ total_duration: 5 })), () => undefined);
    const goOn = (text: string) =>
      Buffer.from(
        segmentBytes(splitStream(ollama.resume(first.state(), first.state()), false), bytesOf(text)),
      ).toString();
    const [it1, rains] = [line({ content: "It " }), line({ content: "rains." })];
    const counts = { prompt_eval_count: 14, eval_count: 6, load_duration: 2, total_duration: 5 };
    expect(goOn(it1 + rains + last({ load_duration: 2 }))).toBe(line({ content: "\n\nIt " }) + rains + last(counts));
    const odd = '{ "message":{"role":"assistant","content":"", "x":1e400},"done":false }\n';
    expect(goOn(odd)).toBe(odd);
    const count = '{"done":true,"eval_count":3}\n';
    const rest = { eval_count: 6, message: { role: "assistant", content: "\n\nI loo" } };
    expect(JSON.parse(goOn(line({ content: "I loo" }) + count).split("\n")[1] ?? "")).toMatchObject(rest);
  });
});

import { expect, it } from "vitest";
import { ollama } from "../../../src/protocols/ollama/ollama.ts";
import { segmentBytes, splitStream } from "../../../src/protocols/protocols.ts";

function line(message: object, more: object = {}): string {
  return `${JSON.stringify({ model: "qwen3", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content: "", ...message }, done: false, ...more })}\n`;
}

const call = (name: string, args: unknown = {}) => ({ tool_calls: [{ function: { name, arguments: args } }] });
const last = (more: object = {}) =>
  line({}, { done: true, done_reason: "stop", prompt_eval_count: 7, eval_count: 3, ...more });
const bytesOf = (text: string) => new TextEncoder().encode(text);

it("a stream that goes on with another does so in a paragraph of its own, counts both, and passes else byte for byte", () => {
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

import { describe, expect, it } from "vitest";
import { ollama } from "../../../src/protocols/ollama/ollama.ts";
import { answerReader, segmentBytes, splitStream } from "../../../src/protocols/protocols.ts";
import { line, read, said } from "./support.ts";
import { wholeAnswer } from "../../../src/protocols/answer/read-answer.ts";

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

  it("counts its tokens in its last line, and says why it ends", () => {
    expect(read(line({ content: "Hi." }), last({ done_reason: "length" }))).toMatchObject({
      finishReason: "length",
      usage: { inputTokens: 7, outputTokens: 3 },
    });
  });

  it("of an older server gives no reason", () => {
    expect(read(line({ content: "Hi." }), line({}, { done: true }))).toMatchObject({ finishReason: "stop" });
  });

  it.each(['{"error":"model not found"}\n', '{"error":{"message":"no"}}\n'])(
    "with an error in it is no answer: %s",
    (error) => {
      expect(read(line({ content: "Hi." }), error)).toBeUndefined();
      expect(read(error)).toBeUndefined();
    },
  );

  it.each(["", "[1]\n", "nonsense\n", '"text"\n'])("that is none of JSON objects is no answer: %j", (text) => {
    expect(read(text)).toBeUndefined();
    expect(read(line({ content: "Hi." }), text)).toBeUndefined();
  });

  it("that is cut off ends as one that is done", () => {
    const reader = answerReader(ollama, "application/x-ndjson");
    reader.push(bytesOf(`${line({ content: "I look. " })}${line({ content: "I lo" }).slice(0, 20)}`));
    const closing = JSON.parse(reader.close() ?? "");
    expect(closing).toMatchObject({ model: "qwen3", created_at: expect.any(String), done: true, done_reason: "stop" });
    expect(reader.end()?.step.text).toBe("I look. ");
  });

  it("that thinks thinks aside", () => {
    const heard: string[][] = [];
    const reader = answerReader(ollama, "application/x-ndjson", (part) => {
      if ("text" in part) heard.push([part.kind, part.text]);
      return undefined;
    });
    reader.push(bytesOf(line({ thinking: "Hm." }) + line({ content: "Yes." }) + last()));
    expect(heard).toEqual([
      ["reasoning", "Hm."],
      ["text", "Yes."],
    ]);
    expect(reader.end()?.step.text).toBe("Yes.");
  });
});

describe("a second stream", () => {
  const first = splitStream(ollama.decoder(), false);
  first.push(bytesOf(line({ content: "I look." }) + line(call("a")) + last({ total_duration: 5 })), () => undefined);
  const goOn = (text: string) =>
    Buffer.from(
      segmentBytes(splitStream(ollama.resume(first.state(), first.state()), false), bytesOf(text)),
    ).toString();

  it("goes on in a paragraph of its own, and counts both", () => {
    const lines = goOn(line({ content: "It " }) + line({ content: "rains." }) + last({ load_duration: 2 }));
    expect(lines).toBe(
      line({ content: "\n\nIt " }) +
        line({ content: "rains." }) +
        last({ prompt_eval_count: 14, eval_count: 6, load_duration: 2, total_duration: 5 }),
    );
  });

  it("passes byte for byte where there is nothing to add", () => {
    const odd = '{ "message":{"role":"assistant","content":"", "x":1e400},"done":false }\n';
    expect(goOn(odd)).toBe(odd);
  });
});

describe("a whole answer", () => {
  const whole = (more: object = {}) =>
    JSON.stringify({ model: "m", message: said("Hi."), done: true, prompt_eval_count: 7, eval_count: 3, ...more });

  it.each(['{"error":"no"}', "{}", '{"done":true}', "[]", '{"message":{"content":"a"},"done":false}'])(
    "%s is none",
    (text) => {
      expect(wholeAnswer(ollama.decoder(), text)).toBeUndefined();
    },
  );

  it("has the counts of an earlier one added to its own", () => {
    expect(JSON.parse(ollama.addUsage(whole({ total_duration: 4 }), whole()))).toEqual(
      JSON.parse(whole({ prompt_eval_count: 14, eval_count: 6, total_duration: 4 })),
    );
    expect(ollama.addUsage('{"error":"no"}', whole())).toBe(whole());
    expect(ollama.addUsage("cut", whole())).toBe(whole());
  });
});

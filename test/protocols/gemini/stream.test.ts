import { describe, expect, it } from "vitest";
import { gemini as protocol } from "../../../src/protocols/gemini/gemini.ts";
import { answerReader } from "../../../src/protocols/protocols.ts";
import { at, call, chunk, partsOf, text } from "./support.ts";
import { wholeAnswer } from "../../../src/protocols/answer/read-answer.ts";

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 };

/** What a stream of these chunks is put together to. */
function read(...chunks: readonly string[]) {
  const reader = answerReader(protocol, "text/event-stream", undefined, at());
  for (const data of chunks) reader.push(new TextEncoder().encode(`data: ${data}\r\n\r\n`));
  return reader.end();
}

describe("a streamed answer", () => {
  it("is the same as the whole one", () => {
    const parts = [
      { text: "Hm.", thought: true },
      text("I look."),
      call("search", { q: "é" }, { id: "a" }),
      call("read"),
    ];
    const end = { finishReason: "STOP" };
    const chunks = parts.map((part, index) => chunk([part], { usageMetadata }, index === parts.length - 1 ? end : {}));
    expect(read(...chunks)).toEqual(wholeAnswer(protocol.decoder(), chunk(parts, { usageMetadata }, end)));
    expect(read(...chunks)).toMatchObject({
      id: "r1",
      finishReason: "STOP",
      step: {
        text: "I look.",
        calls: [
          { id: "a", tool: "search", args: '{"q":"é"}' },
          { tool: "read", args: "{}" },
        ],
      },
    });
  });

  it("counts what was thought and what tools have told the model", () => {
    const used = { ...usageMetadata, thoughtsTokenCount: 5, toolUsePromptTokenCount: 2, cachedContentTokenCount: 4 };
    expect(partsOf(chunk([], { usageMetadata: used })).at(-1)).toEqual({
      kind: "usage",
      usage: { inputTokens: 12, outputTokens: 8, cachedInputTokens: 4 },
    });
  });

  it.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])("that ends with %s has a call that failed", (reason) => {
    const end = chunk([], {}, { finishReason: reason, finishMessage: "Malformed function call: search(q=" });
    const failed = {
      tool: reason.toLowerCase(),
      args: '{"call":"Malformed function call: search(q="}',
      outcome: { text: "Malformed function call: search(q=", failed: true },
    };
    expect(read(end)?.step.calls).toEqual([failed]);
    expect(wholeAnswer(protocol.decoder(), end)?.step.calls).toEqual([failed]);
  });

  it.each([
    [
      "a blocked prompt",
      JSON.stringify({ promptFeedback: { blockReason: "SAFETY" }, usageMetadata, responseId: "r1" }),
      "SAFETY",
    ],
    [
      "a blocked answer",
      JSON.stringify({ candidates: [{ finishReason: "SAFETY", index: 0 }], responseId: "r1" }),
      "SAFETY",
    ],
  ])("is an answer that says nothing: %s", (_, data, finishReason) => {
    const empty = { id: "r1", finishReason, step: { text: "", calls: [], heard: [] } };
    expect(read(data)).toMatchObject(empty);
    expect(wholeAnswer(protocol.decoder(), data)).toMatchObject(empty);
  });

  it("with an error in it is none", () => {
    const error = JSON.stringify({ error: { code: 503, message: "Overloaded.", status: "UNAVAILABLE" } });
    expect(read(chunk([text("a")]), error)).toBeUndefined();
    expect(wholeAnswer(protocol.decoder(), error)).toBeUndefined();
    expect(wholeAnswer(protocol.decoder(), "{}")).toBeUndefined();
  });

  it("whose arguments come one by one has them put together", () => {
    const piece = (functionCall: unknown) => chunk([{ functionCall }]);
    const whole = read(
      piece({ name: "book", id: "a", willContinue: true }),
      piece({ partialArgs: [{ jsonPath: "$.city", stringValue: "Pa", willContinue: true }], willContinue: true }),
      piece({
        partialArgs: [
          { jsonPath: "$.city", stringValue: "ris" },
          { jsonPath: "$.n", numberValue: 2 },
        ],
        willContinue: true,
      }),
      piece({}),
      chunk([call("book")], {}, { finishReason: "STOP" }),
    );
    expect(whole?.step.calls).toEqual([
      { id: "a", tool: "book", args: '{"city":"Paris","n":2}' },
      { tool: "book", args: "{}" },
    ]);
  });

  it("has the outcomes of what the API runs itself", () => {
    const whole = read(
      chunk([{ executableCode: { language: "PYTHON", code: "1" } }]),
      chunk([{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } }]),
      chunk([text("One.")], {}, { finishReason: "STOP" }),
    );
    expect(whole?.step.calls).toMatchObject([{ tool: "code_execution", outcome: { text: "1" } }]);
  });
});

describe("a second answer", () => {
  const state = (...chunks: readonly string[]) => {
    const decoder = protocol.decoder(at());
    for (const data of chunks) decoder.decode({ event: undefined, data });
    return decoder.state();
  };
  const first = state(chunk([text("I tell.")], { usageMetadata }));

  it("goes on under the first one's name, as a paragraph of its own, its parts as they were", () => {
    const signed = { ...text("Done."), thoughtSignature: "c2ln+/8=" };
    const second = protocol.resume(first, first);
    const data = chunk([signed], { responseId: "r2", usageMetadata, more: 1 }, { finishReason: "STOP" });
    const [told] = second.encode({ event: undefined, data }) ?? [];
    expect(JSON.parse(told?.data ?? "")).toEqual({
      candidates: [{ content: { role: "model", parts: [text("\n\n"), signed] }, index: 0, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 6, totalTokenCount: 26 },
      modelVersion: "m",
      responseId: "r1",
      more: 1,
    });
  });

  it("in the place of one that nobody has seen passes as it is, but for what both have used", () => {
    const second = protocol.resume(undefined, first);
    expect(second.encode({ event: undefined, data: chunk([text("a")]) })).toBeUndefined();
    const [told] = second.encode({ event: undefined, data: chunk([text("a")], { usageMetadata }) }) ?? [];
    expect(JSON.parse(told?.data ?? "").usageMetadata.totalTokenCount).toBe(26);
  });

  it("that is whole is counted with the first, byte for byte else", () => {
    const whole = chunk([text("a")], { usageMetadata });
    expect(protocol.addUsage(whole, whole)).toBe(
      whole.replace(
        /"usageMetadata":\{[^}]*\}/,
        '"usageMetadata":{"promptTokenCount":20,"candidatesTokenCount":6,"totalTokenCount":26}',
      ),
    );
    expect(protocol.addUsage("no JSON", whole)).toBe(whole);
    expect(protocol.addUsage(whole, "{}")).toBe("{}");
  });
});

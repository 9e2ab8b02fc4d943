import { describe, expect, it } from "vitest";
import { gemini as protocol } from "../../../src/protocols/gemini/gemini.ts";
import { answerReader } from "../../../src/protocols/protocols.ts";
import { ask, at, call, chunk, type Json, partsOf, said, text, tool, user } from "./support.ts";
import { wholeAnswer } from "../../../src/protocols/answer/read-answer.ts";

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 };

/** What a stream of these chunks is put together to. */
function read(...chunks: readonly string[]) {
  const reader = answerReader(protocol, "text/event-stream", undefined, at());
  for (const data of chunks) reader.push(new TextEncoder().encode(`data: ${data}\r\n\r\n`));
  return reader.end();
}

describe("a streamed answer", () => {
  it("counts what was thought and what tools have told the model", () => {
    const used = { ...usageMetadata, thoughtsTokenCount: 5, toolUsePromptTokenCount: 2, cachedContentTokenCount: 4 };
    expect(partsOf(chunk([], { usageMetadata: used })).at(0)).toEqual({
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
    { promptFeedback: { blockReason: "SAFETY" }, usageMetadata, responseId: "r1" },
    { candidates: [{ finishReason: "SAFETY", index: 0 }], responseId: "r1" },
  ])("that is blocked is an answer that says nothing: %j", (blocked) => {
    const data = JSON.stringify(blocked);
    const empty = { id: "r1", finishReason: "SAFETY", step: { text: "", calls: [], heard: [] } };
    expect(read(data)).toMatchObject(empty);
    expect(wholeAnswer(protocol.decoder(), data)).toMatchObject(empty);
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
    const [told] = second.decode({ event: undefined, data })?.events ?? [];
    expect(JSON.parse(told?.data ?? "")).toEqual({
      candidates: [{ content: { role: "model", parts: [text("\n\n"), signed] }, index: 0, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 6, totalTokenCount: 26 },
      modelVersion: "m",
      responseId: "r1",
      more: 1,
    });
  });
});

describe("an answer of the guard's own", () => {
  const done = tool("done", { type: "OBJECT", properties: { text: { type: "STRING" } }, required: ["text"] });
  const tools = [{ functionDeclarations: [done] }];
  function replied(more: Json = {}, verb = "generateContent", contents: readonly Json[] = [user(text("a"))]) {
    const final = { text: "Over.", doneTool: "done" };
    return protocol.reply(ask(contents, more, at("gemini-3-pro", verb)), final, { id: "42", created: 1 }).body;
  }
  const first = (body: string) => JSON.parse(body).candidates[0];

  it("has the API's mark for a call that no model made, where calls are signed", () => {
    const call1 = call("done", { text: "Over." }, { id: "unloop_42" });
    expect(first(replied({ tools })).content.parts).toEqual([call1]);
    const signed = [user(text("a")), said({ ...call("search"), thoughtSignature: "c2ln" })];
    expect(first(replied({ tools }, "generateContent", signed)).content.parts).toEqual([
      { ...call1, thoughtSignature: "skip_thought_signature_validator" },
    ]);
  });

  it("says so where any value of the demanded form would state what nobody has decided", () => {
    const responseSchema = { type: "OBJECT", properties: { approved: { type: "BOOLEAN" } }, required: ["approved"] };
    const generationConfig = { responseMimeType: "application/json", responseSchema };
    expect(first(replied({ generationConfig }))).toMatchObject({ finishReason: "OTHER", finishMessage: "Over." });
  });

  it.each([
    [400, "INVALID_ARGUMENT"],
    [429, "RESOURCE_EXHAUSTED"],
    [500, "INTERNAL"],
    [502, "UNAVAILABLE"],
  ])("is an error of status %i as a google.rpc.Status of %s", (code, status) => {
    const { body } = protocol.error({ code: "loop_detected", status: code, message: "Enough." }, "body");
    const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "LOOP_DETECTED", domain: "unloop" };
    expect(JSON.parse(body).error).toEqual({ code, message: "Enough.", status, details: [info] });
  });
});

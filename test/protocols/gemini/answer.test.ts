import { describe, expect, it } from "vitest";
import { gemini as protocol } from "../../../src/protocols/gemini/gemini.ts";
import { ask, at, call, chunk, type Json, partsOf, said, text, tool, user } from "./support.ts";

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 };

it("an answer counts what was thought and what tools have told the model", () => {
  const used = { ...usageMetadata, thoughtsTokenCount: 5, toolUsePromptTokenCount: 2, cachedContentTokenCount: 4 };
  expect(partsOf(chunk([], { usageMetadata: used })).at(0)).toEqual({
    kind: "usage",
    usage: { inputTokens: 12, outputTokens: 8, cachedInputTokens: 4 },
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

import { describe, expect, it } from "vitest";
import { gemini as protocol } from "../../../src/protocols/gemini/gemini.ts";
import { at, chunk, partsOf, text } from "./support.ts";

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

it.each([
  [400, "INVALID_ARGUMENT"],
  [429, "RESOURCE_EXHAUSTED"],
  [500, "INTERNAL"],
  [502, "UNAVAILABLE"],
])("an error of status %i is a google.rpc.Status of %s", (code, status) => {
  const { body } = protocol.error({ code: "loop_detected", status: code, message: "Enough." }, "body");
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "LOOP_DETECTED", domain: "unloop" };
  expect(JSON.parse(body).error).toEqual({ code, message: "Enough.", status, details: [info] });
});

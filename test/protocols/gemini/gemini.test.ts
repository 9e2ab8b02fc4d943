import { gemini as protocol } from "../../../src/protocols/gemini/gemini.ts";
import type { ParsedRequest, StreamPart } from "../../../src/protocols/protocol.ts";
import { expect, it } from "vitest";

type Json = Readonly<Record<string, unknown>>;

const at = (model = "gemini-2.5-flash", verb = "generateContent") => `/v1beta/models/${model}:${verb}`;

const user = (...parts: readonly unknown[]): Json => ({ role: "user", parts });
const said = (...parts: readonly unknown[]): Json => ({ role: "model", parts });
const text = (words: string): Json => ({ text: words });

function ask(contents: unknown, more: Json = {}, target = at()): ParsedRequest {
  const found = protocol.parse(JSON.stringify({ contents, ...more }), target);
  if (found === undefined) throw new Error("not understood");
  return found;
}

function chunk(parts: readonly unknown[], more: Json = {}, candidate: Json = {}): string {
  return JSON.stringify({
    candidates: [{ content: { role: "model", parts }, index: 0, ...candidate }],
    modelVersion: "m",
    responseId: "r1",
    ...more,
  });
}

function partsOf(...chunks: readonly string[]): readonly StreamPart[] {
  const decoder = protocol.decoder(at());
  return chunks.flatMap((data) => decoder.decode({ event: undefined, data })?.parts ?? []);
}

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 };

it("an answer counts what was thought and what tools have told the model", () => {
  const used = { ...usageMetadata, thoughtsTokenCount: 5, toolUsePromptTokenCount: 2, cachedContentTokenCount: 4 };
  expect(partsOf(chunk([], { usageMetadata: used })).at(0)).toEqual({
    kind: "usage",
    usage: { inputTokens: 12, outputTokens: 8, cachedInputTokens: 4 },
  });
});

const state = (...chunks: readonly string[]) => {
  const decoder = protocol.decoder(at());
  for (const data of chunks) decoder.decode({ event: undefined, data });
  return decoder.state();
};
const first = state(chunk([text("I tell.")], { usageMetadata }));

it("a second answer goes on under the first one's name, as a paragraph of its own, its parts as they were", () => {
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

it("a request with a schema of any depth is read", () => {
  const deep = `${'{"type":"OBJECT","properties":{"a":'.repeat(9_000)}{}${"}}".repeat(9_000)}`;
  const body = `{"contents":[{"role":"user","parts":[{"text":"a"}]}],"generationConfig":{"responseSchema":${deep}}}`;
  expect(protocol.parse(body, at())?.format.kind).toBe("schema");
});

const bytes = (body: unknown) => new TextEncoder().encode(JSON.stringify(body));

it("what a request adds is not told where the model's last words may go on", () => {
  const open = [user(text("a")), said(text("Here"))];
  const closed = [...open, user(text("b"))];
  const end = (contents: readonly unknown[]) => protocol.delta.endOfMessages(bytes({ contents }), ask(contents));
  expect(end(open)).toBeUndefined();
  expect(end(closed)).toBeGreaterThan(0);
});

it("a part of no known kind is told as it was written", () => {
  const part = { some_part: { of_a: "kind" } };
  expect(ask([user(part)]).conversation.opening).toEqual([JSON.stringify(part)]);
});

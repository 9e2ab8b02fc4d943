import { describe, expect, it } from "vitest";
import { gemini as protocol } from "../../../src/protocols/gemini/gemini.ts";
import { ask, at, call, type Json, said, text, tool, user } from "./support.ts";

const stamp = { id: "42", created: 1 };
const final = { text: "Over.", doneTool: undefined };
const done = tool("done", { type: "OBJECT", properties: { text: { type: "STRING" } }, required: ["text"] });
const tools = [{ functionDeclarations: [done] }];

function replied(
  more: Json = {},
  doneTool?: string,
  verb = "generateContent",
  contents: readonly Json[] = [user(text("a"))],
) {
  return protocol.reply(ask(contents, more, at("gemini-3-pro", verb)), { ...final, doneTool }, stamp);
}

const first = (body: string) => JSON.parse(body).candidates[0];

describe("an answer of the guard's own", () => {
  it("is a whole answer of the API's", () => {
    expect(JSON.parse(replied().body)).toEqual({
      candidates: [{ content: { role: "model", parts: [text("Over.")] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
      modelVersion: "gemini-3-pro",
      responseId: "unloop-42",
    });
  });

  it("streams as the URL asks", () => {
    const events = replied({}, undefined, "streamGenerateContent?alt=sse");
    expect(events.contentType).toContain("event-stream");
    expect(JSON.parse(events.body.replace(/^data: /, ""))).toEqual(JSON.parse(replied().body));
    const array = replied({}, undefined, "streamGenerateContent");
    expect(JSON.parse(array.body)).toEqual([JSON.parse(replied().body)]);
  });

  it("calls the done tool by its schema", () => {
    expect(first(replied({ tools }, "done").body).content.parts).toEqual([
      call("done", { text: "Over." }, { id: "unloop_42" }),
    ]);
  });

  it("has the API's mark for a call that no model made, where calls are signed", () => {
    const signed = [user(text("a")), said({ ...call("search"), thoughtSignature: "c2ln" })];
    expect(first(replied({ tools }, "done", "generateContent", signed).body).content.parts[0]).toMatchObject({
      thoughtSignature: "skip_thought_signature_validator",
    });
  });

  it("is JSON in the form that was asked for", () => {
    const responseSchema = { type: "OBJECT", properties: { answer: { type: "STRING" } }, required: ["answer"] };
    const generationConfig = { responseMimeType: "application/json", responseSchema };
    expect(JSON.parse(first(replied({ generationConfig }).body).content.parts[0].text)).toEqual({ answer: "Over." });
  });

  it("comes as often as candidates are asked for", () => {
    const { candidates } = JSON.parse(replied({ generationConfig: { candidateCount: 3 } }).body);
    expect(candidates.map((one: Json) => [one.index, one.finishReason])).toEqual([0, 1, 2].map((at) => [at, "STOP"]));
  });

  it("says so where any value of that form would state what nobody has decided", () => {
    const responseSchema = { type: "OBJECT", properties: { approved: { type: "BOOLEAN" } }, required: ["approved"] };
    const generationConfig = { responseMimeType: "application/json", responseSchema };
    expect(first(replied({ generationConfig }).body)).toMatchObject({ finishReason: "OTHER", finishMessage: "Over." });
  });
});

it.each([
  [400, "INVALID_ARGUMENT"],
  [413, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [429, "RESOURCE_EXHAUSTED"],
  [500, "INTERNAL"],
  [502, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
])("an error of status %i is a google.rpc.Status of %s", (status, name) => {
  const { body } = protocol.error({ code: "loop_detected", status, message: "Enough." }, "body");
  expect(JSON.parse(body).error).toMatchObject({
    code: status,
    message: "Enough.",
    status: name,
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "LOOP_DETECTED", domain: "unloop" }],
  });
});

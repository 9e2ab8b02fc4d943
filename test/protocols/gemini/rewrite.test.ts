import { describe, expect, it } from "vitest";
import type { Edit } from "../../../src/protocols/protocol.ts";
import { call, type Json, result, rewritten, said, text, tool, user } from "./support.ts";

const note = (step: number, words = "Stop."): Edit => ({ kind: "note", step, text: words });
const finish = (name?: string): Edit => ({ kind: "finish", tool: name });
const preamble: Edit = { kind: "preamble", text: "Look first." };
const signed = { ...call("search"), thoughtSignature: "c2ln+/8=", unknown: 12345678901234567890n.toString() };

describe("a note", () => {
  it("goes on what the last function gave back; all else stays byte for byte", () => {
    const body = `{ "contents": ${JSON.stringify([user(text("Go.")), said(signed), user(result("search", { output: "rain" }))])}, "big": 12345678901234567890 }`;
    expect(rewritten(body, note(0))).toBe(body.replace('"rain"', String.raw`"rain\n\nStop."`));
  });

  it.each<[unknown, unknown]>([
    [{ output: "" }, { output: "Stop." }],
    [{ result: "rain" }, { result: "rain\n\nStop." }],
    [
      { error: "No.", code: 5 },
      { error: "No.\n\nStop.", code: 5 },
    ],
    [{ output: { n: 1 } }, { output: { n: 1, note: "Stop." } }],
    [{ result: [1] }, { result: [1], note: "Stop." }],
    [
      { note: "theirs", b: 2 },
      { note: "theirs", b: 2, unloop: "Stop." },
    ],
  ])("stands where the model reads it: in %j", (response, edited) => {
    const contents = [user(text("Go.")), said(call("search")), user(result("search", response))];
    const told = JSON.parse(rewritten(JSON.stringify({ contents }), note(0))).contents[2];
    expect(told).toEqual(user(result("search", edited)));
  });

  it("stands behind its own turn, however many contents that has", () => {
    const turn = (name: string) => [said(text("I ")), said(call(name)), user(result(name, { output: name }))];
    const { contents } = JSON.parse(
      rewritten(
        JSON.stringify({ contents: [user(text("Go.")), ...turn("a"), ...turn("b")] }),
        note(0, "1"),
        note(1, "2"),
      ),
    );
    expect(contents[3]).toEqual(user(result("a", { output: "a\n\n1" })));
    expect(contents[6]).toEqual(user(result("b", { output: "b\n\n2" })));
  });
});

describe("what is said before all else", () => {
  const edited = (more: Json) =>
    JSON.parse(rewritten(JSON.stringify({ contents: [user(text("a"))], ...more }), preamble));

  it.each<[Json, unknown]>([
    [{}, { parts: [text("Look first.")] }],
    [{ systemInstruction: { parts: [text("Be brief.")] } }, { parts: [text("Be brief."), text("Look first.")] }],
    [{ systemInstruction: { role: "user" } }, { role: "user", parts: [text("Look first.")] }],
    [{ systemInstruction: "Be brief." }, { parts: [text("Be brief."), text("Look first.")] }],
    [{ systemInstruction: { parts: [text("Look first.")] } }, { parts: [text("Look first.")] }],
  ])("goes behind the instructions: %j", (more, instruction) => {
    expect(edited(more).systemInstruction).toEqual(instruction);
  });

  it("is left out where the instructions are cached", () => {
    expect(edited({ cachedContent: "c/1" })).toEqual({ contents: [user(text("a"))], cachedContent: "c/1" });
  });
});

describe("a forced end", () => {
  const tools = [{ functionDeclarations: [tool("search"), tool("done")] }, { googleSearch: {} }];
  const edited = (more: Json, name?: string) =>
    JSON.parse(rewritten(JSON.stringify({ contents: [user(text("a"))], ...more }), finish(name)));
  const mode = (functionCallingConfig: Json) => ({ functionCallingConfig });

  it("forbids functions, and keeps what else is configured", () => {
    expect(edited({ tools })).toMatchObject({ tools, toolConfig: mode({ mode: "NONE" }) });
    const retrievalConfig = { languageCode: "en" };
    expect(edited({ tools, toolConfig: { retrievalConfig } }).toolConfig).toEqual({
      retrievalConfig,
      ...mode({ mode: "NONE" }),
    });
    expect(edited({ tools, tool_config: { function_calling_config: { mode: "AUTO" } } }).tool_config).toEqual({
      function_calling_config: { mode: "NONE" },
    });
    expect(edited({ tools, toolConfig: {} }).toolConfig).toEqual(mode({ mode: "NONE" }));
  });

  it("changes nothing where nothing is offered, or the tools are cached", () => {
    expect(edited({})).toEqual({ contents: [user(text("a"))] });
    const cachedContent = "cachedContents/1";
    expect(edited({ cachedContent }, "done")).toEqual({ contents: [user(text("a"))], cachedContent });
  });

  it("leaves only the last action in a function, or a form, that carries all of them", () => {
    const action = { type: "OBJECT", properties: { done: { type: "OBJECT" }, click: { type: "OBJECT" } } };
    const schema = { type: "OBJECT", properties: { action: { type: "ARRAY", items: action } } };
    const [offered] = edited({ tools: [{ functionDeclarations: [tool("act", schema)] }] }, "done").tools;
    const { items } = offered.functionDeclarations[0].parameters.properties.action;
    expect(Object.keys(items.properties)).toEqual(["done"]);
    const { generationConfig } = edited({ generationConfig: { responseSchema: schema } }, "done");
    expect(Object.keys(generationConfig.responseSchema.properties.action.items.properties)).toEqual(["done"]);
  });
});

import { describe, expect, it } from "vitest";
import type { Edit } from "../../../src/protocols/protocols.ts";
import { responses } from "../../../src/protocols/responses/responses.ts";
import { body, called, parsed, result, said, searching, user } from "./support.ts";

const rewritten = (text: string, ...edits: readonly Edit[]) => responses.rewrite(parsed(text), edits);
const note = (step: number): Edit => ({ kind: "note", step, text: 'NOTE "é"' });
const inputText = (text: string) => ({ type: "input_text", text });
const noteItem = { type: "message", role: "user", content: [inputText('NOTE "é"')] };

describe("a note", () => {
  const printed = { type: "shell_call_output", call_id: "c1", output: [{ stdout: "x" }] };
  const screenshot = { type: "computer_call_output", call_id: "c1", output: { type: "computer_screenshot" } };
  const parts = result("c1", [inputText("a"), inputText('NOTE "é"')]);
  it.each<[name: string, behind: readonly unknown[], last: unknown]>([
    ["the last of two results", [result("c1"), result("c2")], result("c2", 'Rain.\n\nNOTE "é"')],
    ["an empty result", [result("c1", "")], result("c1", 'NOTE "é"')],
    ["parts", [result("c1", [inputText("a")])], parts],
    ["a user's message", [result("c1"), user("Go on.")], user('Go on.\n\nNOTE "é"')],
    ["what commands have printed, as a message", [printed], noteItem],
    ["a screenshot, as a message", [screenshot], noteItem],
  ])("stands behind %s, and all else stays byte for byte", (_, behind, last) => {
    const text = body([user("Go."), called("c1"), ...behind], { big: "§" }).replace('"§"', "12345678901234567890");
    const sent = rewritten(text, note(0));
    expect(JSON.parse(sent).input.at(-1)).toEqual(last);
    expect(sent.startsWith(text.slice(0, text.lastIndexOf('"call_id":"c1"')))).toBe(true);
  });

  it("has no place between a call and its result, but behind words that nothing followed", () => {
    const text = body([user("Go."), called("c1")]);
    expect([rewritten(text, note(0)), rewritten(text, note(5))]).toEqual([text, text]);
    expect(JSON.parse(rewritten(body([user("Go."), said("I will.")]), note(0))).input.at(-1)).toEqual(noteItem);
  });
});

it.each<[more: object, instructions: string]>([
  [{ instructions: "Be brief." }, "Be brief.\n\nLOOK"],
  [{ instructions: "" }, "LOOK"],
  [{ instructions: null }, "LOOK"],
  [{}, "LOOK"],
  [{ instructions: "LOOK twice." }, "LOOK twice."],
])("what is said before all else stands in the instructions: %j", (more, instructions) => {
  const sent = JSON.parse(rewritten(body("x", more), { kind: "preamble", text: "LOOK" }));
  expect(sent).toMatchObject({ instructions, input: "x" });
});

describe("letting the model only finish", () => {
  const inner = ["spawn", "close"].map((name) => ({ type: "function", name }));
  const agents = { type: "namespace", name: "agents", description: "d", tools: inner };
  const tools = [searching, agents, { type: "custom", name: "done" }, { type: "web_search" }];
  const forbidden = { tools, tool_choice: "none" };
  it.each<[name: string, tool: string | undefined, sent: object]>([
    ["words", undefined, forbidden],
    ["a function", "search", { tools: [searching], tool_choice: { type: "function", name: "search" } }],
    ["a custom tool", "done", { tools: [tools[2]], tool_choice: { type: "custom", name: "done" } }],
    ["a tool in a namespace", "agents.close", { tools: [{ ...agents, tools: [inner[1]] }], tool_choice: "required" }],
    ["words where the tool is not offered", "submit", forbidden],
  ])("by %s", (_, tool, sent) => {
    const changed = rewritten(body("x", { tools, tool_choice: "auto" }), { kind: "finish", tool });
    expect(JSON.parse(changed)).toMatchObject(sent);
    expect(rewritten(body("x", { tools: [] }), { kind: "finish", tool })).toBe(body("x", { tools: [] }));
  });
});

import { describe, expect, it } from "vitest";
import type { Edit } from "../../../src/protocols/protocols.ts";
import { responses } from "../../../src/protocols/responses/responses.ts";
import { body, called, parsed, result, said, searching, user } from "./support.ts";

const rewritten = (text: string, ...edits: readonly Edit[]) => responses.rewrite(parsed(text), edits);
const note = (step: number): Edit => ({ kind: "note", step, text: 'NOTE "é"' });
const noteItem = { type: "message", role: "user", content: [{ type: "input_text", text: 'NOTE "é"' }] };

describe("a note", () => {
  it.each([
    { name: "a result", behind: [result("c1")], at: 2, item: result("c1", 'Rain.\n\nNOTE "é"') },
    { name: "an empty result", behind: [result("c1", "")], at: 2, item: result("c1", 'NOTE "é"') },
    {
      name: "the last of two results",
      behind: [result("c1"), result("c2")],
      at: 3,
      item: result("c2", 'Rain.\n\nNOTE "é"'),
    },
    {
      name: "parts",
      behind: [result("c1", [{ type: "input_text", text: "a" }])],
      at: 2,
      item: result("c1", [
        { type: "input_text", text: "a" },
        { type: "input_text", text: 'NOTE "é"' },
      ]),
    },
    { name: "a user's message", behind: [result("c1"), user("Go on.")], at: 3, item: user('Go on.\n\nNOTE "é"') },
    {
      name: "what commands have printed, as a message",
      behind: [{ type: "shell_call_output", call_id: "c1", output: [{ stdout: "x" }] }],
      at: 3,
      item: noteItem,
    },
    {
      name: "a screenshot, as a message",
      behind: [{ type: "computer_call_output", call_id: "c1", output: { type: "computer_screenshot" } }],
      at: 3,
      item: noteItem,
    },
  ])("stands behind $name, and all else stays byte for byte", ({ behind, at, item }) => {
    const text = body([user("Go."), called("c1"), ...behind], {
      tools: [searching],
      big: 12345678901234567890n.toString(),
    });
    const sent = rewritten(text, note(0));
    expect(JSON.parse(sent).input[at]).toEqual(item);
    const told = JSON.stringify('NOTE "é"').slice(1, -1);
    const added = sent.indexOf(told);
    expect(text.startsWith(sent.slice(0, Math.min(added, text.length) - 120))).toBe(true);
    expect(text.endsWith(sent.slice(added + told.length + 8).slice(-60))).toBe(true);
  });

  it("has no place between a call and its result", () => {
    const text = body([user("Go."), called("c1")]);
    expect(rewritten(text, note(0))).toBe(text);
    expect(rewritten(text, note(5))).toBe(text);
  });

  it("stands behind words that nothing followed", () => {
    const sent = JSON.parse(rewritten(body([user("Go."), said("I will.")]), note(0)));
    expect(sent.input.at(-1)).toEqual(noteItem);
  });
});

describe("what is said before all else", () => {
  const preamble: Edit = { kind: "preamble", text: "LOOK" };
  it.each([
    { more: { instructions: "Be brief." }, instructions: "Be brief.\n\nLOOK" },
    { more: { instructions: "" }, instructions: "LOOK" },
    { more: { instructions: null }, instructions: "LOOK" },
    { more: {}, instructions: "LOOK" },
    { more: { instructions: "LOOK twice." }, instructions: "LOOK twice." },
  ])("stands in the instructions: $more", ({ more, instructions }) => {
    expect(JSON.parse(rewritten(body("x", more), preamble))).toMatchObject({ instructions, input: "x" });
  });
});

describe("letting the model only finish", () => {
  const tools = [
    searching,
    {
      type: "namespace",
      name: "agents",
      description: "d",
      tools: [
        { type: "function", name: "spawn" },
        { type: "function", name: "close" },
      ],
    },
    { type: "custom", name: "done" },
    { type: "web_search" },
  ];
  it.each([
    { name: "by words", tool: undefined, sent: { tools, tool_choice: "none" } },
    {
      name: "by a function",
      tool: "search",
      sent: { tools: [searching], tool_choice: { type: "function", name: "search" } },
    },
    {
      name: "by a custom tool",
      tool: "done",
      sent: { tools: [tools[2]], tool_choice: { type: "custom", name: "done" } },
    },
    {
      name: "by a tool in a namespace",
      tool: "agents.close",
      sent: {
        tools: [{ type: "namespace", name: "agents", description: "d", tools: [{ type: "function", name: "close" }] }],
        tool_choice: "required",
      },
    },
    { name: "by words where the tool is not offered", tool: "submit", sent: { tools, tool_choice: "none" } },
  ])("$name", ({ tool, sent }) => {
    expect(JSON.parse(rewritten(body("x", { tools, tool_choice: "auto" }), { kind: "finish", tool }))).toMatchObject(
      sent,
    );
  });

  it("chooses nothing where nothing is offered", () => {
    for (const more of [{}, { tools: [] }])
      expect(rewritten(body("x", more), { kind: "finish", tool: undefined })).toBe(body("x", more));
  });

  it("leaves no other action in an answer of actions", () => {
    const actions = {
      anyOf: [
        { type: "object", properties: { click: {} } },
        { type: "object", properties: { done: {} } },
      ],
    };
    const schema = { type: "object", properties: { action: { type: "array", items: actions } } };
    const text = body("x", { text: { format: { type: "json_schema", name: "a", schema } } });
    const sent = JSON.parse(rewritten(text, { kind: "finish", tool: "done" }));
    expect(sent.text.format.schema.properties.action.items).toEqual(actions.anyOf[1]);
  });
});

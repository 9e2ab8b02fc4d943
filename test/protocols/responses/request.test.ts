import { describe, expect, it } from "vitest";
import { responses } from "../../../src/protocols/responses/responses.ts";
import { body, called, parsed, result, said, searching, thought, user } from "./support.ts";

const stepsOf = (input: unknown) => parsed(body(input)).conversation.steps;

describe("the run that an input tells", () => {
  it("has a step for each turn of the model, its thoughts, words and calls together", () => {
    const turn = [
      thought("rs_1"),
      said("I look."),
      called("c1"),
      called("c2", "read"),
      result("c2", "B"),
      result("c1", "A"),
    ];
    expect(stepsOf([user("Go."), ...turn, thought("rs_2"), called("c3"), result("c3", "C"), user("More.")])).toEqual([
      {
        calls: [
          { id: "c1", tool: "search", args: '{"q":"a"}', outcome: { text: "A" } },
          { id: "c2", tool: "read", args: '{"q":"a"}', outcome: { text: "B" } },
        ],
        text: "I look.",
        heard: [],
      },
      { calls: [{ id: "c3", tool: "search", args: '{"q":"a"}', outcome: { text: "C" } }], text: "", heard: ["More."] },
    ]);
  });

  it.each<[name: string, input: unknown, opening: unknown]>([
    ["a text alone", "Hello.", "Hello."],
    ["messages without a type", [user("Hello.")], "Hello."],
    ["items of no known type", [{ type: "item_reference", id: "x" }, 7, null, user("Hello.")], "Hello."],
  ])("begins with %s", (_, input, opening) => {
    expect(parsed(body(input)).conversation).toMatchObject({ opening: [opening], steps: [] });
  });

  it("takes instructions from their own member, and from what stands before the first turn", () => {
    const input = [{ role: "developer", content: "B" }, { type: "message", role: "system", content: "C" }, user("x")];
    const later = [...input, called("c1"), result("c1"), { role: "developer", content: "D" }];
    expect(parsed(body(input, { instructions: "A" })).conversation.system).toBe("A\nB\nC");
    expect(parsed(body(later, { instructions: "A" })).conversation.system).toBe("A\nB\nC");
  });

  const shell = { type: "local_shell_call", call_id: "c", status: "completed", action: { command: ["ls"] } };
  const search = { type: "web_search_call", id: "ws", status: "completed", action: { type: "search", query: "x" } };
  const mcp = { type: "mcp_call", id: "m", server_label: "docs", name: "find", arguments: '{"q":1}', error: null };
  const logs = [{ type: "logs", logs: "2" }];
  const code = { type: "code_interpreter_call", id: "ci", status: "completed", code: "1", outputs: logs };
  it.each<[name: string, item: object, call: object]>([
    ["free text", { type: "custom_tool_call", call_id: "c", name: "f", input: "a b" }, { tool: "f", args: "a b" }],
    ["a namespace", { ...called("c", "spawn"), namespace: "agents" }, { id: "c", tool: "agents.spawn" }],
    ["a local shell", shell, { tool: "local_shell", args: '{"command":["ls"]}' }],
    ["search", search, { id: "ws", tool: "web_search", args: '{"type":"search","query":"x"}', outcome: { text: "" } }],
    ["a server", { ...mcp, output: "Found." }, { tool: "docs.find", args: '{"q":1}', outcome: { text: "Found." } }],
    ["a server that fails", { ...mcp, error: "No." }, { outcome: { text: "No.", failed: true } }],
    ["code", code, { tool: "code_interpreter", args: '{"code":"1"}', outcome: { text: '{"type":"logs","logs":"2"}' } }],
    ["a new tool", { type: "teleport_call", call_id: "c", to: "Paris" }, { tool: "teleport", args: '{"to":"Paris"}' }],
  ])("knows a call of %s", (_, item, call) => expect(stepsOf([user("Go."), item])[0]?.calls[0]).toMatchObject(call));

  const exited = [{ stdout: "", stderr: "x", outcome: { type: "exit", exit_code: 2 } }];
  const refused = { type: "apply_patch_call_output", call_id: "c1", status: "failed", output: "No." };
  it.each<[name: string, item: object, outcome: object]>([
    [
      "parts",
      result(
        "c1",
        ["a", "b"].map((text) => ({ type: "input_text", text })),
      ),
      { text: "a\nb" },
    ],
    ["a patch that failed", refused, { text: "No.", failed: true }],
    ["commands, of which one failed", { type: "shell_call_output", call_id: "c1", output: exited }, { failed: true }],
  ])("knows what came back as %s", (_, item, outcome) => {
    expect(stepsOf([user("Go."), called("c1"), item])[0]?.calls[0]?.outcome).toMatchObject(outcome);
  });
});

describe("what a request asks for", () => {
  it("tells tools by name, within their namespaces", () => {
    const tools = [
      searching,
      { type: "custom", name: "patch", format: {} },
      {
        type: "namespace",
        name: "agents",
        tools: [{ type: "function", name: "spawn", parameters: { type: "object" } }],
      },
      { type: "web_search" },
      null,
    ];
    expect(parsed(body("x", { tools })).tools).toEqual([
      { name: "search", schema: { type: "object" } },
      { name: "patch", form: "custom" },
      { name: "agents.spawn", schema: { type: "object" } },
    ]);
  });

  it.each<[more: object, previousAnswerId: string | undefined, keptUnder: string | undefined]>([
    [{ previous_response_id: "resp_1" }, "resp_1", undefined],
    [{ conversation: "conv_1" }, "conv_1", "conv_1"],
    [{ conversation: { id: "conv_2" } }, "conv_2", "conv_2"],
    [{ previous_response_id: "", conversation: {} }, undefined, undefined],
  ])("tells what it goes on from: %j", (more, previousAnswerId, keptUnder) => {
    expect(parsed(body("x", more))).toMatchObject({ previousAnswerId, keptUnder });
  });

  it.each(["{}", '{"input":7}', '{"prompt":{"id":"p"}}', "[]", "no JSON"])("is not told by %s", (text) => {
    expect(responses.parse(text)).toBeUndefined();
  });
});

describe("a request that goes on from an answer", () => {
  const turn = { calls: [{ id: "c1", tool: "search", args: '{"q":"a"}' }], text: "I look." };

  it("has that answer's turn before what it tells", () => {
    const request = parsed(body([result("c1"), user("And Rome?")], { previous_response_id: "resp_1" }));
    expect(request.continuing?.(turn, "Paris?").conversation).toEqual({
      system: "",
      opening: ["Paris?"],
      steps: [{ ...turn, calls: [{ ...turn.calls[0], outcome: { text: "Rain." } }], heard: ["And Rome?"] }],
    });
  });

  it.each([
    { name: "a list", input: [result("c1")], last: '{"type":"function_call_output","call_id":"c1","output":"Rain."}' },
    { name: "a text", input: "And Rome?", last: '{"role":"user","content":"And Rome?"}' },
    { name: "nothing", input: [], last: '{"role":"assistant","content":"Done."}' },
  ])("says so in other words where the upstream knows another answer, before $name", ({ input, last }) => {
    const request = parsed(body(input, { previous_response_id: "resp_ours", big: 1 }));
    const items =
      request.standIn?.([{ id: "c0", tool: "search", args: "{}" }], { calls: [], text: "Done.", heard: [] }) ?? "";
    const going = request.continuing?.({ ...turn, standIn: { answerId: "resp_theirs", items } }, "");
    const sent = JSON.parse(going === undefined ? "" : responses.rewrite(going, []));
    expect(sent).toMatchObject({ model: "gpt-5", previous_response_id: "resp_theirs", big: 1 });
    expect(sent.input.slice(0, 2)).toMatchObject([
      { type: "function_call_output", call_id: "c0" },
      { role: "assistant" },
    ]);
    expect(JSON.stringify(sent.input.at(-1))).toBe(last);
  });
});

import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { ask, body, called, result, said, steps, user, rewrite } from "./support.ts";

const call = (id: string, tool: string, outcome?: string, args = "{}") => ({
  id,
  tool,
  args,
  ...(outcome === undefined ? {} : { outcome: { text: outcome } }),
});

describe("structured calls", () => {
  it.each([
    {
      name: "a parallel turn is one step, each result beside its call whatever the order",
      messages: [called(["a", "x"], ["b", "y"]), result("b", "2"), result("a", "1")],
      expected: [{ calls: [call("a", "x", "1"), call("b", "y", "2")], text: "", heard: [] }],
    },
    {
      name: "consecutive assistant messages are steps of their own",
      messages: [said("one"), said(""), said(null)],
      expected: ["one", "", ""].map((text) => ({ calls: [], text, heard: [] })),
    },
    {
      name: "an id that every turn uses again pairs each result with the nearest call before it",
      messages: [called(["a", "x"]), result("a", "1"), called(["a", "x"]), result("a", "2")],
      expected: ["1", "2"].map((outcome) => ({ calls: [call("a", "x", outcome)], text: "", heard: [] })),
    },
    {
      name: "an id that all calls of a turn share pairs in order",
      messages: [called(["a", "x"], ["a", "y"]), result("a", "1"), result("a", "2")],
      expected: [{ calls: [call("a", "x", "1"), call("a", "y", "2")], text: "", heard: [] }],
    },
    {
      name: "a result that comes after a user message and a later turn still finds its call",
      messages: [called(["a", "x"]), user("hurry"), said("wait"), result("a", "1")],
      expected: [
        { calls: [call("a", "x", "1")], text: "", heard: ["hurry"] },
        { calls: [], text: "wait", heard: [] },
      ],
    },
    {
      name: "results without a known id pair in order with the open calls of the latest step",
      messages: [called(["a", "x"], ["b", "y"]), { role: "tool", content: "1" }, result("zz", "2")],
      expected: [{ calls: [call("a", "x", "1"), call("b", "y", "2")], text: "", heard: [] }],
    },
    {
      name: "a second result of an answered call is nobody else's",
      messages: [called(["a", "x"], ["b", "y"]), result("a", "1"), result("a", "again")],
      expected: [{ calls: [call("a", "x", "1"), call("b", "y")], text: "", heard: [] }],
    },
    {
      name: "a call that was never answered has no outcome",
      messages: [called(["a", "x"]), user("well?")],
      expected: [{ calls: [call("a", "x")], text: "", heard: ["well?"] }],
    },
    {
      name: "arguments that do not parse stay as they are, keys of any name included",
      messages: [called(["a", "x", '{"__proto__": {"y": 1'], ["b", "x", '{"__proto__":1}'])],
      expected: [
        {
          calls: [call("a", "x", undefined, '{"__proto__": {"y": 1'), call("b", "x", undefined, '{"__proto__":1}')],
          text: "",
          heard: [],
        },
      ],
    },
    {
      name: "a custom tool is called with its text",
      messages: [
        { role: "assistant", tool_calls: [{ id: "a", type: "custom", custom: { name: "sh", input: "ls" } }] },
        result("a", [
          { type: "text", text: "x" },
          { type: "text", text: "y" },
        ]),
      ],
      expected: [{ calls: [call("a", "sh", "x\ny", "ls")], text: "", heard: [] }],
    },
    {
      name: "a legacy function_call is answered by the function message of its name",
      messages: [
        { role: "assistant", content: "hm", function_call: { name: "f", arguments: '{"a":1}' } },
        { role: "function", name: "f", content: "r" },
      ],
      expected: [{ calls: [{ tool: "f", args: '{"a":1}', outcome: { text: "r" } }], text: "hm", heard: [] }],
    },
    {
      name: "arguments sent as an object are read as its JSON",
      messages: [{ role: "assistant", tool_calls: [{ id: "a", function: { name: "x", arguments: { q: 1 } } }] }],
      expected: [{ calls: [call("a", "x", undefined, '{"q":1}')], text: "", heard: [] }],
    },
    {
      name: "a refusal is what was said, in its field and as a part",
      messages: [{ role: "assistant", content: null, refusal: "No." }, said([{ type: "refusal", refusal: "Never." }])],
      expected: ["No.", "Never."].map((text) => ({ calls: [], text, heard: [] })),
    },
    {
      name: "an echo with a name and reordered keys is the same step",
      messages: [
        {
          tool_calls: [{ function: { arguments: "{}", name: "x" }, type: "function", id: "a" }],
          name: "bot",
          content: "",
          role: "assistant",
        },
      ],
      expected: [{ calls: [call("a", "x")], text: "", heard: [] }],
    },
  ])("$name", ({ messages, expected }) => expect(steps(...messages)).toEqual(expected));
});

describe("the rest of the request", () => {
  it("joins instructions that come before the first turn, and keeps what the user said first", () => {
    const { system, opening } = ask([
      { role: "system", content: "S" },
      user("one"),
      user([
        { type: "text", text: "two" },
        { type: "file", file: { file_id: "f" } },
        { type: "odd", text: "three" },
        null,
      ]),
      { role: "developer", content: [{ type: "text", text: "D" }] },
      said("hi"),
      { role: "system", content: "Remaining steps: 24" },
    ]).conversation;
    expect(system).toBe("S\nD");
    expect(opening).toEqual(["one", expect.stringMatching(/^two\n\[file [a-z]+\]\nthree\n$/)]);
  });

  it("marks images so that a changed screenshot is a changed outcome", () => {
    const picture = (url: string) => user([{ type: "image_url", image_url: { url } }]);
    const marks = ["data:aaaa", "data:aaab", "data:aaaa"].map((url) => ask([picture(url)]).conversation.opening[0]);
    expect(marks[0]).toMatch(/^\[image [a-z]{1,7}\]$/);
    expect(marks[1]).not.toBe(marks[0]);
    expect(marks[2]).toBe(marks[0]);
    expect(ask([user([{ type: "image_url" }])]).conversation.opening).toEqual(["[image]"]);
  });

  it("knows the tools of all generations", () => {
    const parameters = { type: "object" };
    const offered = {
      tools: [
        { type: "function", function: { name: "a", parameters } },
        { type: "custom", custom: { name: "b" } },
        5,
        { function: {} },
      ],
      functions: [{ name: "c" }, null],
    };
    expect(ask([user("x")], offered).tools).toEqual([
      { name: "a", schema: parameters },
      { name: "b", form: "custom" },
      { name: "c" },
    ]);
  });

  it.each([
    { name: "none", more: {}, messages: [user("x")], expected: { kind: "text" } },
    {
      name: "json_object",
      more: { response_format: { type: "json_object" } },
      messages: [user("x")],
      expected: { kind: "json" },
    },
    {
      name: "json_schema",
      more: { response_format: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" } } } },
      messages: [user("x")],
      expected: { kind: "schema", schema: { type: "object" } },
    },
    {
      name: "json_schema without one",
      more: { response_format: { type: "json_schema" } },
      messages: [user("x")],
      expected: { kind: "json" },
    },
    {
      name: "a ReAct history",
      more: {},
      messages: [said("Action: a\nAction Input: b")],
      expected: { kind: "dialect", sample: "Action: a\nAction Input: b" },
    },
  ])("reads the answer's format: $name", ({ more, messages, expected }) => {
    expect(ask(messages, more).format).toMatchObject(expected);
  });

  it("reads whether it streams", () => {
    expect(ask([user("x")])).toMatchObject({ streams: false, model: "gpt-4.1" });
    const more = { stream: true, stream_options: { include_usage: true }, model: 5 };
    expect(ask([user("x")], more)).toMatchObject({ streams: true, model: undefined });
  });

  it.each([
    "",
    "x",
    "null",
    "[]",
    "5",
    "{}",
    '{"messages":{}}',
    '{"messages":[]}',
    '{"messages":[null,5,{"role":"x"},{"content":"y"}]}',
  ])("does not understand %s", (text) => expect(chatCompletions.parse(text)).toBeUndefined());
});

describe("size", () => {
  it("bears a thousand parallel calls with one id, and with none", () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `${index}`);
    const answers = ids.map((text) => result("same", text));
    const [step] = steps(called(...ids.map((id): [string, string] => ["same", `t${id}`])), ...answers);
    expect(step?.calls.map(({ outcome }) => outcome?.text)).toEqual(ids);
    const [unnamed] = steps(called(...ids.map((id): [string, string] => ["", `t${id}`])), ...answers);
    expect(unnamed?.calls.map(({ outcome }) => outcome?.text)).toEqual(ids);
  });

  it.each([
    { name: "content", message: '{"role":"user","content":§}' },
    { name: "arguments", message: '{"role":"assistant","tool_calls":[{"function":{"name":"x","arguments":§}}]}' },
    { name: "an unknown field", message: '{"role":"user","content":"x","y":§}' },
  ])("bears deep nesting in $name", ({ message }) => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const text = `{"messages":[${message.replace("§", deep)}]}`;
    expect(chatCompletions.parse(text)?.conversation).toBeDefined();
    expect(() => JSON.parse(rewrite(text, [{ kind: "finish", tool: undefined }]))).not.toThrow();
  });

  it.each([
    "Action:",
    "Action: ",
    "Action Input:",
    " ".repeat(50),
    "*",
    "#",
    "```",
    "{",
    '{"action',
    "Action: x[",
    "\n",
  ])("comes back from a long run of %j", (piece) => {
    const text = `Action: x\n${piece.repeat(500_000 / piece.length)}`;
    expect(chatCompletions.parse(body([said(text), said(text.slice(10))]))?.conversation.steps).toHaveLength(2);
  });

  it("keeps lone surrogates", () => {
    expect(steps(said("a\ud800b"))).toEqual([{ calls: [], text: "a\ud800b", heard: [] }]);
  });
});

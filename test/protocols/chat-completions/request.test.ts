import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { ask, called, result, rewrite, said, steps, user } from "./support.ts";

const call = (id: string, tool: string, outcome?: string, args = "{}") => ({
  id,
  tool,
  args,
  ...(outcome === undefined ? {} : { outcome: { text: outcome } }),
});
const step = (calls: readonly object[], text = "", ...heard: readonly string[]) => ({ calls, text, heard });

it.each<[name: string, messages: readonly unknown[], expected: readonly object[]]>([
  ["assistant messages in a row are steps of their own", [said("one"), said(null)], [step([], "one"), step([])]],
  [
    "an id that every turn uses again pairs each result with the nearest call before it",
    [called(["a", "x"]), result("a", "1"), called(["a", "x"]), result("a", "2")],
    [step([call("a", "x", "1")]), step([call("a", "x", "2")])],
  ],
  [
    "an id that all calls of a turn share pairs in order",
    [called(["a", "x"], ["a", "y"]), result("a", "1"), result("a", "2")],
    [step([call("a", "x", "1"), call("a", "y", "2")])],
  ],
  [
    "a result that comes after a user message and a later turn still finds its call",
    [called(["a", "x"]), user("hurry"), said("wait"), result("a", "1")],
    [step([call("a", "x", "1")], "", "hurry"), step([], "wait")],
  ],
  [
    "arguments that do not parse stay as they are, keys of any name included; an object is read as its JSON",
    [
      called(["a", "x", '{"__proto__": {"y": 1']),
      { role: "assistant", tool_calls: [{ id: "a", function: { name: "x", arguments: { q: 1 } } }] },
    ],
    [step([call("a", "x", undefined, '{"__proto__": {"y": 1')]), step([call("a", "x", undefined, '{"q":1}')])],
  ],
  [
    "a custom tool is called with its text, and answered in parts",
    [
      { role: "assistant", tool_calls: [{ id: "a", type: "custom", custom: { name: "sh", input: "ls" } }] },
      result("a", [
        { type: "text", text: "x" },
        { type: "text", text: "y" },
      ]),
    ],
    [step([call("a", "sh", "x\ny", "ls")])],
  ],
  [
    "a refusal is what was said, in its field and as a part; a lone surrogate is kept",
    [{ role: "assistant", content: null, refusal: "No." }, said([{ type: "refusal", refusal: "a\ud800b" }])],
    [step([], "No."), step([], "a\ud800b")],
  ],
])("%s", (_, messages, expected) => expect(steps(...messages)).toEqual(expected));

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
});

import { describe, expect, it } from "vitest";
import { ollama } from "../../../src/protocols/ollama/ollama.ts";
import { parseRecorded, protocolFor } from "../../../src/protocols/protocols.ts";
import { ask, body, called, result, said, steps, user } from "./support.ts";

const tool = { type: "function", function: { name: "search", description: "finds", parameters: { type: "object" } } };

describe("results belong to calls", () => {
  const outcomes = (...messages: readonly unknown[]) =>
    steps(...messages).map(({ calls }) => calls.map(({ tool: name, outcome }) => `${name}: ${outcome?.text}`));

  it.each([
    {
      name: "by the name of the tool",
      messages: [called(["a"], ["b"]), result("b", "2"), result("a", "1")],
      told: [["a: 1", "b: 2"]],
    },
    {
      name: "in order, where calls are of one tool",
      messages: [called(["a"], ["a"]), result("a", "1"), result("a", "2")],
      told: [["a: 1", "a: 2"]],
    },
    {
      name: "in order, where results name no tool",
      messages: [called(["a"], ["b"]), { role: "tool", content: "1" }, { role: "tool", content: "2" }],
      told: [["a: 1", "b: 2"]],
    },
    {
      name: "by the name that older clients gave them",
      messages: [called(["a"], ["b"]), { role: "tool", name: "b", content: "2" }],
      told: [["a: undefined", "b: 2"]],
    },
    {
      name: "of one turn, where its calls are told one by one",
      messages: [called(["a"]), called(["b"]), { role: "tool", content: "1" }, { role: "tool", content: "2" }],
      told: [["a: 1", "b: 2"]],
    },
    {
      name: "of the latest turn",
      messages: [called(["a"]), result("a", "1"), called(["a"]), result("a", "2")],
      told: [["a: 1"], ["a: 2"]],
    },
    {
      name: "by ids, where servers give calls some",
      messages: [
        said("", { tool_calls: ["x", "y"].map((id) => ({ id, function: { name: "a", arguments: {} } })) }),
        { role: "tool", tool_call_id: "y", content: "2" },
        { role: "tool", tool_call_id: "x", content: "1" },
      ],
      told: [["a: 1", "a: 2"]],
    },
  ])("$name", ({ messages, told }) => {
    expect(outcomes(user("q"), ...messages)).toEqual(told);
  });

  it("told apart by their images", () => {
    const shots = ["one", "two", "one"].map((image) => result("look", "", { images: [image.repeat(100)] }));
    const texts = shots.map((shot) => steps(called(["look"]), shot)[0]?.calls[0]?.outcome?.text);
    expect(texts[0]).toMatch(/image/);
    expect(texts[1]).not.toBe(texts[0]);
    expect(texts[2]).toBe(texts[0]);
  });
});

it("arguments are read as they are written down", () => {
  const [step] = steps(user("q"), called(["a", { path: "é", n: [1, 2] }]));
  expect(step?.calls).toEqual([{ tool: "a", args: '{"path":"é","n":[1,2]}' }]);
});

it("thoughts are not what was said", () => {
  expect(steps(user("q"), said("Yes.", { thinking: "Hm." }))[0]?.text).toBe("Yes.");
});

describe("a request", () => {
  it("streams unless it says otherwise", () => {
    expect(
      [{}, { stream: null }, { stream: true }, { stream: false }].map((more) => ask([user("q")], more).streams),
    ).toEqual([true, true, true, false]);
  });

  it.each([
    { format: "json", kind: "json" },
    { format: { type: "object" }, kind: "schema" },
    { format: "", kind: "text" },
    { format: undefined, kind: "text" },
  ])("asks for an answer as $kind by the format $format", ({ format, kind }) => {
    expect(ask([user("q")], { format }).format.kind).toBe(kind);
  });

  it("offers its tools, and never forces one", () => {
    const { tools, toolChoice } = ask([user("q")], { tools: [tool], tool_choice: "required" });
    expect(tools).toEqual([{ name: "search", description: "finds", schema: { type: "object" } }]);
    expect(toolChoice).toBeUndefined();
  });

  it("is another one at another seed", () => {
    const keys = [1, 2].map((seed) => ask([user("q")], { options: { seed } }).samplingKey);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it.each(["{}", '{"model":"qwen3","messages":[]}', '{"model":"qwen3","keep_alive":0}'])(
    "that only loads its model is none: %s",
    (text) => {
      expect(ollama.parse(text)).toBeUndefined();
    },
  );
});

describe("a recording", () => {
  it.each([
    { keep_alive: "5m" },
    { think: false },
    { options: {} },
    { format: "json" },
    { messages: [user("q"), called(["a"]), result("a", "1")] },
    { messages: [user("q", { images: ["x"] })] },
  ])("is known by %j", (more) => {
    const recorded = JSON.parse(body([user("q")], more));
    expect(ollama.recognises(recorded)).toBe(true);
    expect(parseRecorded(recorded)?.streams).toBe(true);
  });

  it("of chat completions is none of its own", () => {
    expect(ollama.recognises({ model: "m", messages: [user("q")], stream: true })).toBe(false);
  });
});

it.each(["/api/generate", "/api/embed", "/api/tags", "/api/chat/completions", "/v1/chat", "/v2/chat"])(
  "%s is not its endpoint",
  (path) => {
    expect(protocolFor({ method: "POST", path, header: () => undefined })?.name).not.toBe("ollama");
  },
);

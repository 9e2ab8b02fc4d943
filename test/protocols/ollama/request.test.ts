import { describe, expect, it } from "vitest";
import { ollama } from "../../../src/protocols/ollama/ollama.ts";
import { type Edit, parseRecorded, protocolFor } from "../../../src/protocols/protocols.ts";
import { ask, body, called, result, rewrite, said, steps, user } from "./support.ts";

const tool = { type: "function", function: { name: "search", description: "finds", parameters: { type: "object" } } };

describe("results belong to calls", () => {
  const outcomes = (...messages: readonly unknown[]) =>
    steps(...messages).map(({ calls }) => calls.map(({ tool: name, outcome }) => `${name}: ${outcome?.text}`));

  const [one, two] = ["1", "2"].map((content) => ({ role: "tool", content }));
  const named = ["x", "y"].map((id) => ({ id, function: { name: "a", arguments: {} } }));
  it.each<[name: string, messages: readonly unknown[], ...told: readonly (readonly string[])[]]>([
    ["the name of the tool", [called(["a"], ["b"]), result("b", "2"), result("a", "1")], ["a: 1", "b: 2"]],
    ["order, of one tool", [called(["a"], ["a"]), result("a", "1"), result("a", "2")], ["a: 1", "a: 2"]],
    ["order, where results name no tool", [called(["a"], ["b"]), one, two], ["a: 1", "b: 2"]],
    ["the name of older clients", [called(["a"], ["b"]), { ...two, name: "b" }], ["a: undefined", "b: 2"]],
    ["turn, though its calls are told one by one", [called(["a"]), called(["b"]), one, two], ["a: 1", "b: 2"]],
    ["the latest turn", [called(["a"]), result("a", "1"), called(["a"]), result("a", "2")], ["a: 1"], ["a: 2"]],
    [
      "ids, where servers give calls some",
      [said("", { tool_calls: named }), { ...two, tool_call_id: "y" }, { ...one, tool_call_id: "x" }],
      ["a: 1", "a: 2"],
    ],
  ])("by %s", (_, messages, ...told) => expect(outcomes(user("q"), ...messages)).toEqual(told));
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

  it("is not known by a member that other formats have", () => {
    expect(ollama.recognises(JSON.parse(body([user("q")], { thinking: { type: "enabled" } })))).toBe(false);
  });
});

it.each(["/api/generate", "/api/embed", "/api/tags", "/api/chat/completions", "/v1/chat", "/v2/chat"])(
  "%s is not its endpoint",
  (path) => {
    expect(protocolFor("POST", path)?.name).not.toBe("ollama");
  },
);

describe("an edited request", () => {
  const tool1 = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
  const finish = (name?: string): Edit => ({ kind: "finish", tool: name });
  const asked = (tools: unknown) => body([user("q")], { tools, keep_alive: "5m" });

  it("offers the last tool alone, or none: nothing else can be chosen", () => {
    expect(JSON.parse(rewrite(asked([tool1("a"), tool1("done")]), finish("done")))).toEqual(
      JSON.parse(asked([tool1("done")])),
    );
    expect(JSON.parse(rewrite(asked([tool1("a")]), finish()))).toEqual(JSON.parse(asked([])));
    expect(rewrite(asked([]), finish())).toBe(asked([]));
  });
});

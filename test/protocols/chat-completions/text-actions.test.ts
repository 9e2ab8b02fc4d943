import { describe, expect, it } from "vitest";
import { called, said, steps, user } from "./support.ts";

describe("actions written as text", () => {
  const web = JSON.stringify({
    explanation: "typing",
    actions: [
      { action: "type", target: "#q", value: "箱根" },
      { action: "scroll", amount: 300 },
    ],
    complete: false,
  });

  it.each([
    {
      name: "web actions: the tool is the action, its arguments the rest",
      text: web,
      calls: [
        ["type", '{"target":"#q","value":"箱根"}'],
        ["scroll", '{"amount":300}'],
      ],
      words: "typing",
    },
    {
      name: "browser-use: the tool is the key, unused members of the union left out",
      text: '{"current_state":{"next_goal":"go"},"action":[{"click":{"index":5},"wait":null},{"go_back":null}]}',
      calls: [
        ["click", '{"index":5}'],
        ["go_back", "null"],
      ],
      words: "go",
    },
    {
      name: "a fence around it does not matter",
      text: `\n\`\`\`json\n${web}\n\`\`\`\n`,
      calls: [
        ["type", '{"target":"#q","value":"箱根"}'],
        ["scroll", '{"amount":300}'],
      ],
      words: "typing",
    },
    {
      name: "ReAct with an input",
      text: "Thought: hm\nAction: Google Search\nAction Input: hotels",
      calls: [["Google Search", "hotels"]],
      words: "Thought: hm",
    },
    {
      name: "ReAct with brackets",
      text: "Thought 2: hm\nAction 2: Search[Kyoto [city]]",
      calls: [["Search", "Kyoto [city]"]],
      words: "Thought 2: hm",
    },
    {
      name: "ReAct with a blob",
      text: 'Action:\n```\n{"action":"search","action_input":{"q":1}}\n```',
      calls: [["search", '{"q":1}']],
      words: "",
    },
    {
      name: "two actions in a row are two calls",
      text: "Action: a\nAction Input: 1\nAction: b\nAction Input: {}",
      calls: [
        ["a", "1"],
        ["b", "{}"],
      ],
      words: "",
    },
    {
      name: "a bare structured-chat blob",
      text: '{"action":"look","action_input":"up"}',
      calls: [["look", "up"]],
      words: "",
    },
  ])("$name", ({ text, calls, words }) => {
    const [step] = steps(said(text), user("page"), user("and?"));
    const outcome = { text: "page" };
    expect(step).toEqual({
      calls: calls.map(([tool, args]) => ({ tool, args, outcome })),
      text: words,
      heard: ["and?"],
    });
  });

  it.each([
    { name: "prose", text: "## Immediate Action:\n\n**call 911**" },
    { name: "a sentence after Action:", text: "Action: please call 911 now." },
    { name: "JSON without actions", text: '{"message":"hi"}' },
    { name: "an empty list of actions", text: '{"actions":[],"complete":true}' },
    { name: "actions that are no objects", text: '{"actions":["a",1,null]}' },
    { name: "broken JSON", text: '{"actions":[{"action":"x"}' },
    { name: "a final answer", text: '{"action":"Final Answer","action_input":"done"}' },
    { name: "an unclosed fence", text: "```json" },
  ])("$name is only text", ({ text }) => {
    expect(steps(said(text), user("page"))).toEqual([{ calls: [], text, heard: ["page"] }]);
  });

  it("does not look into the text of a turn that has calls", () => {
    const [step] = steps({ ...called(["a", "x"]), content: web });
    expect(step?.calls.map(({ tool }) => tool)).toEqual(["x"]);
  });
});

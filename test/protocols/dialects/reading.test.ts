import { describe, expect, it } from "vitest";
import { historyOf, type Message, promptStep } from "../../../src/protocols/dialects/dialects.ts";

const user = (text: string): Message => ({ part: "user", text });
const said = (text: string): Message => ({ part: "assistant", text, calls: [] });
const system = (text: string): Message => ({ part: "instruction", text });

/** Calls with what came back, of each step: `tool(args) -> outcome`. */
function told(...messages: readonly Message[]): readonly (readonly string[])[] {
  return historyOf(messages).conversation.steps.map(({ calls }) =>
    calls.map(({ tool, args, outcome }) => `${tool}(${args}) -> ${outcome?.text ?? "?"}`),
  );
}

describe("outcomes inside the assistant's own message", () => {
  it("are read there, and the prompt behind them is no outcome", () => {
    const turn = (query: string) => [
      said(`Thought: look\nAction: find\nAction Input: {"q":"${query}"}\nObservation: page of ${query}`),
      user("Look at what the tool said, then go on."),
    ];
    const expected = ["a", "b"].map((query) => [`find({"q":"${query}"}) -> page of ${query}`]);
    expect(told(user("Go."), ...turn("a"), ...turn("b"))).toEqual(expected);
  });

  it("end where the framework repeats its own instructions", () => {
    const reminder = "\n\n\nYou ONLY have access to the following tools:\nTool Name: find\nTool Arguments: {}\n";
    const text = `Action: find\nAction Input: x\nObservation: page${reminder}`;
    expect(told(user("Go."), said(text), user("Go on."))).toEqual([["find(x) -> page"]]);
  });

  it("are as many steps as there are actions with outcomes", () => {
    const text = "Function name: find\nInput: a\nOutput: one\nFunction name: find\nInput: b\nOutput: two";
    expect(told(user("Go."), said(text), user("Go on."))).toEqual([["find(a) -> one"], ["find(b) -> two"]]);
  });

  it("were imagined in a fresh answer, and where another one is reported", () => {
    const text = "Action: a\nAction Input: 1\nObservation: imagined\nAction: b\nAction Input: 2";
    expect(promptStep(text, []).calls).toEqual([{ tool: "a", args: "1" }]);
    expect(
      told(user("Go."), said("Action: a\nAction Input: 1\nObservation: imagined"), user("Observation: real")),
    ).toEqual([["a(1) -> real"]]);
  });
});

describe("calls as elements of markup", () => {
  const cline = "I look.\n<read_file>\n<path>src/tax.ts</path>\n</read_file>";
  const invoked = '<invoke name="click">\n<parameter name="ref">e91</parameter>\n</invoke>';

  it.each([
    { name: "the tag is the tool", text: cline, call: 'read_file({"path":"src/tax.ts"})' },
    { name: "the tag has the tool's name", text: invoked, call: 'click({"ref":"e91"})' },
    {
      name: "a list of calls stands around it",
      text: `<function_calls>\n${invoked}\n</function_calls>`,
      call: 'click({"ref":"e91"})',
    },
    {
      name: "named with an equals sign",
      text: "<function=bash>\n<parameter=command>ls -l</parameter>\n</function>",
      call: 'bash({"command":"ls -l"})',
    },
    { name: "its arguments are JSON", text: '<function=find>{"q":"a"}</function>', call: 'find({"q":"a"})' },
    { name: "without parameters", text: '<invoke name="look"></invoke>', call: "look({})" },
    {
      name: "cut off by a stop sequence",
      text: "<read_file>\n<path>a.ts</path>\n",
      call: 'read_file({"path":"a.ts"})',
    },
  ])("are read: $name", ({ text, call }) =>
    expect(told(user("Go."), said(text), user("<result>done it</result>"))).toEqual([
      [`${call} -> <result>done it</result>`],
    ]),
  );

  it.each([
    { name: "a table", text: "<table>\n<tr><td>1</td></tr>\n</table>" },
    { name: "an answer in a tag", text: "<final_answer>It is in the harbour.</final_answer>" },
    { name: "prose about a tag", text: "Write <read_file> and </read_file> around the path." },
  ])("are not $name", ({ text }) => expect(told(user("Go."), said(text), user("Thanks."))).toEqual([[]]));
});

describe("one action as JSON", () => {
  it.each([
    { text: '{"thought":"","action":"swipe","args":{"to":"left"}}', call: 'swipe({"to":"left"})' },
    { text: '{"action":"find","parameters":{"q":"a"},"reason":"x"}', call: 'find({"q":"a"})' },
    { text: '{"action":"find","action_input":"a"}', call: "find(a)" },
  ])("is read with its arguments, whatever they are called: $text", ({ text, call }) =>
    expect(told(user("Go."), said(text), user("Observation: 4"))).toEqual([[`${call} -> 4`]]),
  );
});

describe("calls between tags", () => {
  const call = (name: string, args: object) =>
    `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;

  it("are read, several of one turn together", () => {
    const turn = said(`I look.\n${call("find", { q: "a" })}\n${call("find", { q: "b" })}`);
    const response = user("<tool_response>\none\n</tool_response>");
    expect(told(user("Go."), turn, response).map((step) => step.map((one) => one.split(" -> ")[0]))).toEqual([
      ['find({"q":"a"})', 'find({"q":"b"})'],
    ]);
  });

  it.each([
    ["cut off by a stop sequence", '<tool_call>\n{"name":"find","arguments":{}}', 1],
    ["of which half has come", '<tool_call>\n{"name":"fi', 0],
    ["in prose", "Write each call as <tool_call>…</tool_call>.", 0],
    [
      "with code behind the object",
      '<tool_call>\n{"name":"run","arguments":{}}\n<code>\nx = 1\n</code>\n</tool_call>',
      1,
    ],
  ])("%s", (_, text, count) => expect(promptStep(text, []).calls).toHaveLength(count));
});

describe("a labelled list of actions", () => {
  it("is read without the marks that are new each time", () => {
    const text =
      'Thought: x\nActions: [{"tag":"a1","name":"Web","path":"open","input":{"u":1}},{"tag":"b2","name":"Web","input":{}}]';
    expect(promptStep(text, []).calls).toEqual([
      { tool: "Web.open", args: '{"u":1}' },
      { tool: "Web", args: "{}" },
    ]);
  });

  it.each(["Actions: none", "Actions: I opened the page.", "Actions: [one, two]"])("is none: %s", (text) =>
    expect(promptStep(text, []).calls).toEqual([]),
  );
});

describe("labels", () => {
  it.each([
    ["Action: find\nAction Input: x", "find(x)"],
    ["Action: find\nInput: {\n  id: a1\n}", "find({\n  id: a1\n})"],
    ["Action: find\nQuery: x\nPage: 2", "find(Query: x\nPage: 2)"],
    ["Tool: find\nTool Input: x", "find(x)"],
    ["**Function Name:** find\n**Arguments:** x", "find(x)"],
    ['Action:\n{"name": "find", "arguments": {"q": "x"}}', 'find({"q":"x"})'],
    ['Action:\n{"tool": "find", "q": "x"}', 'find({"q":"x"})'],
  ])("%j is one call", (text, expected) => {
    expect(told(user("Go."), said(text))).toEqual([[`${expected} -> ?`]]);
  });

  it.each(["Tool: a hammer is best.", "Function: it sorts.\nResult: sorted", "Output: 5", "Answer: yes"])(
    "%j is prose",
    (text) => expect(told(user("Go."), said(text))).toEqual([[]]),
  );
});

describe("calls told again as a Python list", () => {
  it("are calls, whatever ids they are given each turn", () => {
    const turn = (id: string) => [
      said(
        `Calling tools:\n[{'id': '${id}', 'type': 'function', 'function': {'name': 'find', 'arguments': {'q': "it's", 'n': 2}}}]`,
      ),
      user("Observation:\nnothing"),
    ];
    const expected = ['find({"q":"it\'s","n":2}) -> nothing'];
    expect(told(user("Go."), ...turn("x1"), ...turn("x2"))).toEqual([expected, expected]);
  });
});

describe("code blocks", () => {
  it.each([
    "Thought: look\n<code>\nfind('a')\n</code>",
    "Thought: look\n<code>\nfind('a')\n",
    "Thought: look\nCode:\n```py\nfind('a')\n```<end_code>",
    '{"thought": "look", "code": "find(\'a\')"}',
    "Thought: look\n<code>\nfind('a')\n</code>\nCalling tools:\n[{'id': 'call_3', 'type': 'function', 'function': {'name': 'python_interpreter', 'arguments': \"find('a')\"}}]",
  ])("%j is a call of the interpreter", (text) => {
    expect(told(user("Go."), said(text), user("Observation:\nCall id: call_3\nError: no"))).toEqual([
      ["python_interpreter(find('a')) -> Error: no"],
    ]);
  });

  it.each(["Use `<code>x</code>` here.", "Like this:\n```python\nfind('a')\n```"])("%j is prose", (text) => {
    expect(told(user("Go."), said(text))).toEqual([[]]);
  });
});

describe("actions as JSON", () => {
  it.each([
    '{"action":[{"click":{"index":5}}]}',
    'I click it.\n{"action":[{"click":{"index":5}}]}',
    'I click it:\n```json\n{"action":[{"click":{"index":5}}]}\n```\nThen I look.',
  ])("%j is a call", (text) => {
    expect(told(user("Go."), said(text))).toEqual([['click({"index":5}) -> ?']]);
  });
});

describe("actions as JSON within a line", () => {
  const json = '{"explanation":"検索","actions":[{"action":"click","target":"#a"}]}';
  const read = [['click({"target":"#a"}) -> ?']];

  it.each([
    [`次の操作です: ${json}`, read],
    [`次の操作です: ${json} これで検索します。`, read],
    [`次の操作です：${json}。これで検索します。`, read],
    [`Next: ${json} Then I look at the results.`, read],
    [`Next: ${json}. Then (maybe) {more}.`, read],
    [`Next: ${json}\nThen I look.`, read],
    [`Before: {"actions":[{"action":"wait"}]} Next: ${json} Then I look.`, read],
    [`The form is: ${json}, as you asked.`, [[]]],
    [`The form is: ${json} which you asked for.`, [[]]],
    [`You said ${json} Then nothing came.`, [[]]],
  ])("%s", (text, steps) => expect(told(user("Go."), said(text))).toEqual(steps));
});

describe("few-shot examples", () => {
  const action = "Thought: x\nAction: find\nAction Input: a";

  it("are no steps, and no task", () => {
    const messages = [
      system("S"),
      user("Example question"),
      said(action),
      user("Observation: b"),
      user("The real one"),
    ];
    const { conversation } = historyOf(messages);
    expect(conversation).toMatchObject({ opening: ["The real one"], steps: [] });
    expect(told(...messages, said(action), user("Observation: c"))).toEqual([["find(a) -> c"]]);
  });

  it.each([
    {
      name: "begin with a text turn",
      turns: [said("I will look it up."), user("Observation: go on"), said(action), user("Observation: b")],
    },
    { name: "end in their own answer", turns: [said(action), user("Observation: b"), said("Final Answer: b")] },
  ])("are no steps where they $name", ({ turns }) => {
    const messages = [system("S"), user("Example question"), ...turns, user("The real one")];
    expect(historyOf(messages).conversation).toMatchObject({ opening: ["The real one"], steps: [] });
  });

  it("end where their tag is closed", () => {
    const example = [
      user("<example_1>\nHere is an example."),
      said('{"action":[{"click":{"index":4}}]}'),
      user("Clicked.\n</example_1>"),
    ];
    expect(historyOf([system("S"), ...example, user("The task")]).conversation).toMatchObject({
      opening: ["The task"],
      steps: [],
    });
  });

  it("are not seen in a task that speaks of one", () => {
    const messages = [user("Example.com is down, find out why"), said(action), user("Observation: b")];
    expect(told(...messages)).toEqual([["find(a) -> b"]]);
    expect(
      told(user("Example: find a"), said(action), user("Observation: b"), said(action), user("Observation: b")),
    ).toHaveLength(2);
  });
});

describe("a history in one prompt", () => {
  it("is read from numbered fields", () => {
    const fields = [0, 1].map(
      (index) =>
        `[[ ## thought_${index} ## ]]\nlook\n\n[[ ## tool_name_${index} ## ]]\nfind\n\n[[ ## tool_args_${index} ## ]]\n{"q": "a"}\n\n[[ ## observation_${index} ## ]]\npage ${index}`,
    );
    const ask =
      "Respond with the corresponding output fields, starting with `[[ ## next_thought ## ]]`, then `[[ ## next_tool_name ## ]]`.";
    const prompt = ["[[ ## question ## ]]\nWhy?", "[[ ## trajectory ## ]]", ...fields, ask].join("\n\n");
    expect(told(system("S"), user(prompt))).toEqual([['find({"q": "a"}) -> page 0'], ['find({"q": "a"}) -> page 1']]);
    expect(historyOf([system("S"), user(prompt)]).conversation.opening).toEqual(["Why?"]);
    // What is asked for at the end is the answer's fields: no step of the run.
    expect(told(system("S"), user(prompt.replace("next_tool_name", "answer")))).toEqual([]);
  });

  it("is read from a scratchpad behind the question, and not from the form in front of it", () => {
    const form =
      "Use this format:\n\nQuestion: the question\nThought: think\nAction: one of [find]\nAction Input: the input\nObservation: the result\n\nBegin!\n\n";
    const steps = ["a", "b"].map(
      (query) => `Action: find\nAction Input: ${query}\nObservation: page of ${query}\nThought: on\n`,
    );
    expect(told(user(`${form}Question: Why?\nThought: on\n${steps.join("")}`))).toEqual([
      ["find(a) -> page of a"],
      ["find(b) -> page of b"],
    ]);
    expect(told(user(`${form}Question: Why?\nThought:`))).toEqual([]);
  });

  it("is read from marked sections, with the page as part of the newest outcome alone", () => {
    const step = (words: string, result: string) => `<step>\n${words}\nResult\n${result}\n`;
    const prompt = `<user_request>\nBuy it.\n</user_request>\n<agent_history>\n${step("Look.", "Clicked a")}${step("Again.", "Clicked b")}</agent_history>\n<browser_state>\n[12]<button />\nNo results.\n</browser_state>`;
    const { conversation } = historyOf([system("S"), user(prompt), user("You have 3 steps left.")]);
    expect(conversation.opening).toEqual(["Buy it."]);
    expect(conversation.steps.map(({ calls: [call] }) => call?.outcome?.text)).toEqual([
      "Clicked a",
      "Clicked b\n\n<button />\nNo results.",
    ]);
    expect(conversation.steps.every(({ isUntold }) => isUntold)).toBe(true);
  });

  it("is read from objects under a heading, in any language", () => {
    const bot = JSON.stringify({
      user: "予約",
      bot: { explanation: "入力", actions: [{ action: "type", target: "#q", value: "箱根" }] },
    });
    const prompt = `## ユーザーの指示\n箱根の宿\n\n## これまでの会話履歴\n${bot}\n${bot}\n\n## 現在のページ\n<input id="q">`;
    expect(told(user(prompt))).toEqual([
      ['type({"target":"#q","value":"箱根"}) -> ?'],
      ['type({"target":"#q","value":"箱根"}) -> <input id="q">'],
    ]);
  });

  it.each(["What is in <history>this</history> text?", "## Task\nWrite it.\n## Page\nOne.", "Question: why?\nAnswer:"])(
    "is not seen in %j",
    (text) => expect(historyOf([user(text)]).conversation).toMatchObject({ opening: [text], steps: [] }),
  );
});

describe("very many actions in the texts of one request", () => {
  it.each([
    { name: "labelled lines", text: "Action: a\nAction Input: b\n".repeat(2_048), actions: 2_048 },
    { name: "a JSON list", text: `{"action":[${Array(2_048).fill('{"a":{}}').join()}]}`, actions: 2_048 },
  ])("as $name are read up to a number, and the texts behind it are words", ({ text, actions }) => {
    const turns = Array.from({ length: 32 }, (_, i) => [said(text), user(`Observation: ${i}`)]).flat();
    const { steps } = historyOf([user("Go."), ...turns]).conversation;
    expect(steps).toHaveLength(32);
    expect(steps.map(({ calls }) => calls.length)).toEqual([...Array(8).fill(actions), ...Array(24).fill(0)]);
    expect(steps.at(-1)).toMatchObject({ text, heard: ["Observation: 31"] });
  });
});

import { requestWork } from "../../../src/work.ts";
import { describe, expect, it } from "vitest";
import { historyOf, promptStep } from "../../../src/protocols/dialects/history.ts";
import type { Message } from "../../../src/protocols/dialects/dialect.ts";

const user = (text: string): Message => ({ part: "user", text });
const said = (text: string): Message => ({ part: "assistant", text, calls: [] });
const system = (text: string): Message => ({ part: "instruction", text });

/** Calls with what came back, of each step: `tool(args) -> outcome`. */
function told(...messages: readonly Message[]): readonly (readonly string[])[] {
  return historyOf(messages, requestWork()).conversation.steps.map(({ calls }) =>
    calls.map(({ tool, args, outcome }) => `${tool}(${args}) -> ${outcome?.text ?? "?"}`),
  );
}

const invoked = '<invoke name="click">\n<parameter name="ref">e91</parameter>\n</invoke>';
const tagged = (name: string) => `<tool_call>\n{"name":"${name}","arguments":{"q":"a"}}\n</tool_call>`;
const web = '{"explanation":"検索","actions":[{"action":"click","target":"#a"}]}';
const clicked = 'click({"target":"#a"})';
const code = "python_interpreter(find('a'))";

describe("the calls of a text", () => {
  it.each<readonly [text: string, ...calls: readonly string[]]>([
    // Labelled lines.
    ["Thought: hm\nAction: Google Search\nAction Input: hotels", "Google Search(hotels)"],
    ["Thought 2: hm\nAction 2: Search[Kyoto [city]]", "Search(Kyoto [city])"],
    ["Action: a\nAction Input: 1\nAction: b\nAction Input: {}", "a(1)", "b({})"],
    ["Action: find\nInput: {\n  id: a1\n}", "find({\n  id: a1\n})"],
    ["Action: find\nQuery: x\nPage: 2", "find(Query: x\nPage: 2)"],
    ["**Function Name:** find\n**Arguments:** x", "find(x)"],
    ['Action:\n{"name": "find", "arguments": {"q": "x"}}', 'find({"q":"x"})'],
    ['Action:\n```\n{"tool": "find", "q": "x"}\n```', 'find({"q":"x"})'],
    [
      'Thought: x\nActions: [{"tag":"a1","name":"Web","path":"open","input":{"u":1}},{"tag":"b2","name":"Web","input":{}}]',
      'Web.open({"u":1})',
      "Web({})",
    ],
    // Elements of markup.
    ["I look.\n<read_file>\n<path>src/tax.ts</path>\n</read_file>", 'read_file({"path":"src/tax.ts"})'],
    ["<read_file>\n<path>a.ts</path>\n", 'read_file({"path":"a.ts"})'],
    [`<function_calls>\n${invoked}\n</function_calls>`, 'click({"ref":"e91"})'],
    ["<function=bash>\n<parameter=command>ls -l</parameter>\n</function>", 'bash({"command":"ls -l"})'],
    ['<function=find>{"q":"a"}</function>', 'find({"q":"a"})'],
    ['<invoke name="look"></invoke>', "look({})"],
    // JSON between tags.
    [`I look.\n${tagged("find")}\n${tagged("open")}`, 'find({"q":"a"})', 'open({"q":"a"})'],
    [
      '<tool_call>\n{"name":"run","arguments":{}}\n<code>\nx = 1\n</code>\n</tool_call>',
      "run({}\n<code>\nx = 1\n</code>)",
    ],
    ...[
      '<tool_call>{"name":"find","arguments":{"q":"a"}}',
      '[TOOL_CALLS] [{"name": "find", "arguments": {"q":"a"}}]',
      '[TOOL_CALLS]find[ARGS]{"q": "a"}',
      '<|python_tag|>{"type": "function", "name": "find", "parameters": {"q":"a"}}<|eom_id|>',
      '<｜tool▁call▁begin｜>function<｜tool▁sep｜>find\n```json\n{"q": "a"}\n```<｜tool▁call▁end｜>',
      '✿FUNCTION✿: find\n✿ARGS✿: {"q": "a"}',
      '<|channel|>commentary to=functions.find <|constrain|>json<|message|>{"q": "a"}<|call|>',
      'I look.\n```tool_call\n{"tool": "find", "args": {"q": "a"}}\n```',
      '{"thoughts":{"text":"I look."},"command":{"name":"find","args":{"q":"a"}}}',
    ].map((text) => [text, 'find({"q":"a"})'] as const),
    ["```tool_code\nfind('a')\n```", "find('a')"],
    ["<|python_tag|>x = find('a')\nx<|eom_id|>", "python_interpreter(x = find('a')\nx)"],
    // Code.
    ["Thought: look\n<code>\nfind('a')\n</code>", code],
    ["Thought: look\nCode:\n```py\nfind('a')\n```<end_code>", code],
    ['{"thought": "look", "code": "find(\'a\')"}', code],
    // Objects of actions.
    ['{"analysis":"","commands":[{"keystrokes":"ls\\n"}],"task_complete":false}', 'command({"keystrokes":"ls\\n"})'],
    ['{"action":[{"click":{"index":5},"wait":null},{"go_back":null}]}', 'click({"index":5})', "go_back(null)"],
    ['I click it:\n```json\n{"action":[{"click":{"index":5}}]}\n```\nThen I look.', 'click({"index":5})'],
    ['{"thought":"","action":"swipe","args":{"to":"left"}}', 'swipe({"to":"left"})'],
    ['{"action":"find","parameters":{"q":"a"},"reason":"x"}', 'find({"q":"a"})'],
    ['{"action":"find","action_input":"a"}', "find(a)"],
    [`\n\`\`\`json\n${web}\n\`\`\`\n`, clicked],
    [`次の操作です: ${web}`, clicked],
    [`Next: ${web}. Then (maybe) {more}.`, clicked],
    [`Before: {"actions":[{"action":"wait"}]} Next: ${web} Then I look.`, clicked],
  ])("%j", (text, ...calls) => {
    expect(promptStep(text, [], requestWork()).calls.map(({ tool, args }) => `${tool}(${args})`)).toEqual(calls);
  });

  it.each([
    ...["Tool: a hammer is best.", "Function: it sorts.\nResult: sorted", "Output: 5", "Answer: yes"],
    ...["## Immediate Action:\n\n**call 911**", "Action: please call 911 now.", '{"actions":[],"complete":true}'],
    ...['{"actions":["a",1,null]}', '{"actions":[{"action":"x"}', '{"action":"Final Answer","action_input":"done"}'],
    ...["Actions: none", "Actions: I opened the page.", "Actions: [one, two]"],
    ...["<table>\n<tr><td>1</td></tr>\n</table>", "<final_answer>It is in the harbour.</final_answer>"],
    ...["It is the token <|python_tag|>, which stands before code.", "Like so:\n<|python_tag|>x<|eom_id|> is code."],
    ...["Write <read_file> and </read_file> around the path.", "Write each call as <tool_call>…</tool_call>."],
    ...['<tool_call>\n{"name":"fi', "Use `<code>x</code>` here.", "Like this:\n```python\nfind('a')\n```"],
    ...[`The form is: ${web}, as you asked.`, `The form is: ${web} which you asked.`, `You said ${web} Nothing came.`],
  ])("are none in prose: %j", (text) => expect(told(user("Go."), said(text), user("Thanks."))).toEqual([[]]));
});

describe("outcomes", () => {
  const act = "Action: find\nAction Input: a\nObservation: page of a";
  const python = (id: string) =>
    `Calling tools:\n[{'id': '${id}', 'type': 'function', 'function': {'name': 'find', 'arguments': {'q': "it's", 'n': 2, 'big': 12345678901234567890, 'ok': True,}}}]`;

  const listed = "\n\n\nYou ONLY have access to the following tools:\nTool Name: find";
  const twice = "Function name: find\nInput: a\nOutput: one\nFunction name: find\nInput: b\nOutput: two";
  const nothing = user("Observation:\nnothing");
  const told_ = 'find({"q":"it\'s","n":2,"big":"12345678901234567890","ok":true}) -> nothing';
  const called =
    "Thought: look\n<code>\nfind('a')\n</code>\nCalling tools:\n[{'id': 'call_3', 'type': 'function', 'function': {'name': 'python_interpreter', 'arguments': \"find('a')\"}}]";

  it.each<readonly [name: string, messages: readonly Message[], steps: readonly (readonly string[])[]]>([
    ["inside the message", [said(`Thought: look\n${act}`), user("Look at it.")], [["find(a) -> page of a"]]],
    ["up to the framework's own instructions", [said(act + listed), user("Go on.")], [["find(a) -> page of a"]]],
    ["as many as there are actions", [said(twice), user("Go.")], [["find(a) -> one"], ["find(b) -> two"]]],
    ["imagined, where another one is reported", [said(act), user("Observation: real")], [["find(a) -> real"]]],
    ["of calls told as a Python list", [said(python("x1")), nothing, said(python("x2")), nothing], [[told_], [told_]]],
    ["of code", [said(called), user("Observation:\nCall id: call_3\nError: no")], [[`${code} -> Error: no`]]],
  ])("%s", (_, messages, steps) => expect(told(user("Go."), ...messages)).toEqual(steps));

  it("that an answer imagines are nothing", () => {
    expect(promptStep(`${act}\nAction: b\nAction Input: 2`, [], requestWork()).calls).toEqual([
      { tool: "find", args: "a" },
    ]);
  });
});

describe("few-shot examples", () => {
  const action = "Thought: x\nAction: find\nAction Input: a";
  const observed = user("Observation: b");

  const asked = user("Example question");
  const click = said('{"action":[{"click":{"index":4}}]}');
  const inTag = [user("<example_1>\nHere."), click, user("Clicked.\n</example_1>")];
  it.each<readonly [name: string, example: readonly Message[]]>([
    ["of one turn", [asked, said(action), observed]],
    ["that end in their own answer", [asked, said(action), observed, said("Final Answer: b")]],
    ["in a tag", inTag],
  ])("%s are no steps, and no task", (_, example) => {
    const messages = [system("S"), ...example, user("The task")];
    expect(historyOf(messages, requestWork()).conversation).toMatchObject({ opening: ["The task"], steps: [] });
    expect(told(...messages, said(action), user("Observation: c"))).toEqual([["find(a) -> c"]]);
  });

  it("are not seen in a task that speaks of one", () => {
    expect(told(user("Example.com is down, find out why"), said(action), observed)).toEqual([["find(a) -> b"]]);
    expect(told(user("Example: find a"), said(action), observed, said(action), observed)).toHaveLength(2);
  });
});

describe("a history in one prompt", () => {
  it("is read from numbered fields", () => {
    const fields = [0, 1].map(
      (at) =>
        `[[ ## thought_${at} ## ]]\nlook\n\n[[ ## tool_name_${at} ## ]]\nfind\n\n[[ ## tool_args_${at} ## ]]\n{"q": "a"}\n\n[[ ## observation_${at} ## ]]\npage ${at}`,
    );
    const ask =
      "Respond with the corresponding output fields, starting with `[[ ## next_thought ## ]]`, then `[[ ## next_tool_name ## ]]`.";
    const prompt = ["[[ ## question ## ]]\nWhy?", "[[ ## trajectory ## ]]", ...fields, ask].join("\n\n");
    expect(told(system("S"), user(prompt))).toEqual([['find({"q": "a"}) -> page 0'], ['find({"q": "a"}) -> page 1']]);
    expect(historyOf([system("S"), user(prompt)], requestWork()).conversation.opening).toEqual(["Why?"]);
    // What is asked for at the end is the answer's fields: no step of the run.
    expect(told(system("S"), user(prompt.replace("next_tool_name", "answer")))).toEqual([]);
  });

  it("is read from a scratchpad behind the question, and not from the form in front of it or what a tool asks", () => {
    const form =
      "Use this format:\n\nQuestion: the question\nThought: think\nAction: one of [find]\nAction Input: the input\n\n";
    const steps = ["a", "b"]
      .map(
        (query) =>
          `Action: find\nAction Input: ${query}\nObservation: page of ${query}\nQuestion: pay ${query}?\nThought: on\n`,
      )
      .join("");
    const read = ["a", "b"].map((query) => [`find(${query}) -> page of ${query}\nQuestion: pay ${query}?`]);
    const prompts = [`${form}Begin!\n\nQuestion: Why?\nThought: on\n${steps}`, `Question: Why?\nThought: on\n${steps}`];
    for (const prompt of prompts) {
      expect(historyOf([user(prompt)], requestWork()).conversation.opening).toEqual(["Why?"]);
      expect(told(user(prompt)).map(([call]) => call?.split("\n")[0])).toEqual(
        read.map(([call]) => call?.split("\n")[0]),
      );
    }
    expect(told(user(`${form}Begin!\n\nQuestion: Why?\nThought:`))).toEqual([]);
  });

  it("is read from marked sections, with the page as part of the newest outcome alone", () => {
    const step = (words: string, result: string) => `<step>\n${words}\nResult\n${result}\n`;
    const prompt = `<user_request>\nBuy it.\n</user_request>\n<agent_history>\n${step("Look.", "Clicked a")}${step("Again.", "Clicked b")}</agent_history>\n<browser_state>\n[12]<button />\nNo results.\n</browser_state>`;
    const { opening, steps } = historyOf(
      [system("S"), user(prompt), user("You have 3 steps left.")],
      requestWork(),
    ).conversation;
    expect(opening).toEqual(["Buy it."]);
    expect(steps.map(({ calls: [call] }) => call?.outcome?.text)).toEqual([
      "Clicked a",
      "Clicked b\n\n<button />\nNo results.",
    ]);
    expect(steps.every(({ isUntold }) => isUntold)).toBe(true);
  });

  it("is read from objects under a heading, in any language", () => {
    const bot = JSON.stringify({
      user: "予約",
      bot: { explanation: "入力", actions: [{ action: "type", target: "#q", value: "箱根" }] },
    });
    const prompt = `## ユーザーの指示\n箱根の宿\n\n## これまでの会話履歴\n${bot}\n${bot}\n\n## 現在のページ\n<input id="q">`;
    const call = 'type({"target":"#q","value":"箱根"})';
    expect(told(user(prompt))).toEqual([[`${call} -> ?`], [`${call} -> <input id="q">`]]);
  });

  it.each(["What is in <history>this</history> text?", "## Task\nWrite it.\n## Page\nOne.", "Question: why?\nAnswer:"])(
    "is not seen in %j",
    (text) => expect(historyOf([user(text)], requestWork()).conversation).toMatchObject({ opening: [text], steps: [] }),
  );
});

describe("very many actions in the texts of one request", () => {
  it.each([
    { name: "labelled lines", text: "Action: a\nAction Input: b\n".repeat(2_048) },
    { name: "a JSON list", text: `{"action":[${Array(2_048).fill('{"a":{}}').join()}]}` },
  ])("as $name are read up to their work, and the texts behind it are words", ({ text }) => {
    const turns = Array.from({ length: 32 }, (_, i) => [said(text), user(`Observation: ${i}`)]).flat();
    const { steps } = historyOf([user("Go."), ...turns], requestWork()).conversation;
    const told = steps.findIndex(({ calls }) => calls.length === 0);
    expect([4, 5, 6, 7, 8]).toContain(told);
    expect(steps.map(({ calls }) => calls.length)).toEqual([...Array(told).fill(2_048), ...Array(32 - told).fill(0)]);
    expect(steps.at(-1)).toMatchObject({ text, heard: ["Observation: 31"] });
  });
});

describe("the one form that instructions show an agent without tools", () => {
  const shell = system("Your answer must contain exactly ONE bash code block with ONE command.");
  const play = system("Answer like this:\nTHOUGHT: <why>\nCOMMAND: <one command for the game>");
  const read = (form: Message, text: string) => {
    const messages = [form, user("Begin."), said(text), user("It came.")];
    const { steps } = historyOf(messages, requestWork(), { isWithoutTools: true }).conversation;
    return steps.map(({ calls, heard }) => [
      ...calls.map((call) => [call.tool, call.args, call.outcome?.text]),
      ...heard,
    ]);
  };

  it.each<readonly [form: Message, text: string, tool: string, args: string]>([
    [shell, "THOUGHT: I look.\n\n```bash\nls -l\n```", "bash", "ls -l"],
    [shell, "```\nls -l\n```\n", "block", "ls -l"],
    [
      system("Give your action inside fences: ```click [id]``` or ```stop [answer]```."),
      "The action is ```click [12]```",
      "click",
      "[12]",
    ],
    [play, "THOUGHT: A door.\nCOMMAND: open door", "command", "open door"],
    [play, "COMMAND: look\nI hope that helps.", "command", "look"],
  ])("%j: %j", (form, text, tool, args) => expect(read(form, text)).toEqual([[[tool, args, "It came."]]]));

  it.each<readonly [form: Message, text: string]>([
    [shell, "Both are right:\n```py\na()\n```\nor\n```py\nb()\n```"],
    [shell, "Run this:\n```bash\nls -l\n```\nand tell me what you see."],
    [play, "You win."],
    [play, "COMMAND: look\nCOMMAND: north"],
    [user("Fix this:\n```js\na()\n```"), "Try this:\n```js\nb()\n```"],
    [system("Write ```js blocks```."), "Try this:\n```js\nb()\n```"],
    [system("You are one of the best at code."), "Run this:\n```bash\nls -l\n```"],
  ])("is none where it is not shown, or does not stand alone at the end: %j: %j", (form, text) =>
    expect(read(form, text)).toEqual([["It came."]]),
  );
});

import type { ChatMessage, DialectAgent, TakenStep, ToldMessage, Understood } from "./dialect-agent.ts";

const system = (content: string) => ({ role: "system", content });
const user = (content: string) => ({ role: "user", content });
const said = (content: string) => ({ role: "assistant", content });
const text = (written: string) => ({ kind: "text", text: written }) as const;

const labelled = (query: string) => `Thought: I look.\nAction: find\nAction Input: ${query}`;
const form = (label: string) =>
  `Use this form:\nThought: think\nAction: find\nAction Input: words\n\nAt the end:\nThought: I know\n${label}: the answer`;

function understandLabels(final: RegExp): (message: ChatMessage) => Understood {
  return ({ content }) => {
    const answer = final.exec(content ?? "")?.[1];
    if (answer !== undefined) return { answer: answer.trim() };
    const query = /Action Input: (.*)/.exec(content ?? "")?.[1];
    return query === undefined ? undefined : { query };
  };
}

const react: Omit<DialectAgent, "name" | "messages" | "nudgedAt"> = {
  call: (query) => text(labelled(query)),
  final: (answer) => text(`Thought: I know.\nFinal Answer: ${answer}`),
  understand: understandLabels(/Final Answer:([\s\S]*)/),
};

/** Every habit in which agents write actions into text, each as an agent of its own with a parser of its own. */
export const agents: DialectAgent[] = [];

const turns = (steps: readonly TakenStep[], tell: (step: TakenStep, index: number) => readonly ToldMessage[]) =>
  steps.flatMap(tell);

agents.push({
  ...react,
  name: "ReAct with outcomes as user messages",
  correction: "Invalid format: missing 'Action:' after 'Thought:'. Follow the format.",
  messages: (task, steps) => [
    system(form("Final Answer")),
    user(task),
    ...turns(steps, (step) => [said(step.said), user(`Observation: ${step.outcome}`)]),
  ],
});

const tools = ["find", "final_answer"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { x: { type: "string" } }, required: ["x"] } },
}));

agents.push({
  name: "native calls, told again as a Python list",
  request: { tools, tool_choice: "required" },
  messages: (task, steps) => [
    system("Act."),
    user(`New task:\n${task}`),
    ...turns(steps, (step, index) => [
      said(
        `Calling tools:\n[{'id': 'x${index}', 'type': 'function', 'function': {'name': '${step.answer === undefined ? "find" : "final_answer"}', 'arguments': {'x': '${step.answer ?? step.query}'}}}]`,
      ),
      user(`Observation:\n${step.outcome}`),
    ]),
  ],
  call: (query) => ({ kind: "calls", calls: [{ tool: "find", args: JSON.stringify({ x: query }) }] }),
  final: (answer) => ({ kind: "calls", calls: [{ tool: "final_answer", args: JSON.stringify({ x: answer }) }] }),
  understand: ({ tool_calls: [call] = [] }) => {
    if (call === undefined) return undefined;
    const { x } = JSON.parse(call.function.arguments);
    return call.function.name === "final_answer" ? { answer: x } : { query: x };
  },
});

agents.push({
  name: "code blocks",
  correction: "Error in code parsing: the code blob is invalid. Make sure to provide correct code blobs.",
  messages: (task, steps) => [
    system("Write <code> blocks. End with final_answer('...').\n<code>\nfind('x')\n</code>"),
    user(task),
    ...turns(steps, (step, index) => [
      said(
        step.query === "" && step.answer === undefined
          ? step.said
          : `${step.said}\nCalling tools:\n[{'id': 'call_${index}', 'type': 'function', 'function': {'name': 'python_interpreter', 'arguments': 'x'}}]`,
      ),
      user(`Observation:\nExecution logs:\n${step.outcome}`),
    ]),
  ],
  call: (query) => text(`Thought: I look.\n<code>\nprint(find("${query}"))\n</code>`),
  final: (answer) => text(`Thought: I know.\n<code>\nfinal_answer(${JSON.stringify(answer)})\n</code>`),
  understand: ({ content }) => {
    const code = /<code>\n([\s\S]*?)(\n<\/code>|$)/.exec(content ?? "")?.[1];
    const answer = /^final_answer\((.*)\)$/.exec(code ?? "")?.[1];
    if (answer !== undefined) return { answer: JSON.parse(answer) };
    const query = /find\("(.*)"\)/.exec(code ?? "")?.[1];
    return query === undefined ? undefined : { query };
  },
});

const fields = (members: Readonly<Record<string, string>>) =>
  Object.entries(members)
    .map(([name, value]) => `[[ ## ${name} ## ]]\n${value}`)
    .join("\n\n");

agents.push({
  name: "fields in one prompt",
  isPrompt: true,
  messages: (task, steps) => [
    system(
      "Fields: [[ ## next_thought ## ]] [[ ## next_tool_name ## ]] of Literal['find', 'finish'] [[ ## next_tool_args ## ]]",
    ),
    user(
      `${fields({ question: task, trajectory: "" })}\n${steps
        .map((step, at) =>
          fields({
            [`thought_${at}`]: "I look.",
            [`tool_name_${at}`]: step.answer === undefined ? "find" : "finish",
            [`tool_args_${at}`]: step.answer === undefined ? `{"x":"${step.query}"}` : "{}",
            [`observation_${at}`]: step.outcome,
          }),
        )
        .join(
          "\n\n",
        )}\n\nRespond with the corresponding output fields, starting with \`[[ ## next_thought ## ]]\`, then \`[[ ## next_tool_name ## ]]\`.`,
    ),
  ],
  call: (query) =>
    text(
      fields({ next_thought: "I look.", next_tool_name: "find", next_tool_args: `{"x":"${query}"}`, completed: "" }),
    ),
  final: (answer) =>
    text(fields({ next_thought: answer, next_tool_name: "finish", next_tool_args: "{}", completed: "" })),
  understand: ({ content }) => {
    const [, thought = "", name, args = "{}"] =
      /next_thought ## \]\]\n([\s\S]*?)\n\n?\[\[ ## next_tool_name ## \]\]\n(.*)\n\n?\[\[ ## next_tool_args ## \]\]\n(.*)/.exec(
        content ?? "",
      ) ?? [];
    if (name === undefined) return undefined;
    return name === "finish" ? { answer: thought.trim() } : { query: JSON.parse(args).x };
  },
});

agents.push({
  name: "JSON actions behind prose",
  messages: (task, steps) => [
    system("Act by JSON."),
    user(task),
    ...turns(steps, (step) => [said(step.said), user(`Action result: ${step.outcome}`)]),
  ],
  call: (query) => text(`I look.\n\n\`\`\`json\n{"note":"look","action":[{"find":{"x":"${query}"}}]}\n\`\`\``),
  final: (answer) => text(JSON.stringify({ note: "", action: [{ done: { text: answer, success: true } }] })),
  understand: ({ content }) => {
    const json = /\{[\s\S]*\}/.exec(content ?? "")?.[0];
    const { find, done } = json === undefined ? {} : JSON.parse(json).action[0];
    if (done !== undefined) return { answer: done.text };
    return find === undefined ? undefined : { query: find.x };
  },
});

const page = "Results: rain in the morning, sun after noon.";

agents.push({
  name: "results alone in one prompt",
  isPrompt: true,
  isUntold: true,
  messages: (task, steps) => [
    system('You browse. Respond with JSON only: {"memory":"what you know","action":[{"find":{"x":"words"}}]}'),
    user(
      `<user_request>\n${task}\n</user_request>\n<agent_history>\n${steps.map(({ outcome }) => `<step>\nLooking.\nResult\n${outcome}\n`).join("")}</agent_history>\n<browser_state>\n[${steps.length}]<button />\n${page}\n</browser_state>`,
    ),
  ],
  call: (query) => text(JSON.stringify({ memory: "Looking.", action: [{ find: { x: query } }] })),
  final: (answer) => text(JSON.stringify({ memory: "", action: [{ done: { text: answer, success: true } }] })),
  understand: ({ content }) => {
    const [{ find, done }] = JSON.parse(content ?? "").action;
    if (done !== undefined) return { answer: done.text };
    return find === undefined ? undefined : { query: find.x };
  },
});

agents.push({
  name: "calls between tags",
  messages: (task, steps) => [
    system("You may call functions. For each call return a JSON object within <tool_call></tool_call> tags."),
    user(task),
    ...turns(steps, (step) => [
      said(step.said),
      user(step.query === "" ? step.outcome : `<tool_response>\n${step.outcome}\n</tool_response>`),
    ]),
  ],
  call: (query) => text(`<tool_call>\n${JSON.stringify({ name: "find", arguments: { x: query } })}\n</tool_call>`),
  final: text,
  understand: ({ content }) => {
    const call = /<tool_call>\n(.*)\n<\/tool_call>/.exec(content ?? "")?.[1];
    return call === undefined ? { answer: content ?? "" } : { query: JSON.parse(call).arguments.x };
  },
});

agents.push({
  name: "a labelled list of actions",
  messages: (task, steps) => [
    system(
      'Use this form:\nThought: think\nActions: [{"tag": "any", "name": "Find", "path": "find", "input": {}}]\nResponse: what came\n\nProvide your final answer:\nAnswer: the answer',
    ),
    user(task),
    ...turns(steps, (step, index) => [
      said(step.said.replace('"tag":"t"', `"tag":"t${index}"`)),
      user(step.query === "" ? step.outcome : `Response: ${step.outcome}`),
    ]),
  ],
  call: (query) =>
    text(
      `Thought: I look.\nActions: ${JSON.stringify([{ tag: "t", name: "Find", path: "find", input: { values: { query } } }])}`,
    ),
  final: (answer) => text(`Answer: ${answer}`),
  understand: ({ content }) => {
    const answer = /^Answer:([\s\S]*)/m.exec(content ?? "")?.[1];
    if (answer !== undefined) return { answer: answer.trim() };
    const actions = /^Actions: (.*)/m.exec(content ?? "")?.[1];
    return actions === undefined ? undefined : { query: JSON.parse(actions)[0].input.values.query };
  },
  correction: "Please, keep going!",
});

import type { DialectAgent, TakenStep, ToldMessage } from "./dialect-agent.ts";

const system = (content: string) => ({ role: "system", content });
const user = (content: string) => ({ role: "user", content });
const said = (content: string) => ({ role: "assistant", content });
const text = (written: string) => ({ kind: "text", text: written }) as const;
const turns = (steps: readonly TakenStep[], tell: (step: TakenStep, index: number) => readonly ToldMessage[]) =>
  steps.flatMap(tell);

const tools = ["find", "final_answer"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { x: { type: "string" } }, required: ["x"] } },
}));

const fields = (members: Readonly<Record<string, string>>) =>
  Object.entries(members)
    .map(([name, value]) => `[[ ## ${name} ## ]]\n${value}`)
    .join("\n\n");

const page = "Results: rain in the morning, sun after noon.";

export const agents: readonly DialectAgent[] = [
  {
    name: "ReAct with outcomes as user messages",
    correction: "Invalid format: missing 'Action:' after 'Thought:'. Follow the format.",
    messages: (task, steps) => [
      system(
        "Use this form:\nThought: think\nAction: find\nAction Input: words\n\nAt the end:\nThought: I know\nFinal Answer: the answer",
      ),
      user(task),
      ...turns(steps, (step) => [said(step.said), user(`Observation: ${step.outcome}`)]),
    ],
    call: (query) => text(`Thought: I look.\nAction: find\nAction Input: ${query}`),
    final: (answer) => text(`Thought: I know.\nFinal Answer: ${answer}`),
    understand({ content }) {
      const answer = /Final Answer:([\s\S]*)/.exec(content ?? "")?.[1];
      if (answer !== undefined) return { answer: answer.trim() };
      const query = /Action Input: (.*)/.exec(content ?? "")?.[1];
      return query === undefined ? undefined : { query };
    },
  },
  {
    name: "one command in a block, of which the last stands alone",
    messages: (task, steps) => [
      system(
        "Your response must contain exactly ONE bash code block with ONE command:\n```bash\nyour_command_here\n```\nTo finish, issue this command: `echo COMPLETE_TASK_AND_SUBMIT`. Do not combine it with any other.",
      ),
      user(task),
      ...turns(steps, (step) => [said(step.said), user(`<output>\n${step.outcome}\n</output>`)]),
    ],
    call: (query) => text(`THOUGHT: I look.\n\n\`\`\`bash\nfind "${query}"\n\`\`\``),
    final: (answer) => text(`${answer}\n\n\`\`\`bash\necho COMPLETE_TASK_AND_SUBMIT\n\`\`\``),
    understand({ content }) {
      const [, said = "", command = ""] = /^([\s\S]*?)```bash\n([\s\S]*?)\n```$/.exec(content ?? "") ?? [];
      if (command === "echo COMPLETE_TASK_AND_SUBMIT") return { answer: said.trim() };
      return command === "" ? undefined : { query: command.slice(6, -1) };
    },
  },
  {
    name: "commands, what came of which the system tells",
    asksOn: true,
    messages: (task, steps) => [
      system(
        "1. find: Look for something. Params: (x: string)\n2. finish: Use this to shut down once all is done. Params: (reason: string)\n\nRespond strictly with JSON.",
      ),
      user(task),
      ...turns(steps, (step) => [
        said(step.said),
        system(`Command ${step.answer === undefined ? "find" : "finish"} returned: ${step.outcome}`),
        user("Determine exactly one command to use next."),
      ]),
    ],
    call: (x) => text(JSON.stringify({ thoughts: { text: "I look." }, command: { name: "find", args: { x } } })),
    final: (reason) => text(JSON.stringify({ thoughts: {}, command: { name: "finish", args: { reason } } })),
    understand({ content }) {
      const { command } = JSON.parse(/^\{[\s\S]*\}$/.exec(content ?? "")?.[0] ?? "{}");
      return command?.name === "finish" ? { answer: command.args.reason } : command && { query: command.args.x };
    },
  },
  {
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
  },
  {
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
  },
  {
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
  },
];

import type { Script, ScriptedRequest } from "../support/servers/upstream.ts";

export const stories = ["healthy", "heeds", "deaf"] as const;
export type Story = (typeof stories)[number];

/** The text form in which a client expects actions; `native`: as calls. */
export type Form =
  | "native"
  | "tagged"
  | "listed"
  | "react"
  | "react-answer"
  | "code"
  | "code-structured"
  | "fields"
  | "browser";

const STEPS = 8;
/** The step that makes two of them at once, where the form has calls. */
const WIDE = 3;
const ANSWER = "I have looked it all up. TERMINATE";

export function modelOf(story: Story, form: Form, page: string): Script {
  let taken = 0;
  return (request) => {
    const asked = request.bytes.toString();
    const isOver = story === "healthy" ? taken >= STEPS : story === "heeds" && asked.includes("[unloop]");
    const step = taken;
    taken += 1;
    if (form === "fields" && !asked.includes("next_tool_name")) return text(finalFields);
    return isOver ? finalOf(form, request) : actionOf(form, story === "healthy" ? `item-${step}` : "same thing", page);
  };
}

const text = (said: string) => ({ kind: "text", text: said }) as const;
const finalFields = `[[ ## reasoning ## ]]\nIt is known.\n\n[[ ## answer ## ]]\n${ANSWER}\n\n[[ ## completed ## ]]`;
const act = (query: string) => `Thought: I look it up.\nAction: lookup\nAction Input: ${JSON.stringify({ query })}`;
const listed = (query: string) => [{ tag: "t", name: "Lookup", path: "find", input: { values: { query } } }];
const pageFor = (query: string, page: string) => (query.startsWith("item") ? `${page}${query}` : page);

interface InText {
  readonly act: (query: string, page: string) => string;
  readonly end: string;
}

const inText: Readonly<Record<Exclude<Form, "native">, InText>> = {
  tagged: {
    act: (query) => `<tool_call>\n${JSON.stringify({ name: "lookup", arguments: { query } })}\n</tool_call>`,
    end: ANSWER,
  },
  listed: {
    act: (query) => `Thought: I look it up.\nActions: ${JSON.stringify(listed(query))}`,
    end: `Answer: ${ANSWER}`,
  },
  react: { act, end: `Thought: I now know the final answer\nFinal Answer: ${ANSWER}` },
  "react-answer": { act, end: `Thought: I can answer without using any more tools.\nAnswer: ${ANSWER}` },
  code: {
    act: (query) => `Thought: I look it up.\n<code>\nresult = lookup(query="${query}")\nprint(result)\n</code>`,
    end: `Thought: I know it.\n<code>\nfinal_answer("${ANSWER}")\n</code>`,
  },
  "code-structured": {
    act: (query) => JSON.stringify({ thought: "I look it up.", code: `print(lookup(query="${query}"))` }),
    end: JSON.stringify({ thought: "I know it.", code: `final_answer("${ANSWER}")` }),
  },
  fields: {
    act: (query) => fields("I look it up", "lookup", JSON.stringify({ query })),
    end: fields("I know it", "finish", "{}"),
  },
  browser: {
    act: (query, page) => browsed("Look.", { navigate: { url: pageFor(query, page), new_tab: false } }),
    end: browsed("It is done.", { done: { text: ANSWER, success: true } }),
  },
};

function actionOf(form: Form, query: string, page: string): ReturnType<Script> {
  if (form !== "native") return text(inText[form].act(query, page));
  const queries = query === `item-${WIDE}` ? [query, `${query}b`] : [query];
  return { kind: "calls", calls: queries.map((one) => ({ tool: "lookup", args: JSON.stringify({ query: one }) })) };
}

const finalOf = (form: Form, request: ScriptedRequest): ReturnType<Script> =>
  form === "native" ? nativeFinal(request) : text(inText[form].end);

/** By the tool for answers, where there is one. */
function nativeFinal({ view: { offered }, json }: ScriptedRequest): ReturnType<Script> {
  const tool = offered.find((name) => OUTPUT.test(name));
  const summary = { summary: ANSWER, ...(/^(Report|final_result)$/.test(tool ?? "") && { confidence: 0.5 }) };
  const args = JSON.stringify(tool === "final_answer" ? { answer: ANSWER } : summary);
  if (tool !== undefined) return { kind: "calls", calls: [{ tool, args }] };
  const asksForJson = /"type":"json_(schema|object)"/.test(JSON.stringify(json));
  return { kind: "text", text: asksForJson ? JSON.stringify({ summary: ANSWER }) : ANSWER };
}

const OUTPUT = /^Report$|Output|Answer|final|respond/i;

function fields(thought: string, tool: string, args: string): string {
  return `[[ ## next_thought ## ]]\n${thought}\n\n[[ ## next_tool_name ## ]]\n${tool}\n\n[[ ## next_tool_args ## ]]\n${args}\n\n[[ ## completed ## ]]`;
}

function browsed(goal: string, action: object): string {
  return JSON.stringify({ evaluation_previous_goal: "Seen.", memory: "Looking.", next_goal: goal, action: [action] });
}

import type { Script, ScriptedRequest } from "../support/servers/upstream.ts";
import type { Wire } from "../support/wires/wire.ts";

/** What the model of a story does. */
export type Story = "healthy" | "heeds" | "deaf" | "cut";

export const stories: readonly Story[] = ["healthy", "heeds", "deaf"];

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

/** Different calls of a healthy run, before its answer. */
const STEPS = 8;
/** The step that makes two of them at once, where the form has calls. */
const WIDE = 3;
const ANSWER = "I have looked it all up. TERMINATE";

/** A model for a client of this form, told by the requests alone. */
export function modelOf(story: Story, form: Form, page: string): Script {
  let taken = 0;
  return (request) => {
    const asked = request.bytes.toString();
    if (story === "cut") return { kind: "text", text: ANSWER };
    const isOver = story === "healthy" ? taken >= STEPS : story === "heeds" && asked.includes("[unloop]");
    const step = taken;
    taken += 1;
    // After its run a client may ask for something else, such as the fields of an answer.
    if (form === "fields" && !asked.includes("next_tool_name")) return { kind: "text", text: finalFields };
    return isOver ? finalOf(form, request) : actionOf(form, story === "healthy" ? `item-${step}` : "same thing", page);
  };
}

/** The same model, whose answers break off before their last piece. */
export function cutOff(model: Script, wire: Wire): Script {
  return (request, index) => {
    const whole = wire.rendered(model(request, index), request.view, String);
    return { ...whole, pieces: whole.pieces.slice(0, -1), ending: "cut" };
  };
}

const finalFields = `[[ ## reasoning ## ]]\nIt is known.\n\n[[ ## answer ## ]]\n${ANSWER}\n\n[[ ## completed ## ]]`;

function actionOf(form: Form, query: string, page: string): ReturnType<Script> {
  const args = JSON.stringify({ query });
  const text = (said: string) => ({ kind: "text" as const, text: said });
  switch (form) {
    case "native": {
      const queries = query === `item-${WIDE}` ? [query, `${query}b`] : [query];
      return { kind: "calls", calls: queries.map((one) => ({ tool: "lookup", args: JSON.stringify({ query: one }) })) };
    }
    case "tagged":
      return text(`<tool_call>\n${JSON.stringify({ name: "lookup", arguments: { query } })}\n</tool_call>`);
    case "listed": {
      const action = {
        tag: `t${Math.trunc(query.length * 7)}`,
        name: "Lookup",
        path: "find",
        input: { values: { query } },
      };
      return text(`Thought: I look it up.\nActions: ${JSON.stringify([action])}`);
    }
    case "react":
    case "react-answer":
      return text(`Thought: I look it up.\nAction: lookup\nAction Input: ${args}`);
    case "code":
      return text(`Thought: I look it up.\n<code>\nresult = lookup(query="${query}")\nprint(result)\n</code>`);
    case "code-structured":
      return text(JSON.stringify({ thought: "I look it up.", code: `print(lookup(query="${query}"))` }));
    case "fields":
      return text(fields("I look it up", "lookup", args));
    case "browser":
      return text(browsed("Look at the page.", { navigate: { url: pageFor(query, page), new_tab: false } }));
  }
}

function pageFor(query: string, page: string): string {
  return query.startsWith("item") ? `${page}${query}` : page;
}

function finalOf(form: Form, request: ScriptedRequest): ReturnType<Script> {
  const text = (said: string) => ({ kind: "text" as const, text: said });
  switch (form) {
    case "native":
      return nativeFinal(request);
    case "tagged":
      return text(ANSWER);
    case "listed":
      return text(`Answer: ${ANSWER}`);
    case "react":
      return text(`Thought: I now know the final answer\nFinal Answer: ${ANSWER}`);
    case "react-answer":
      return text(`Thought: I can answer without using any more tools.\nAnswer: ${ANSWER}`);
    case "code":
      return text(`Thought: I know it.\n<code>\nfinal_answer("${ANSWER}")\n</code>`);
    case "code-structured":
      return text(JSON.stringify({ thought: "I know it.", code: `final_answer("${ANSWER}")` }));
    case "fields":
      return text(fields("I know it", "finish", "{}"));
    case "browser":
      return text(browsed("It is done.", { done: { text: ANSWER, success: true } }));
  }
}

/** By the tool for answers, where there is one. */
function nativeFinal({ view: { offered }, json }: ScriptedRequest): ReturnType<Script> {
  const tool = offered.find((name) => OUTPUT.test(name));
  const summary = { summary: ANSWER, ...(/^(Report|final_result)$/.test(tool ?? "") && { confidence: 0.5 }) };
  const args = JSON.stringify(tool === "final_answer" ? { answer: ANSWER } : summary);
  if (tool !== undefined) return { kind: "calls", calls: [{ tool, args }] };
  const asksForJson = /"type":"json_(schema|object)"/.test(JSON.stringify(json));
  return { kind: "text", text: asksForJson ? JSON.stringify({ summary: ANSWER }) : ANSWER };
}

const OUTPUT = /^extract-|^Report$|Output|Answer|final|respond/i;

function fields(thought: string, tool: string, args: string): string {
  return `[[ ## next_thought ## ]]\n${thought}\n\n[[ ## next_tool_name ## ]]\n${tool}\n\n[[ ## next_tool_args ## ]]\n${args}\n\n[[ ## completed ## ]]`;
}

function browsed(goal: string, action: object): string {
  return JSON.stringify({ evaluation_previous_goal: "Seen.", memory: "Looking.", next_goal: goal, action: [action] });
}

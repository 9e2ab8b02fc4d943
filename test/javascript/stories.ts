import type { Script, ScriptedRequest } from "../support/servers/upstream.ts";

/**
 * What a story's model does. `healthy`: different calls, then the answer; `poll`: one call whose result moves on, then the answer;
 * `heeds`: one call until a note stands in the request; `deaf`: until tools are switched off; `stubborn`: whatever is sent;
 * `pardeaf`: as deaf, with two equal calls at once.
 */
export type Story = "healthy" | "poll" | "heeds" | "deaf" | "stubborn" | "pardeaf";

export const stories: readonly Story[] = ["healthy", "poll", "heeds", "deaf", "stubborn", "pardeaf"];

/** Requests of a run that is to be left alone, before its answer. */
const STEPS: Partial<Readonly<Record<Story, number>>> = { healthy: 8, poll: 12 };
const ANSWER = "I have looked it all up.";

/** A model that is told by the requests alone which tool to call: the first that is no output tool. */
export function modelOf(story: Story): Script {
  let taken = 0;
  let kept: readonly string[] = [];
  return (request) => {
    const step = taken++;
    const { offered } = continuesThread(request) ? { offered: kept } : request.view;
    kept = offered;
    if (isOver(story, step, request)) return finalOf(request);
    const tool = offered.find((name) => name !== "task_complete" && !OUTPUT.test(name));
    if (tool === undefined) return finalOf(request);
    const id = story === "healthy" ? `item-${step}` : "same-thing";
    const call = { tool, args: JSON.stringify({ id }) };
    return { kind: "calls", calls: story === "pardeaf" ? [call, call] : [call] };
  };
}

/** Where the API keeps the history, it has kept the tools, too. */
function continuesThread({ json, view }: ScriptedRequest): boolean {
  return view.offered.length === 0 && typeof json === "object" && json !== null && "thread" in json;
}

const OUTPUT = /^extract-|Output|Answer|final|respond/i;

function isOver(story: Story, step: number, { bytes, view }: ScriptedRequest): boolean {
  const steps = STEPS[story];
  if (steps !== undefined) return step >= steps;
  if (story === "heeds") return bytes.includes("[unloop]");
  return story !== "stubborn" && view.forced !== undefined;
}

function finalOf({ view: { offered, forced }, json }: ScriptedRequest): ReturnType<Script> {
  const chosen = typeof forced === "object" ? forced.tool : offered.find((name) => OUTPUT.test(name));
  if (chosen !== undefined && forced !== "none")
    return { kind: "calls", calls: [{ tool: chosen, args: JSON.stringify({ summary: ANSWER }) }] };
  return { kind: "text", text: asksForJson(json) ? JSON.stringify({ summary: ANSWER }) : ANSWER };
}

function asksForJson(json: unknown): boolean {
  return /"type":"json_(schema|object)"/.test(JSON.stringify(json));
}

import type { ChatBody, ScriptedAnswer } from "./chat-wire.ts";
import type { Script } from "./upstream.ts";

/** What the scripted models say when they finish. */
export const finalText = "All done: it is sunny in Paris.";

/** `steps` different calls, then the final text. */
export function healthy(steps: number): Script {
  return ({ chat }) => {
    const taken = chat.messages.filter((message) => message.role === "assistant").length;
    return taken < steps ? search(`weather in district ${taken + 1}`) : final;
  };
}

/** What a looping model takes notice of; a nudge is known by a marker in its text. */
export type Heeds = { readonly nudge: string } | "force-done" | "nothing";

/** The same call for ever, but for what it heeds. */
export function looping(heeds: Heeds): Script {
  return ({ chat }) => {
    if (heeds === "nothing") return sameAgain;
    if (heeds === "force-done") return finish(chat) ?? sameAgain;
    return heard(chat, heeds.nudge) ? otherPlan(chat) : sameAgain;
  };
}

const final: ScriptedAnswer = { kind: "text", text: finalText };
const sameAgain = search("weather in Paris");
const otherQuery = "weather in Paris from another source";

function search(q: string): ScriptedAnswer {
  return { kind: "calls", calls: [{ tool: "search", args: argsFor(q) }] };
}

function argsFor(q: string): string {
  return JSON.stringify({ q });
}

function heard(chat: ChatBody, marker: string): boolean {
  return chat.messages.some((message) => JSON.stringify(message.content ?? "").includes(marker));
}

/** One call that was not made before, then the final text. */
function otherPlan(chat: ChatBody): ScriptedAnswer {
  const called = chat.messages.flatMap((message) => message.tool_calls.map((call) => call.function.arguments));
  return called.includes(argsFor(otherQuery)) ? final : search(otherQuery);
}

/** What a model does that is given no choice but to finish; undefined if it has one. */
function finish({ tool_choice }: ChatBody): ScriptedAnswer | undefined {
  if (tool_choice === "none") return final;
  if (typeof tool_choice === "string") return undefined;
  const args = JSON.stringify({ success: false, text: finalText });
  return { kind: "calls", calls: [{ tool: tool_choice.function.name, args }] };
}

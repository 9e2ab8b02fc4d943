import type { ScriptedAnswer } from "../wires/scripted-answer.ts";
import type { Script } from "../servers/upstream.ts";
import type { ModelView } from "../wires/wire.ts";

export const finalText = "All done: it is sunny in Paris.";

export function healthy(steps: number): Script {
  return ({ view: { turns } }) => (turns < steps ? search(`weather in district ${turns + 1}`) : final);
}

export type Heeds = { readonly nudge: string } | "force-done" | "nothing";

export function looping(heeds: Heeds): Script {
  return ({ view }) => {
    if (heeds === "nothing") return sameAgain;
    if (heeds === "force-done") return finish(view) ?? sameAgain;
    return view.texts.some((text) => text.includes(heeds.nudge)) ? otherPlan(view) : sameAgain;
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

function otherPlan({ called }: ModelView): ScriptedAnswer {
  return called.includes(argsFor(otherQuery)) ? final : search(otherQuery);
}

function finish({ forced }: ModelView): ScriptedAnswer | undefined {
  if (forced === "none") return final;
  if (forced === undefined) return undefined;
  const args = JSON.stringify({ success: false, text: finalText });
  return { kind: "calls", calls: [{ tool: forced.tool, args }] };
}

import { chatCompletionsWire } from "../wires/chat-completions.ts";
import { geminiStreamWire } from "../wires/gemini.ts";
import { messagesWire } from "../wires/messages.ts";
import { ollamaWire } from "../wires/ollama.ts";
import { responsesWire } from "../wires/responses.ts";
import type { Said, Wire } from "../wires/wire.ts";

export const hostileWires: readonly Wire[] = [
  chatCompletionsWire,
  responsesWire,
  messagesWire,
  geminiStreamWire,
  ollamaWire,
];

/** Where a stranger can put a text. `acting`, `observed`: in a run that acts in plain text. `answer`, `answered`: what the model says, and what it calls with. */
export const slots = [
  "system",
  "opening",
  "heard",
  "assistant",
  "tool",
  "arguments",
  "result",
  "id",
  "description",
  "property",
  "format",
  "acting",
  "observed",
  "metadata",
  "header",
  "answer",
  "answered",
] as const;
export type Slot = (typeof slots)[number];

export interface HostileRequest {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

/** In how many turns a text is told: in all the same, which makes a loop, or in each with a number of its own. */
export interface Telling {
  readonly turns: number;
  readonly isSame: boolean;
}

/** What a server takes. In characters. */
const LONGEST_HEADER = 8_000;

/** A request with a text in one slot, in each turn where the slot is one of turns. */
export function hostileRequest(wire: Wire, slot: Slot, text: string, { turns, isSame }: Telling): HostileRequest {
  const put: Put = (name, otherwise, i = 0) => (name !== slot ? otherwise : isSame ? text : `${i} ${text}`);
  const actsInText = slot === "acting" || slot === "observed";
  const turn = actsInText ? actingTurn : callingTurn;
  const said: readonly Said[] = [
    { who: "user", text: put("opening", "Find the weather of Paris, and tell me.") },
    ...Array.from({ length: turns }, (_, i) => turn(put, i)).flat(),
  ];
  const q = { type: "string", description: put("description", "what"), enum: [put("property", "a")] };
  const answer = { type: "string", enum: [text] };
  const body = wire.body({
    system: put("system", "Be brief."),
    said: slot === "heard" ? [...said, { who: "user", text: put("heard", "") }] : said,
    ...(!actsInText && { tools: [{ name: put("tool", "search"), properties: { q } }] }),
    ...(slot === "format" && { schema: { type: "object", properties: { [text]: answer }, required: [text] } }),
  });
  const user = { user: text, metadata: { user_id: `user_${text}` }, labels: { user_id: text } };
  const header = text.slice(0, LONGEST_HEADER).replace(/[^\x21-\x7e]/g, "x");
  return {
    path: wire.path,
    fields: {
      ...wire.fields,
      ...(slot === "header" && { "x-session-id": header, cookie: header, "user-agent": header }),
    },
    body: JSON.stringify({ ...body, ...(slot === "metadata" && user) }),
  };
}

type Put = (name: Slot, otherwise: string, i?: number) => string;

function callingTurn(put: Put, i: number): readonly Said[] {
  const id = `${put("id", "call", i)}_${i}`;
  const args = JSON.stringify({ q: put("arguments", "Paris", i) });
  return [
    { who: "assistant", text: put("assistant", "I look.", i), calls: [{ id, tool: put("tool", "search", i), args }] },
    { who: "tool", id, text: put("result", "no such file or directory", i) },
    ...(i % 4 === 3 ? [{ who: "user", text: put("heard", "continue", i) } as const] : []),
  ];
}

function actingTurn(put: Put, i: number): readonly Said[] {
  return [
    { who: "assistant", text: put("acting", "Thought: I look.\nAction: search\nAction Input: Paris", i) },
    { who: "user", text: put("observed", "Observation: nothing found", i) },
  ];
}

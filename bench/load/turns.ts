import { type Chance, chanceFrom, pathOf, prose, resultText } from "./material.ts";

/** How runs look; what the load generator and the model must agree on. Plain data: it crosses process borders. */
export interface Shape {
  readonly name: string;
  /** Requests of a run; the last one carries two messages for each request before it, and the two of the beginning. */
  readonly turns: number;
  /** What a turn adds to the history: the assistant's message and its tool's result. */
  readonly bytesPerTurn: number;
  /** Events of a streamed answer: texts, then the call, its end and `[DONE]`. An answer in JSON says the same text. */
  readonly events: number;
}

/** 2 to 38 messages of 16 KB in the mean, and 2 to 198 of 250 KB. */
export const shapes = {
  small: { name: "20 messages, 16 KB", turns: 19, bytesPerTurn: 1_500, events: 200 },
  large: { name: "100 messages, 250 KB", turns: 99, bytesPerTurn: 5_060, events: 200 },
} satisfies Record<string, Shape>;

/** What the model says at a turn, and what its tool then answers. */
export interface Turn {
  /** The answer's text, in the pieces in which it is streamed. */
  readonly pieces: readonly string[];
  readonly tool: string;
  /** JSON. */
  readonly args: string;
  readonly result: string;
}

/** Beside its texts a streamed answer has the call, its end and `[DONE]`. */
const EVENTS_WITHOUT_TEXT = 3;
const PIECE_CHARACTERS = 4;
/** Of a turn in the history: names of fields, ids, the name of the tool. */
const FRAME_BYTES = 260;
const SHORTEST_RESULT = 120;

/** The same at every call, and no two turns alike. */
export function turnOf(shape: Shape, index: number): Turn {
  const chance = chanceFrom(index * 7_919 + 1);
  const characters = (shape.events - EVENTS_WITHOUT_TEXT) * PIECE_CHARACTERS;
  const said = prose(chance, characters).slice(0, characters);
  const { tool, args } = callOf(chance, index);
  const left = shape.bytesPerTurn - FRAME_BYTES - said.length - args.length;
  return {
    pieces: said.match(/.{4}/gs) ?? [],
    tool,
    args,
    result: resultText(chance, index, Math.max(SHORTEST_RESULT, left)),
  };
}

/** Arguments that no other turn has; the tools take turns as their results' kinds do. */
function callOf(chance: Chance, index: number): { tool: string; args: string } {
  const path = pathOf(chance);
  const from = 1 + 40 * index;
  switch (index % 4) {
    case 0:
      return { tool: "read_file", args: JSON.stringify({ path, from, to: from + 40 }) };
    case 1:
      return { tool: "list_files", args: JSON.stringify({ folder: path.replace(/\/[^/]*$/, ""), page: index }) };
    case 2:
      return { tool: "query", args: JSON.stringify({ table: path.split("/")[1], offset: from, limit: 40 }) };
    default:
      return { tool: "search", args: JSON.stringify({ pattern: `return self\\.${index}`, path }) };
  }
}

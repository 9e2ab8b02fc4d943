import { chanceFrom, prose } from "./material.ts";
import { callMark, marksIn, TASK_MARK, writeRun } from "./marks.ts";
import { type Shape, turnOf } from "./turns.ts";

/** The requests of one run at a time, as bytes that were prepared beforehand. */
export interface Transcript {
  /** Another run from now on. Only while no request of the last one is still being sent. */
  begin(run: string): void;
  /** The body of a request in two pieces: the history up to this turn, and what comes after the messages. */
  body(turn: number): readonly [Buffer, Buffer];
}

interface Prepared {
  readonly bytes: Buffer;
  readonly marks: Uint32Array;
  /** Where the history before each turn ends. */
  readonly ends: readonly number[];
}

/** In the order of the official clients: messages first, tools last. */
const tool = (name: string, about: string, fields: Record<string, string>) => ({
  type: "function",
  function: {
    name,
    description: about,
    parameters: {
      type: "object",
      properties: Object.fromEntries(
        Object.entries(fields).map(([field, type]) => [field, { type, description: `The ${field} to use.` }]),
      ),
      required: Object.keys(fields),
      additionalProperties: false,
    },
  },
});

const tools = [
  tool("read_file", "Reads some lines of a file.", { path: "string", from: "integer", to: "integer" }),
  tool("list_files", "Lists a folder, page by page.", { folder: "string", page: "integer" }),
  tool("query", "Reads rows of a table.", { table: "string", offset: "integer", limit: "integer" }),
  tool("search", "Finds a pattern in files.", { pattern: "string", path: "string" }),
];

const prepared = new Map<string, Prepared>();

export function transcript(shape: Shape, stream: boolean): Transcript {
  const known = JSON.stringify(shape);
  const { bytes, marks, ends } = prepared.get(known) ?? prepare(shape);
  prepared.set(known, { bytes, marks, ends });
  const own = Buffer.from(bytes);
  const streamed = stream ? ',"stream":true' : "";
  const rest = Buffer.from(`],"model":"gpt-4.1"${streamed},"temperature":0,"tools":${JSON.stringify(tools)}}`);
  return {
    begin: (run) => writeRun(own, marks, run),
    body: (turn) => [own.subarray(0, ends[turn] ?? own.length), rest],
  };
}

function prepare(shape: Shape): Prepared {
  const chance = chanceFrom(42);
  const system = `You are an engineer's assistant. Use the tools; say what you think before each call. ${prose(chance, 500)}`;
  const task = `Work on ${TASK_MARK}: find out why the totals differ, and tell me which files to change. ${prose(chance, 200)}`;
  const messages = [
    { role: "system", content: system },
    { role: "user", content: task },
  ];
  const pieces = [Buffer.from(`{"messages":${JSON.stringify(messages).slice(0, -1)}`)];
  let length = pieces[0]?.length ?? 0;
  const ends = [length];
  // Nobody asks with the result of the last turn.
  for (let turn = 0; turn < shape.turns - 1; turn += 1) {
    const piece = Buffer.from(`,${turnAsMessages(shape, turn)}`);
    pieces.push(piece);
    length += piece.length;
    ends.push(length);
  }
  const bytes = Buffer.concat(pieces);
  return { bytes, marks: marksIn(bytes), ends };
}

function turnAsMessages(shape: Shape, index: number): string {
  const { pieces, tool: name, args, result } = turnOf(shape, index);
  const id = callMark(index);
  const call = { id, type: "function", function: { name, arguments: args } };
  const said = { role: "assistant", content: pieces.join(""), tool_calls: [call] };
  return `${JSON.stringify(said)},${JSON.stringify({ role: "tool", tool_call_id: id, content: result })}`;
}

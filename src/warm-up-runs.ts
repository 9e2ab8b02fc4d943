import { type Protocol, protocolNamed } from "./protocols/protocols.ts";

/** A made-up turn of a run: the request, with the whole history, and what the model answers. */
export interface MadeUpTurn {
  readonly path: string;
  readonly body: string;
  readonly answer: { readonly contentType: string; readonly body: string };
}

/** One call and its result. */
interface Told {
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly result: string;
}

interface Format {
  readonly protocol: Protocol;
  request(turns: readonly Told[]): object;
}

const TASK = "Find out why the import loses rows, and mend it.";
const SCHEMA = { type: "object", properties: { path: { type: "string" }, from: { type: "integer" } } };
const TOOLS = ["read_file", "search", "run_command", "update_row"];

/** The formats that most agents speak. */
const formats: readonly Format[] = [
  {
    protocol: protocolOf("chat-completions"),
    request: (turns) => ({
      tools: TOOLS.map((name) => ({ type: "function", function: { name, parameters: SCHEMA } })),
      messages: [
        { role: "system", content: "You are a careful engineer." },
        { role: "user", content: TASK },
        ...turns.flatMap(({ id, name, args, result }) => [
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: id, type: "function", function: { name, arguments: args } }],
          },
          { role: "tool", tool_call_id: id, content: result },
        ]),
      ],
    }),
  },
  {
    protocol: protocolOf("messages"),
    request: (turns) => ({
      max_tokens: 4_096,
      system: "You are a careful engineer.",
      tools: TOOLS.map((name) => ({ name, input_schema: SCHEMA })),
      messages: [
        { role: "user", content: TASK },
        ...turns.flatMap(({ id, name, args, result }) => [
          { role: "assistant", content: [{ type: "tool_use", id: id, name, input: JSON.parse(args) }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] },
        ]),
      ],
    }),
  },
  {
    protocol: protocolOf("responses"),
    request: (turns) => ({
      store: false,
      instructions: "You are a careful engineer.",
      tools: TOOLS.map((name) => ({ type: "function", name, parameters: SCHEMA })),
      input: [
        { role: "user", content: TASK },
        ...turns.flatMap(({ id, name, args, result }) => [
          { type: "function_call", call_id: id, name, arguments: args },
          { type: "function_call_output", call_id: id, output: result },
        ]),
      ],
    }),
  },
];

function protocolOf(name: string): Protocol {
  const protocol = protocolNamed(name);
  if (protocol === undefined) throw new Error(`There is no wire format ${name}.`);
  return protocol;
}

/** A healthy run: streamed every other time, each time in another format. No two have a turn in common. */
export function* madeUpRun(run: number, length: number): Generator<MadeUpTurn> {
  const { protocol, request } = formats[run % formats.length] as Format;
  const turns: Told[] = [];
  while (turns.length < length) {
    const next = madeUpCall(run, turns.length);
    const body = JSON.stringify({ model: "none", ...request(turns), stream: run % 2 === 0 });
    const parsed = protocol.parse(body, protocol.path);
    if (parsed === undefined) return;
    const call = { tool: next.name, args: next.args };
    const answer = protocol.reply(parsed, { text: "", doneTool: undefined, call }, { id: next.id, created: 0 });
    yield { path: protocol.path, body, answer };
    // As the format has called it.
    const id = new RegExp(`(?:call|toolu)_\\w*${next.id}\\b`).exec(answer.body)?.[0] ?? next.id;
    turns.push({ ...next, id });
  }
}

const WORDS = "ledger refund parcel quota cursor shard schema token buffer route header policy batch".split(" ");
const word = (seed: number): string => WORDS[seed % WORDS.length] ?? "";

/** Lines of results as tools give them: source, matches, a log, records. */
const LINES: readonly ((seed: number) => string)[] = [
  (seed) => `${seed}\tconst ${word(seed)} = ${word(seed + 3)}.get("${word(seed + 7)}", ${seed % 900});`,
  (seed) => `src/${word(seed)}/${word(seed + 1)}.ts:${seed % 700}: return this.${word(seed + 2)}[${seed}]`,
  (seed) => `2026-03-09T10:${10 + (seed % 50)}:12.031Z info ${word(seed)} took ${seed % 97} ms for ${word(seed + 4)}`,
  (seed) => `{"id":${seed},"${word(seed)}":"${word(seed + 2)} ${word(seed + 6)}","open":${seed % 2 === 0}}`,
];

function madeUpCall(run: number, turn: number): Told {
  const seed = 1_009 * run + 37 * turn;
  const line = LINES[turn % LINES.length] as (seed: number) => string;
  return {
    // As providers make them: no other run has it.
    id: `${1_000 + run}4c7b${1_000 + turn}e9`,
    name: TOOLS[turn % TOOLS.length] ?? "",
    args: JSON.stringify({ path: `src/${word(seed)}/${word(seed >> 3)}_${turn}.ts`, from: seed }),
    result: Array.from({ length: 14 }, (_, index) => line(seed + index)).join("\n"),
  };
}

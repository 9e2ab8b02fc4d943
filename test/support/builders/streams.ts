import fc from "fast-check";

/** A chat stream as some server may write it: chunks and errors, then how they are framed and cut. */
export interface Streamed {
  readonly bytes: Buffer;
  /** The same bytes as they arrive. */
  readonly pieces: readonly Buffer[];
}

const words = fc.constantFrom("It is", " sunny", " in Paris.", "箱根の宿は", "🎉", "\n", '"quoted"', " — ");

type Chunk = Readonly<Record<string, unknown>>;

const id = "chatcmpl-f1";

const chunk = (delta: object, finish_reason: string | null = null, index = 0): Chunk => ({
  id,
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: "gpt-4o",
  choices: [{ index, delta, logprobs: null, finish_reason }],
});

const says = words.map((content) => chunk({ content }));
const thinks = words.map((text) => chunk({ reasoning_content: text }));
const role = chunk({ role: "assistant", content: "" });
const usage = {
  prompt_tokens: 20,
  completion_tokens: 7,
  total_tokens: 27,
  prompt_tokens_details: { cached_tokens: 3 },
};
const counts: Chunk = { ...chunk({}), choices: [], usage };

/** A call as the API streams it: its head first, then its arguments in pieces. */
function calls(index: number, tool: string, args: string, cut: number): readonly Chunk[] {
  const head = { index, id: `call_${index}`, type: "function", function: { name: tool, arguments: "" } };
  const pieces = [args.slice(0, cut), args.slice(cut)].filter((piece) => piece !== "");
  return [head, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))].map((call) =>
    chunk({ tool_calls: [call] }),
  );
}

const tool = fc.constantFrom("search", "send_message", "done");
const args = fc.constantFrom("{}", '{"q":"weather in Paris"}', '{"text":"箱根 🎉 \\" \\\\"}', '{"a":[1,{"b":null}]}');
const calling = fc
  .array(fc.tuple(tool, args, fc.nat(12)), { minLength: 1, maxLength: 2 })
  .map((all) => all.flatMap(([name, text, cut], index) => calls(index, name, text, cut)));

/** What servers get wrong, or do in a way of their own. */
const odd: fc.Arbitrary<Chunk> = fc.oneof(
  fc.constantFrom<Chunk>(
    role,
    counts,
    { ...role, id: "" },
    { id, choices: [] },
    { error: { message: "overloaded", type: "server_error", code: 529 } },
    { type: "ping" },
    chunk({}, "length"),
    chunk({ content: "the other one" }, null, 1),
    chunk({ function_call: { name: "search", arguments: "" } }),
    chunk({ function_call: { arguments: '{"q":1}' } }),
    chunk({ tool_calls: [{ id: "call_x", type: "function", function: { name: "search", arguments: "{}" } }] }),
    chunk({ tool_calls: [{ function: { arguments: '"' } }] }),
    chunk({ tool_calls: null, function_call: {} }),
    chunk({ content: [{ type: "text", text: "parts" }] }),
    { choices: [null, { delta: 7 }] },
  ),
  fc.json().map((text) => ({ choices: [{ index: 0, delta: { content: text } }] })),
);

interface Framing {
  readonly newline: "\n" | "\r\n" | "\r";
  readonly space: string;
  readonly beside: string;
  readonly done: "[DONE]" | undefined;
}

const framing: fc.Arbitrary<Framing> = fc.record({
  newline: fc.constantFrom("\n" as const, "\r\n" as const, "\r" as const),
  space: fc.constantFrom(" ", ""),
  beside: fc.constantFrom("", ": keep-alive", "event: message", "id: 7", "retry: 10"),
  done: fc.constantFrom("[DONE]" as const, "[DONE]" as const, undefined),
});

function framed(chunks: readonly Chunk[], { newline, space, beside, done }: Framing): string {
  const comment = beside.startsWith(":") ? `${beside}${newline}${newline}` : "";
  const field = beside === "" || comment !== "" ? "" : `${beside}${newline}`;
  const event = (data: string) => `${comment}${field}data:${space}${data}${newline}${newline}`;
  return [...chunks.map((one) => JSON.stringify(one)), ...(done === undefined ? [] : [done])].map(event).join("");
}

function cutInto(text: string, cuts: readonly number[]): Streamed {
  const bytes = Buffer.from(text);
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return { bytes, pieces: [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length)) };
}

const cuts = fc.array(fc.nat(100_000), { maxLength: 8 });

/** A stream that any SDK takes, whichever way it is framed and cut. */
export const soundStream: fc.Arbitrary<Streamed> = fc
  .tuple(
    fc.array(fc.oneof(says, thinks), { maxLength: 4 }),
    fc.option(calling, { nil: undefined }),
    fc.boolean(),
    framing,
    cuts,
  )
  .map(([spoken, acted, counted, how, at]) => {
    const end = chunk({}, acted === undefined ? "stop" : "tool_calls");
    const chunks = [role, ...spoken, ...(acted ?? []), end, ...(counted ? [counts] : [])];
    return cutInto(framed(chunks, { ...how, done: "[DONE]" }), at);
  });

/** Anything that is nearly a stream: in any order, broken off anywhere, with bytes that are none. */
export const strangeStream: fc.Arbitrary<Streamed> = fc
  .tuple(
    fc.array(fc.oneof(says, thinks, calling, odd), { maxLength: 10 }),
    framing,
    cuts,
    fc.constantFrom("", "\ufeff", "\n\n", "garbage\n\n"),
    fc.option(fc.nat(2_000), { nil: undefined, freq: 4 }),
  )
  .map(([parts, how, at, before, end]) => {
    const whole = cutInto(`${before}${framed(parts.flat() as Chunk[], how)}`, at);
    return end === undefined ? whole : brokenOff(whole, end);
  });

function brokenOff({ bytes, pieces }: Streamed, end: number): Streamed {
  const length = end % (bytes.length + 1);
  let from = 0;
  const kept: Buffer[] = [];
  for (const piece of pieces) {
    kept.push(piece.subarray(0, Math.max(0, length - from)));
    from += piece.length;
  }
  return { bytes: bytes.subarray(0, length), pieces: kept };
}

/** Recorded bytes, cut anywhere and with the line endings of another server. */
export function mutated(recording: string): fc.Arbitrary<Streamed> {
  return fc
    .tuple(cuts, fc.constantFrom("\n", "\r\n", "\r"))
    .map(([at, newline]) => cutInto(recording.replaceAll(/\r\n|\r|\n/g, newline), at));
}

/** What keeps a connection alive may come before what it stood behind: it is left out where bytes are compared. */
export function withoutKeepAlives(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("latin1")
    .replace(/: keep-alive(\r\n|\r|\n){1,2}/g, "");
}

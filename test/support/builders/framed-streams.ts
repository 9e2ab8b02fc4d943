import fc from "fast-check";

/** A stream of events most of which differ from the one before by a text alone. */
export interface Framed {
  /** As they arrive. */
  readonly pieces: readonly Buffer[];
}

const anyText = fc.oneof(
  fc.constantFrom(
    " the",
    " a longer piece of text",
    "",
    "\n",
    '"',
    "\\",
    '"},"x":{"',
    "箱根",
    "🎉",
    "\u0000",
    "data: ",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);

type WriteEvent = (text: string, index: number) => string;

/** Runs of events that are written in one way, cut into pieces now and then. */
function framed(ways: readonly WriteEvent[], before: readonly string[]): fc.Arbitrary<Framed> {
  const run = fc.tuple(fc.nat(ways.length - 1), fc.array(anyText, { minLength: 1, maxLength: 12 }));
  const noise = fc.constantFrom(
    "",
    "",
    "",
    ": alive\n\n",
    "data: [DONE]\n\n",
    "data: {",
    "\n",
    "event: x\n",
    "id: 1\n",
  );
  return fc
    .tuple(
      fc.array(fc.tuple(run, noise), { maxLength: 6 }),
      fc.constantFrom("\n", "\n", "\n", "\r\n"),
      fc.array(fc.nat(20_000), { maxLength: 4 }),
    )
    .map(([runs, newline, cuts]) => {
      const events = runs.map(
        ([[way, texts], other]) => texts.map((text, i) => ways[way]?.(text, i) ?? "").join("") + other,
      );
      const bytes = Buffer.from([...before, ...events].join("").replaceAll("\n", newline));
      const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
      return { pieces: [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length)) };
    });
}

const data = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const chunk = (delta: object, rest: object = {}) => ({ id: "c1", choices: [{ index: 0, delta, ...rest }], ...rest });

export const chatFrames = framed(
  [
    (content) => data(chunk({ content })),
    (content) => data(chunk({ role: "assistant", content }, { usage: null })),
    (content) => data(chunk({ content }, { finish_reason: "stop" })),
    (content) => data(chunk({ content }, { usage: { prompt_tokens: 1, completion_tokens: 2 } })),
    (content, i) => data(chunk({ content }, { obfuscation: "x".repeat(i) })),
    (reasoning_content) => data(chunk({ content: null, reasoning_content })),
    (reasoning) => data(chunk({ reasoning_content: ["thought", { text: "another" }], reasoning })),
    (reasoning) => data(chunk({ reasoning_content: "the same", reasoning })),
    (refusal) => data(chunk({ refusal })),
    (text) => data(chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
    (text) => data(chunk({ tool_calls: [{ index: 1, id: "x", function: { name: "f", arguments: text } }] })),
    (input) => data(chunk({ tool_calls: [{ index: 2, custom: { input } }] })),
    (text) =>
      data(
        chunk({
          tool_calls: [
            { index: 0, function: {} },
            { index: 1, function: { arguments: text } },
          ],
        }),
      ),
    (text) =>
      data(
        chunk({
          tool_calls: [
            { index: 0, function: { arguments: text } },
            { index: 1, function: { arguments: text } },
          ],
        }),
      ),
    (text) => data(chunk({ function_call: { arguments: text } })),
    (text) =>
      data({
        choices: [
          { index: 1, delta: { content: text } },
          { index: 0, delta: { content: "this one" } },
        ],
      }),
    (content) => `data: {"choices":[{"index":0,\ndata: "delta":{"content":${JSON.stringify(content)}}}]}\n\n`,
    (content) => `data: {"choices":[{"index":0,\n"delta":{"content":${JSON.stringify(content)}}}]}\n\n`,
    (content) => `event: message\n${data(chunk({ content }))}`,
    (content) => `event: error\n${data(chunk({ content }))}`,
  ],
  [],
);

const named = (event: { readonly type: string }) => `event: ${event.type}\n${data(event)}`;
const delta = (one: object, index = 0) => ({ type: "content_block_delta", index, delta: one });

export const anthropicFrames = framed(
  [
    (text) => named(delta({ type: "text_delta", text })),
    (text) => named(delta({ type: "text_delta", text }, 1)),
    (text) => data(delta({ type: "text_delta", text })),
    (text) => `event: ping\n${data(delta({ type: "text_delta", text }))}`,
    (thinking) => named(delta({ type: "thinking_delta", thinking })),
    (text) => named(delta({ type: "thinking_delta", thinking: "a", text })),
    (partial_json) => named(delta({ type: "input_json_delta", partial_json }, 2)),
    (text) => named({ type: "content_block_start", ...{ index: 1, content_block: { type: "text", text } } }),
    () => named({ type: "content_block_stop", ...{ index: 1 } }),
    () =>
      named({
        type: "content_block_start",
        ...{ index: 2, content_block: { type: "tool_use", id: "t", name: "f", input: {} } },
      }),
    (text) => data({ index: 0, delta: { type: "text_delta", text } }),
  ],
  [named({ type: "message_start", ...{ message: { id: "m1", usage: { input_tokens: 3 } } } })],
);

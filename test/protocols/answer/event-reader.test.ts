import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventReader } from "../../../src/protocols/answer/event-reader.ts";
import { sse } from "../../../src/protocols/framing.ts";
import { placeIn } from "../../../src/protocols/chat-completions/chunk.ts";

const anyText = fc.oneof(
  fc.constantFrom(
    " the",
    "\n",
    '"',
    "\\",
    '\\"',
    '"},"x":{"',
    '","content":"',
    "箱根",
    "🎉",
    "\ud83c",
    "\u0000",
    "unloop?",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.stringMatching(/^[A-Za-z0-9]{0,12}$/),
);

const aDelta: fc.Arbitrary<object> = fc.oneof(
  anyText.map((content) => ({ content })),
  anyText.map((content) => ({ role: "assistant", content, refusal: null })),
  anyText.map((reasoning_content) => ({ content: null, reasoning_content })),
  fc.tuple(anyText, anyText).map(([content, reasoning]) => ({ content, reasoning })),
  anyText.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  anyText.map((input) => ({ tool_calls: [{ index: 1, custom: { input } }] })),
  anyText.map((piece) => ({ function_call: { arguments: piece } })),
  fc.constant({}),
);

/** Ways in which servers write the same chunk. */
const frames: readonly ((delta: object, other: string) => string)[] = [
  (delta) => JSON.stringify({ id: "c1", choices: [{ index: 0, delta, finish_reason: null }], usage: null }),
  (delta) => JSON.stringify({ id: "c1", choices: [{ index: 0, delta }] }, undefined, 1).replaceAll("\n", " "),
  (delta, other) => JSON.stringify({ id: "c1", choices: [{ index: 0, delta }], obfuscation: other }),
  (delta, other) => JSON.stringify({ obfuscation: other, choices: [{ delta }] }),
  (delta, other) =>
    JSON.stringify({ id: other, content: "decoy", choices: [{ delta }, { delta: { content: other } }] }),
  (delta, other) =>
    `{"choices":[{"delta":{"content":"first","content":${JSON.stringify(other)}}}],"x":${JSON.stringify(delta)}}`,
  (delta, other) => `{"a\\"content":${JSON.stringify(other)},"choices":[{"delta":${JSON.stringify(delta)}}]}`,
];

/** Events as they come: mostly one frame with other texts, now and then broken off or another one. */
const events = fc
  .tuple(
    fc.nat(frames.length - 1),
    fc.array(fc.tuple(aDelta, anyText, fc.option(fc.nat(), { freq: 6, nil: undefined })), { maxLength: 12 }),
    fc.array(fc.tuple(fc.nat(11), fc.nat(frames.length - 1)), { maxLength: 3 }),
  )
  .map(([frame, parts, changes]) =>
    parts.map(([delta, other, broken], i) => {
      const changed = changes.find(([at]) => at === i)?.[1] ?? frame;
      const text = frames[changed]?.(delta, other) ?? "";
      return broken === undefined ? text : text.slice(0, broken % (text.length + 1)) + text.slice((broken % 97) + 1);
    }),
  );

/** But for the padding, which nobody reads. */
function parsed(data: string): unknown {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && !Array.isArray(value) && value !== null ? unpadded(value) : undefined;
  } catch {
    return undefined;
  }
}

function unpadded(chunk: object | undefined): object | undefined {
  return chunk && { ...chunk, obfuscation: "" };
}

describe("eventReader", () => {
  it("reads every event as JSON.parse does, whatever came before it", () => {
    fc.assert(
      fc.property(events, (all) => {
        const { read } = eventReader(placeIn, sse);
        for (const data of all) expect(unpadded(read(data))).toEqual(parsed(data));
      }),
      { numRuns: 2_000 },
    );
  });

  const frame = (text: string, padding = "aB3") =>
    `{"id":"c1","choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}}],"obfuscation":"${padding}"}`;

  it.each([
    { name: "another text", second: frame("there") },
    { name: "a longer text with marks", second: frame('there, "quoted" \\ and 🎉\n') },
    { name: "no text any more", second: frame("") },
    { name: "another padding", second: frame("there", "Xyz01") },
  ])("parses no more than a text where an event differs by $name", ({ second }) => {
    const { read } = eventReader(placeIn, sse);
    const first = read(frame("hi"));
    expect(read(second)).toBe(first);
    expect(unpadded(first)).toEqual(parsed(second));
  });

  it.each([
    {
      name: "beside the choices",
      event: (other: string) => `{"content":"${other}","choices":[{"delta":{"content":"hi"}}]}`,
    },
    {
      name: "by the same name",
      event: (other: string) => `{"choices":[{"delta":{"content":"${other}","content":"hi"}}]}`,
    },
    {
      name: "by a longer name",
      event: (other: string) => `{"\\"content":"${other}","choices":[{"delta":{"content":"hi"}}]}`,
    },
  ])("takes no other text for the delta's: one $name", ({ event }) => {
    const { read } = eventReader(placeIn, sse);
    for (const other of ["one", "another", "a third"]) expect(read(event(other))).toEqual(JSON.parse(event(other)));
  });

  it.each([
    { name: "a quotation mark that ends it", second: frame("there").replace("there", 'the"re') },
    { name: "a raw newline", second: frame("there").replace("there", "the\nre") },
    { name: "an escape that is none", second: frame("there").replace("there", "the\\qre") },
    { name: "an end within an escape", second: frame("there").replace("there", "there\\") },
  ])("takes no text with $name", ({ second }) => {
    const { read } = eventReader(placeIn, sse);
    read(frame("hi"));
    expect(read(second)).toBeUndefined();
    expect(unpadded(read(frame("still")))).toEqual(parsed(frame("still")));
  });
});

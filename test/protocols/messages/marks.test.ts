import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import { body, mark, type Message, result, said, system, text, thinking, use, user } from "./support.ts";

const { delta } = protocol;
const bytes = (sent: string) => new TextEncoder().encode(sent);
const plain = (sent: string) => new TextDecoder().decode(delta.comparable(bytes(sent)));
const stepsIn = (sent: string) => protocol.parse(sent)?.conversation.steps ?? [];

const tools = [{ name: 'a]}"\\', input_schema: { enum: ["[", "}", '"', "\\", "é"] }, ...mark }];
const prompt = [text('Be "kind" ]}'), text("x", mark)];

/** How clients lay out one and the same request. */
const layouts: readonly (readonly [string, (messages: readonly Message[]) => string])[] = [
  ["messages last", (messages) => JSON.stringify({ model: "m", system: prompt, tools, messages })],
  ["messages first", (messages) => JSON.stringify({ messages, model: "m", system: prompt, tools, stream: true })],
  ["blanks between", (messages) => JSON.stringify({ model: "m", messages, tools }, null, 2)],
  [
    "Python's blanks",
    (messages) => JSON.stringify({ messages, tools }).replaceAll('":', '": ').replaceAll(',"', ', "'),
  ],
];

const turn = (id: string, words = 'He said "[{]}" \\ – 東京 🙂'): readonly Message[] => [
  said(thinking("Hm"), text("I look."), use(id, "read", { path: "ä" })),
  user(result(id, words)),
];

/** With a mark on the last block of the last so many messages, a text alone made a block for it. */
function marked(messages: readonly Message[], count = 1): readonly Message[] {
  return messages.map((message, index) => {
    if (index < messages.length - count) return message;
    const blocks = typeof message.content === "string" ? [text(message.content)] : (message.content as Message[]);
    return { ...message, content: [...blocks.slice(0, -1), { ...blocks.at(-1), ...mark }] };
  });
}

/** The steps that the later of two requests adds, as its end tells them. */
function added(earlier: string, later: string) {
  const [before, after] = [delta.comparable(bytes(earlier)), delta.comparable(bytes(later))];
  const request = protocol.parse(earlier);
  const from = request && delta.endOfMessages(before, request);
  if (from === undefined) throw new Error("The end of the messages was not found.");
  if (Buffer.compare(before.subarray(0, from), after.subarray(0, from)) !== 0) return "another beginning";
  return delta.stepsBetween(after, from, after.length - (before.length - from));
}

describe.each(layouts)("a body with %s", (_, layout) => {
  it("a text that was in a list for its mark is a text again", () => {
    const opening = [user(text("Go.")), system("Where you are: here.")];
    const [earlier, later] = [layout(marked(opening)), layout(marked([...opening, ...turn("toolu_1")]))];
    expect(later).toContain('"Where you are: here."');
    if (layout(opening).includes("\n")) return;
    expect(added(earlier, later)).toEqual(stepsIn(later));
  });
});

describe("without what moves", () => {
  it.each([
    ["a mark at the end of a block", '{"a":"b","cache_control":{"type":"ephemeral"}}', '{"a":"b"}'],
    ["a mark that holds longer", '{"a":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}', '{"a":"b"}'],
    ["a mark in front", '{"cache_control":{"type":"ephemeral"},"a":"b"}', '{"a":"b"}'],
    ["a mark in the middle", '{"a":"b", "cache_control" : {"type": "ephemeral"} ,"c":1}', '{"a":"b" ,"c":1}'],
    ["no mark after all", '{"a":"b","cache_control":null}', '{"a":"b"}'],
    ["a text alone", '{"content":[{"type":"text","text":"a \\"b\\""}]}', '{"content":"a \\"b\\""}'],
    [
      "a marked text alone",
      '{"content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}',
      '{"content":"a"}',
    ],
    [
      "two texts",
      '[{"type":"text","text":"a"},{"type":"text","text":"b"}]',
      '[{"type":"text","text":"a"},{"type":"text","text":"b"}]',
    ],
    ["words about a mark", '{"a":",\\"cache_control\\":{}"}', '{"a":",\\"cache_control\\":{}"}'],
    [
      "another thing of that name",
      '{"a":1,"cache_control":{"type":"forever"}}',
      '{"a":1,"cache_control":{"type":"forever"}}',
    ],
  ])("%s", (_, sent, expected) => expect(plain(sent)).toBe(expected));

  it("any JSON is still JSON, and says the same", () => {
    const block = fc.oneof(
      fc.string().map((words) => text(words)),
      fc.string().map((words) => text(words, mark)),
      fc.jsonValue(),
      fc.record({ type: fc.constant("tool_result"), content: fc.array(fc.string().map((words) => text(words))) }),
    );
    const message = fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.array(block) });
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const sent = body(messages);
        const request = protocol.parse(sent);
        const after = plain(sent);
        expect(() => JSON.parse(after)).not.toThrow();
        expect(protocol.parse(after)?.conversation).toEqual(request?.conversation);
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import { body, mark, text } from "./support.ts";

const { delta } = protocol;
const bytes = (sent: string) => new TextEncoder().encode(sent);
const plain = (sent: string) => new TextDecoder().decode(delta.comparable(bytes(sent)));

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
    ["another thing", '{"a":1,"cache_control":{"type":"forever"}}', '{"a":1,"cache_control":{"type":"forever"}}'],
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

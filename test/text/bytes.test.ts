import { describe, expect, it } from "vitest";
import { utf8Text } from "../../src/text/bytes.ts";

describe("the text of bytes", () => {
  const of = (...bytes: number[]) => Uint8Array.from(bytes);
  const encoded = (text: string) => new TextEncoder().encode(text);

  it.each([
    ["of ASCII", encoded('{"a":"b\\n"}\u0000\u007f'), '{"a":"b\\n"}\u0000\u007f'],
    ["of other letters", encoded("naïve 日本語 🎈"), "naïve 日本語 🎈"],
    ["with a byte order mark", encoded("\ufeff{}"), "\ufeff{}"],
    ["of a part of a buffer", encoded("abcdef").subarray(2, 4), "cd"],
  ])("is what was encoded: %s", (_, bytes, text) => {
    expect(utf8Text(bytes)).toBe(text);
  });

  it.each([
    ["a character that is cut off", encoded("日").subarray(0, 2)],
    ["half a surrogate", of(0xed, 0xa0, 0x80)],
  ])("is none for %s", (_, bytes) => {
    expect(utf8Text(bytes)).toBeUndefined();
  });
});

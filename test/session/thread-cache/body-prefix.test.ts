import { describe, expect, it } from "vitest";
import { extendedPrefix, bodyPrefixAt, endOfAddition } from "../../../src/session/thread-cache/body-prefix.ts";

const KB = 1_024;
const REST = '],"model":"m"}';

/** What all bodies begin with. */
const MESSAGES = Buffer.from(Uint8Array.from({ length: 301 * KB }, (_, i) => 97 + ((i * i + (i >> 8)) % 26)));

/** A body whose messages are so long, and where they end. */
function bodyOf(messages: number): { body: Buffer; end: number } {
  return { body: Buffer.concat([MESSAGES.subarray(0, messages), Buffer.from(REST)]), end: messages };
}

/** The ending of a body that has come to this length in turns of 3,000 bytes, each known from the last. */
function grownTo(length: number) {
  let ending = bodyPrefixAt(bodyOf(1_000).body, 1_000);
  for (let end = 4_000; end < length; end += 3_000) ending = extendedPrefix(ending, bodyOf(end).body, end);
  return extendedPrefix(ending, bodyOf(length).body, length);
}

function changed(body: Buffer, at: number): Buffer {
  const copy = Buffer.from(body);
  copy[at] = 0x21;
  return copy;
}

const sizes = [2 * KB, 16 * KB, 40 * KB, 48 * KB, 49 * KB, 90 * KB, 300 * KB];
const seen = sizes.flatMap((size) => [true, false].map((isKnown) => [size, isKnown] as const));

describe("the ending of a body", () => {
  it.each(seen)("of %i bytes shows that the next one begins with all of it (known: %s)", (size, isKnown) => {
    const next = bodyOf(size + 700);
    expect(endOfAddition(next.body, grownTo(size), isKnown)).toBe(next.end);
    expect(endOfAddition(next.body, bodyPrefixAt(bodyOf(size).body, size), isKnown)).toBe(next.end);
  });

  it.each(seen)("of %i bytes shows a change at either end, or behind the messages (known: %s)", (size, isKnown) => {
    const { body } = bodyOf(size + 700);
    const places = [0, Math.min(size, 16 * KB) - 1, Math.max(0, size - 16 * KB), size - 1, body.length - 1];
    for (const at of places)
      expect([at, endOfAddition(changed(body, at), grownTo(size), isKnown)]).toEqual([at, undefined]);
    expect(endOfAddition(bodyOf(size - 1).body, grownTo(size), isKnown)).toBeUndefined();
    expect(endOfAddition(bodyOf(size).body, grownTo(size), isKnown)).toBeUndefined();
  });

  it.each([
    { size: 48 * KB, isKnown: true, isSeen: true },
    { size: 300 * KB, isKnown: true, isSeen: false },
    { size: 300 * KB, isKnown: false, isSeen: true },
  ])("of $size bytes shows a change in the middle: $isSeen (known: $isKnown)", ({ size, isKnown, isSeen }) => {
    const next = bodyOf(size + 700);
    const found = endOfAddition(changed(next.body, size / 2), grownTo(size), isKnown);
    expect(found).toBe(isSeen ? undefined : next.end);
  });
});

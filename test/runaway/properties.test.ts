import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runawayScanner } from "../../src/runaway/runaway.ts";
import { firedAt, limits } from "../support/builders/runaway.ts";

/** Pieces of what answers are made of, so that repeats, fences, tables and JSON come about by chance. */
const fragment = fc.constantFrom(
  ...["again and again ", "ha", "あ", "😂", "0", "0,", "Attempt 7: it fails. ", "\n", "\n\n", "```", "```\n", "- "],
  ...["1. ", "| a | b |\n", "---", '{"', '"', "[", "]}", "\\n", "\\u3042", "   ", "don't "],
);
const stretch = fc.tuple(fragment, fragment, fc.integer({ min: 1, max: 80 })).map(([a, b, n]) => (a + b).repeat(n));
const text = fc
  .array(fc.oneof(fragment, stretch, fc.string({ unit: "binary" })), { maxLength: 12 })
  .map((parts) => parts.join(""));

describe("whatever text comes", () => {
  it("fires at the same character however it is cut", () => {
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 30 }), (whole, sizes) => {
        const scanner = runawayScanner(limits);
        const at = firedAt(whole);
        for (let from = 0, i = 0; from < whole.length; i++) {
          const to = Math.min(whole.length, from + (sizes[i % sizes.length] ?? 0) + (i % sizes.length === 0 ? 1 : 0));
          expect(scanner.push(whole.slice(from, to)) !== undefined).toBe(to >= at);
          from = to;
        }
      }),
    );
  });

  it("fires never before its fewest laps and characters", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const found = runawayScanner(limits).push(whole);
        if (found === undefined) return;
        expect(found.laps).toBeGreaterThanOrEqual(found.blockTokens <= 16 ? limits.shortLaps : limits.longLaps);
        expect(found.chars).toBeGreaterThanOrEqual(limits.leastChars);
        expect(found.chars).toBeLessThanOrEqual(whole.length);
        expect(found.blockTokens).toBeLessThanOrEqual(60);
      }),
    );
  });
});

it("a word of megabytes costs no memory", () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const held = () => {
    collect();
    return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  };
  const scanner = runawayScanner(limits);
  let letters = "";
  for (let i = 0; letters.length < 65_536; i++) letters += ((i * 2_654_435_761) >>> 0).toString(36);
  scanner.push(letters);
  const before = held();
  for (let i = 0; i < 16; i++) scanner.push(letters);
  expect(held() - before).toBeLessThan(2 * 1024 * 1024);
  expect(scanner.push("")).toBeUndefined();
});

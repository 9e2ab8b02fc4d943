import fc from "fast-check";
import { expect, it } from "vitest";
import { readToken, readUnitByUnit, type Token } from "../../src/scan/token.ts";
import { ends, scanWords, starts } from "../../src/scan/word-scan.ts";
import { oddTexts } from "../support/builders/odd-texts.ts";

const blank = (): Token => ({ end: 0, numberEnd: 0, hash: 0, sort: "name", hasDigit: false, isUnspaced: false });

/** Where words are joined, cut, or made of digits. */
const joints = fc.constantFrom(
  "-",
  ".",
  ",",
  "--",
  "1",
  "3.14",
  "1,234",
  "a-b",
  "12件",
  "3.5件",
  "w".repeat(127),
  "x1",
);
const texts = fc.array(fc.oneof(oddTexts, joints), { maxLength: 12 }).map((some) => some.join(""));

it("a word is read at once to the same end as unit by unit, wherever it begins", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { count } = scanWords(text);
      for (let word = 0; word < count; word++) {
        const start = starts[word] ?? 0;
        for (const from of [start, Math.min(start + 1, (ends[word] ?? 0) - 1)]) {
          const [token, plain] = [blank(), blank()];
          readToken(from, word, token);
          readUnitByUnit(from, plain);
          expect(token).toEqual(plain);
        }
      }
    }),
  );
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { continuedText } from "../../../src/protocols/answers.ts";

function behind(shown: string, pieces: readonly string[]): string {
  const words = continuedText(shown);
  return pieces.map((piece) => words.add(piece)).join("") + words.end();
}

const rows: readonly (readonly [shown: string, text: string, said: string])[] = [
  ["", "  Hello. ", "  Hello. "],
  ["I look.", "The build is there.", "\n\nThe build is there."],
  ["I look.", "I look. The build is there.", "\n\nThe build is there."],
  ["I look. It is there.", "It is there. I look. Done.", "\n\nDone."],
  ["I look.\n", "Done.", "\nDone."],
  ["I look.\n\n", "Done.", "Done."],
  ["I look.", "I look.", ""],
  ["I look.", "I look", "\n\nI look"],
  ["I look.", "I look.txt up.", "\n\nI look.txt up."],
  ["フォルダーを見ます。", "フォルダーを見ます。終わりました。", "\n\n終わりました。"],
  ["Here:\n- one\n- two", "Here:\n- one\n- three", "\n\n- three"],
];

it.each(rows)(
  "what goes on behind words that stand there, after %j: %j is %j, in whatever pieces",
  (shown, text, said) => {
    expect(behind(shown, [text])).toBe(said);
    expect(behind(shown, [...text])).toBe(said);
    fc.assert(
      fc.property(fc.nat(text.length), (at) => {
        expect(behind(shown, [text.slice(0, at), text.slice(at)])).toBe(said);
      }),
    );
  },
);

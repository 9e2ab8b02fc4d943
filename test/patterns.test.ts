import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { madePatterns, literalPatterns, pumpedBy } from "./support/checks/patterns.ts";
import { readSources } from "./support/checks/sources.ts";

const root = fileURLToPath(new URL("../src", import.meta.url));
const sources = readSources().map(({ file }) => file);
const patterns = [...literalPatterns(sources, root), ...(await madePatterns(sources))];

/**
 * Patterns whose time grows faster than their text, each with what bounds the text that it is shown. A new one needs a bound of
 * its own beside it: the span that every text is cut to is too long for a square.
 */
const bounded: readonly { readonly file: string; readonly begins: string; readonly bound: string }[] = [
  { file: "engine/reading/speech.ts", begins: "(^|[.!\\n]\\s*)((?:ok", bound: "`announces` looks at 400 characters" },
  { file: "protocols/dialects/sections.ts", begins: "^[\\s#=*]+", bound: "a title has 120 characters" },
  { file: "engine/reading/denial.ts", begins: "「", bound: "`isDenial` looks at 240 characters" },
  { file: "engine/fingerprint/call-fingerprint.ts", begins: "(?=[\\d_", bound: "`namesIn` looks at 512 characters" },
  { file: "engine/reading/outcome.ts", begins: "^\\W*(?:", bound: "an acknowledgement has 160 characters" },
  { file: "judge/prompt.ts", begins: "", bound: "each run in them is bounded" },
];

const boundOf = (file: string, { source }: RegExp) =>
  bounded.find((one) => one.file === file && source.startsWith(one.begins))?.bound;

describe("every regular expression", () => {
  it("of the source is found, literal or made", () => {
    expect(patterns.length).toBeGreaterThan(150);
  });

  it("is linear in its text, or is shown short texts alone", () => {
    const slow = patterns
      .filter(({ file, pattern }) => boundOf(file, pattern) === undefined)
      .flatMap((one) => {
        const pump = pumpedBy(one);
        return pump === undefined ? [] : [`${one.file}: ${one.pattern} on ${pump}`];
      });
    expect(slow).toEqual([]);
  });

  it("that is bounded is still there", () => {
    const stale = bounded.filter(
      ({ file, begins }) => !patterns.some((one) => one.file === file && one.pattern.source.startsWith(begins)),
    );
    expect(stale).toEqual([]);
  });

  it.each([/\s+$/, /\bsed\s+(-\w+\s+)*-i/i, /^[^\p{L}]*[、\s]*x/u, /a.*b.*c/])(
    "such as %s would be refused",
    (pattern) => {
      expect(pumpedBy({ file: "", pattern })).toBeDefined();
    },
  );
});

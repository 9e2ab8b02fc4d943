import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { alternatives, alternativesBesides, type Category, LANGUAGES } from "../../src/languages/languages.ts";
import { readSources } from "../support/checks/sources.ts";
import { ALTERNATIVES } from "./alternatives.ts";
import { topLevel } from "./top-level.ts";

const categories = Object.keys(ALTERNATIVES) as readonly Category[];

describe("the words of languages", () => {
  it.each(categories)("of category %s are the listed ones, no more and no less", (category) => {
    expect(new Set(topLevel(alternatives(category)))).toEqual(new Set(topLevel(ALTERNATIVES[category])));
  });

  it("are all looked for somewhere", () => {
    const code = readSources().filter(({ file }) => !file.startsWith("languages/"));
    expect(categories.filter((category) => !code.some(({ text }) => text.includes(`("${category}"`)))).toEqual([]);
  });

  it.each(LANGUAGES.map((language) => [language.code, language] as const))(
    "of %s stand in no category twice",
    (_, language) => {
      for (const category of categories) {
        const list = topLevel(language[category] ?? "");
        expect(list.filter((one, i) => list.indexOf(one) !== i)).toEqual([]);
      }
    },
  );
});

describe("the builder of alternatives", () => {
  it("takes the languages that are named, or all but those", () => {
    expect(alternatives("and", "de", "it")).toBe("und|oder|e|o");
    expect(topLevel(alternativesBesides("and", "de", "it"))).not.toContain("und");
  });

  it("matches nothing where no language has words", () => {
    expect(new RegExp(alternatives("failureOpening", "id")).test("")).toBe(false);
  });
});

describe("docs/languages.md", () => {
  const page = readFileSync(new URL("../../docs/languages.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("|"));
  const cells = rows.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

  it("has what each language has words for", () => {
    const table = categories.map((category) => [
      `\`${category}\``,
      ...LANGUAGES.map((language) => (language[category] === undefined ? "" : "x")),
    ]);
    expect(cells.slice(2).map(([category, , ...has]) => [category, ...has])).toEqual(table);
    expect(cells[0]).toEqual(["category", "earned", ...LANGUAGES.map(({ code }) => code)]);
  });

  it("says what each category has earned, or why it stays", () => {
    expect(cells.slice(2).filter(([, earned = ""]) => earned === "" || /^0/.test(earned))).toEqual([]);
  });
});

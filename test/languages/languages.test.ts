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

it("docs/languages.md has what each language has words for", () => {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = [
    row(["category", ...LANGUAGES.map(({ code }) => code)]),
    `|${"---|".repeat(LANGUAGES.length + 1)}`,
    ...categories.map((category) =>
      row([`\`${category}\``, ...LANGUAGES.map((language) => (language[category] === undefined ? "" : "x"))]),
    ),
  ];
  const page = readFileSync(new URL("../../docs/languages.md", import.meta.url), "utf8");
  expect(page.split("\n").filter((line) => line.startsWith("|"))).toEqual(table);
});

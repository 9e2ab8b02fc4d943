import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { alternatives, alternativesBesides, type Category, LANGUAGES } from "../../src/languages/languages.ts";
import { readSources } from "../support/checks/sources.ts";

const page = readFileSync(new URL("../../docs/languages.md", import.meta.url), "utf8");
const [head = [], , ...rows] = page
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
const categories = rows.map(([name = ""]) => name.replaceAll("`", "") as Category);

describe("docs/languages.md", () => {
  it("has what each category has earned", () => {
    expect(head).toEqual(["category", "what it is", "earned"]);
    for (const [, , earned] of rows) expect(earned).toMatch(/^[^0]/);
    const known = new Set(LANGUAGES.flatMap(({ code: _, ...words }) => Object.keys(words)));
    expect(new Set(categories)).toEqual(known);
  });

  it("has no category that nothing looks for", () => {
    const code = readSources().filter(({ file }) => !file.startsWith("languages/"));
    expect(categories.filter((category) => !code.some(({ text }) => text.includes(`("${category}"`)))).toEqual([]);
  });
});

describe("the builder of alternatives", () => {
  it("takes the languages that are named, or all but those", () => {
    expect(alternatives("and", "de", "it")).toBe("und|oder|e|o");
    expect(alternativesBesides("and", "de", "it").split("|")).not.toContain("und");
  });

  it("matches nothing where no language has words", () => {
    expect(new RegExp(alternatives("failureOpening", "id")).test("")).toBe(false);
  });
});

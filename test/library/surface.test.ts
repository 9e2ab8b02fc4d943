import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { publicNames } from "../support/checks/public-surface.ts";

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));

const entries = Object.entries<{ types?: string }>(exports).flatMap(([entry, { types }]) =>
  types === undefined
    ? []
    : [{ entry: `unloop${entry.slice(1)}`, file: types.replace("./dist/", "src/").replace(".d.ts", ".ts") }],
);

const surfaces = entries.map(({ entry, file }) => ({ entry, names: publicNames(file) }));

describe("the package's public names", () => {
  it.each(surfaces)("of $entry have a sentence each", ({ names }) => {
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter(({ about }) => about === "").map(({ name }) => name)).toEqual([]);
  });

  // `npx vitest run test/library/surface.test.ts --update` writes it anew.
  it("are those of docs/api.md, so that no change of them goes unseen", async () => {
    const told = new Set<string>();
    const sections = surfaces.map(({ entry, names }) => {
      const own = names.filter(({ name, declaration }) => !told.has(`${name} ${declaration}`));
      const others = names.filter((one) => !own.includes(one)).map(({ name }) => `\`${name}\``);
      for (const { name, declaration } of own) told.add(`${name} ${declaration}`);
      const entriesOf = own.map(
        ({ name, about, declaration }) => `### ${name}\n\n${about}\n\n\`\`\`ts\n${declaration}\n\`\`\`\n`,
      );
      const above = others.length === 0 ? "" : `As above: ${others.join(", ")}.\n\n`;
      return `## ${entry}\n\n${above}${entriesOf.join("\n")}`;
    });
    const head =
      "# API reference\n\nMade from the sources by `test/library/surface.test.ts`. [library.md](library.md) shows how to use it.\n";
    await expect(`${head}\n${sections.join("\n")}`).toMatchFileSnapshot("../../docs/api.md");
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

type Imports = ReadonlyMap<string, readonly string[]>;

function importsBelow(folder: string): Imports {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(root, folder, file));
  // An import of types alone is gone when the program runs, and orders nothing.
  const targets = (file: string) =>
    [...readFileSync(file, "utf8").matchAll(/^(?:import|export)\s+(?!type\b)[^;"]*?\bfrom\s+"(\.[^"]+)"/gm)].map(
      ([, to = ""]) => resolve(dirname(file), to),
    );
  return new Map(files.map((file) => [file, targets(file)]));
}

/** The files from the first to itself again, for each circle that a walk along the imports closes. */
function circlesIn(imports: Imports): readonly (readonly string[])[] {
  const done = new Set<string>();
  const circles: (readonly string[])[] = [];
  const walk = (file: string, path: readonly string[]) => {
    const from = path.indexOf(file);
    if (from >= 0) circles.push([...path.slice(from), file]);
    if (from >= 0 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) walk(target, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) walk(file, []);
  return circles;
}

describe("no file imports itself by way of others", () => {
  it.each(["src", "bench", "examples"])("%s has no circle of imports", (folder) => {
    const imports = importsBelow(folder);
    expect([...imports.values()].some((targets) => targets.length > 0)).toBe(true);
    expect(circlesIn(imports)).toEqual([]);
  });

  it("a circle of imports is seen where there is one", () => {
    const imports: Imports = new Map([
      ["a", ["b"]],
      ["b", ["c", "d"]],
      ["c", []],
      ["d", ["a"]],
    ]);
    expect(circlesIn(imports)).toEqual([["a", "b", "d", "a"]]);
  });
});

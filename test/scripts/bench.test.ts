import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

it("npm run bench lists every benchmark that there is, and bench/README.md has a section for each", () => {
  const { status, stdout } = spawnSync(process.execPath, ["scripts/bench.mjs"], { cwd: root, encoding: "utf8" });
  const namesIn = (text: string, name: RegExp) => [...text.matchAll(name)].map(([, one]) => one).sort();
  const names = namesIn(stdout, /^ {2}([\w-]+) +\w/gm);
  const files = readdirSync(resolve(root, "bench")).filter((file) => file.endsWith(".ts"));
  expect([status, names]).toEqual([0, files.map((file) => file.replace(".ts", "")).sort()]);
  const readme = readFileSync(resolve(root, "bench/README.md"), "utf8");
  expect(namesIn(readme, /^## `npm run bench -- ([\w-]+)`/gm)).toEqual(names);
});

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const bench = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/bench.mjs", ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, out: stdout, err: stderr };
};
const namesIn = (text: string) => [...text.matchAll(/^ {2}([\w-]+) +\w/gm)].map(([, name]) => name);

describe("npm run bench", () => {
  it("lists every benchmark that there is, and bench/README.md has a section for each", () => {
    const { status, out } = bench();
    const files = readdirSync(resolve(root, "bench")).filter((file) => file.endsWith(".ts"));
    const sections = readFileSync(resolve(root, "bench/README.md"), "utf8").matchAll(
      /^## `npm run bench -- ([\w-]+)`/gm,
    );
    expect(status).toBe(0);
    expect(namesIn(out).sort()).toEqual(files.map((file) => file.replace(".ts", "")).sort());
    expect([...sections].map(([, name]) => name).sort()).toEqual(namesIn(out).sort());
  });
});

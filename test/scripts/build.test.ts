import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const folder = ".cache/build";
const cli = join(root, folder, "cli/cli.js");
const build = (...options: readonly string[]) =>
  spawnSync(process.execPath, [join(root, "scripts/build.mjs"), folder, "--cli", ...options], { encoding: "utf8" })
    .stderr;

describe("the build", () => {
  afterAll(() => rmSync(join(root, folder), { recursive: true, force: true }));

  it("makes a command line that imports no package, with the licences of those inside it", () => {
    build();
    const files = readdirSync(join(root, folder, "cli")).map((name) =>
      readFileSync(join(root, folder, "cli", name), "utf8"),
    );
    const imports = files.flatMap((text) =>
      [...text.matchAll(/^(?:import|export)[^;]*?from"([^"]+)"/gm)].map(([, name]) => name),
    );
    expect(imports.filter((name) => !/^(\.|node:)/.test(name ?? "") && !isBuiltin(name ?? ""))).toEqual([]);
    const licences = readFileSync(join(root, folder, "THIRD-PARTY-LICENSES.txt"), "utf8");
    const named = [...licences.matchAll(/^(\S+) \d\S* \((.+)\)$/gm)];
    expect(named.map(([, name]) => name)).toEqual(expect.arrayContaining(["commander", "htm", "ioredis", "undici"]));
    const permissive = /^(MIT|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|ISC|0BSD)$/;
    expect(named.filter(([, , licence = ""]) => !permissive.test(licence))).toEqual([]);
  });

  it("--if-older builds again, with a word on it, only where a source is newer", () => {
    expect(build("--if-older")).toBe("");
    utimesSync(cli, 0, 0);
    expect(build("--if-older")).toContain("is built again");
    expect(build("--if-older")).toBe("");
  });
});

import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { builtCli } from "../support/processes/built-cli.ts";
import { files } from "./command.ts";

const root = resolve(import.meta.dirname, "../..");
const bin = join(root, "bin/unloop.mjs");
const run = (path: string, ...options: readonly string[]) =>
  spawnSync(process.execPath, [...options, path, "--version"], { encoding: "utf8" });

/** A folder with the bin alone, as in a clone where nothing was installed. */
function bareBin(): string {
  const folder = dirname(files({ "package.json": '{"type":"module"}' })["package.json"]);
  cpSync(bin, join(folder, "bin/unloop.mjs"));
  return join(folder, "bin/unloop.mjs");
}

it("runs the command line that is built beside it, and says what to do where there is none", () => {
  const path = bareBin();
  expect(run(path)).toMatchObject({
    status: 1,
    stderr: "unloop: it is not built. Run `npm ci` in its folder first.\n",
  });
  cpSync(dirname(builtCli), join(dirname(path), "../dist/cli"), { recursive: true });
  expect(run(path)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" });
});

it("says in one line that a Node.js is too old, before anything is loaded", () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const least = engines.node.replace(">=", "");
  const old = (version: string) =>
    `data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"${version}"}})`;
  for (const version of ["18.20.8", "20.18.3"])
    expect(run(bin, "--import", old(version))).toMatchObject({
      status: 1,
      stdout: "",
      stderr: `unloop: Node.js ${version} is too old. Install Node.js ${least} or later.\n`,
    });
});

import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { terminalLog } from "../../src/cli/serve.ts";
import { builtCli } from "../support/processes/built-cli.ts";
import { files } from "./command.ts";

const root = resolve(import.meta.dirname, "../..");
const bin = join(root, "bin/unloop.mjs");
const run = (path: string, ...options: readonly string[]) =>
  spawnSync(process.execPath, [...options, path, "--version"], { encoding: "utf8" });

it("the bin runs the command line that is built beside it, and says what to do where there is none", () => {
  // As in a clone where nothing was installed.
  const folder = dirname(files({ "package.json": '{"type":"module"}' })["package.json"]);
  const path = join(folder, "bin/unloop.mjs");
  cpSync(bin, path);
  const stderr = "unloop: it is not built. Run `npm ci` in its folder first.\n";
  expect(run(path)).toMatchObject({ status: 1, stderr });
  cpSync(dirname(builtCli), join(folder, "dist/cli"), { recursive: true });
  expect(run(path)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" });
});

it("the bin says in one line that a Node.js is too old, before anything is loaded", () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const least = engines.node.replace(">=", "");
  const old = (version: string) =>
    `data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"${version}"}})`;
  for (const version of ["18.20.8", "20.18.3"]) {
    const stderr = `unloop: Node.js ${version} is too old. Install Node.js ${least} or later.\n`;
    expect(run(bin, "--import", old(version))).toMatchObject({ status: 1, stdout: "", stderr });
  }
});

it("a log for people has the time, what happened, and what is worth a look", () => {
  const lines: string[] = [];
  const log = terminalLog({ log: "info" }, (line) => lines.push(line));
  log.debug({}, "hidden");
  log.info({ verdict: "nudge", session: "v8od", ownMs: 0.4, inputTokens: 309, outputTokens: 0, count: 3 }, "exchange");
  log.warn({ why: "connect ECONNREFUSED" }, "store-not-ready");
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""))).toEqual([
    "nudge session v8od inputTokens 309 count 3\n",
    "! store-not-ready why connect ECONNREFUSED\n",
  ]);
});

it("unloop demo shows on one screen that the guard ends the loop that runs to the cap without it, and what that saves", () => {
  const { status, stdout } = spawnSync(process.execPath, [builtCli, "demo"], { encoding: "utf8" });
  expect(status).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  const figures = (title: string) =>
    (lines.find((line) => line.trim().startsWith(title))?.match(/[\d,]+/g) ?? []).map((one) =>
      Number(one.replaceAll(",", "")),
    );
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(lines.filter((line) => line.length > 80 || line.includes("\u001b"))).toEqual([]);
  expect([figures("messages sent")[0], ...figures("model calls").slice(0, 2)]).toEqual([15, 15, 5]);
  const [alone = 0, guarded = 0, saved] = figures("tokens");
  expect([guarded > 0, saved]).toEqual([true, alone - guarded]);
  expect(lines.at(-1)).toBe(" 2 of the 5 asked again, to replace a repeated call that was held back.");
  const verdicts = lines.flatMap((line) => /(?:msg-\d+|final answer) +([a-z-]+)$/.exec(line)?.[1] ?? []);
  expect(verdicts).toEqual(["ok", "nudge", "force-done"]);
});

import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

const root = resolve(import.meta.dirname, "../..");
const built = join(root, ".cache/cli");

/** `unloop` as these sources make it: compiled once, since each process would take a second longer to start from them. */
export const builtCli = join(built, "cli/cli.js");

/** Vitest calls it before the tests, and again where it watches the sources. */
export function setup(project: TestProject): void {
  build();
  project.onTestsRerun(async () => build());
}

/** Not `dist`: that is what was installed or is being served. Types are checked elsewhere. */
function build(): void {
  rmSync(built, { recursive: true, force: true });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const options = ["-p", join(root, "tsconfig.build.json"), "--noCheck", "--declaration", "false", "--outDir", built];
  execFileSync(process.execPath, [compiler, ...options], { stdio: "inherit" });
  cpSync(join(root, "src/page/assets"), join(built, "page/assets"), { recursive: true });
}

import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

const root = resolve(import.meta.dirname, "../../..");
const built = ".cache/cli";

/** `unloop` as these sources make it: bundled once, since each process would take a second longer to start from them. */
export const builtCli = join(root, built, "cli/cli.js");

/** Vitest calls it before the tests, and again where it watches the sources. */
export function setup(project: TestProject): void {
  build();
  project.onTestsRerun(async () => build());
}

/** Not `dist`: that is what was installed or is being served. Types are checked elsewhere. */
function build(): void {
  execFileSync(process.execPath, [join(root, "scripts/build.mjs"), built, "--cli"], { stdio: "inherit" });
}

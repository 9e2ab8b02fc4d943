import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";

const installed = join(import.meta.dirname, "node_modules/.package-lock.json");

/** Vitest calls it before the tests: what they need is in a package of its own, beside them. */
export function setup(): void {
  if (writtenAt(installed) >= writtenAt(join(import.meta.dirname, "package-lock.json"))) return;
  execFileSync("npm", ["ci", "--ignore-scripts"], { cwd: import.meta.dirname, stdio: "inherit" });
}

function writtenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

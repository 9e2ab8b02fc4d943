import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { environment } from "./programs.ts";

export const sources = resolve("python");
const folder = resolve(".cache/wheel");

export function wheel(): string {
  const [file = ""] = readdirSync(folder);
  return join(folder, file);
}

/** Vitest calls it before the tests: they use the package as it is installed. */
export function setup(): void {
  const pip = (...args: readonly string[]) =>
    execFileSync(join(environment, "python"), ["-m", "pip", "--quiet", ...args], { stdio: "inherit" });
  rmSync(folder, { recursive: true, force: true });
  pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, sources);
  pip("install", "--no-deps", "--force-reinstall", wheel());
}

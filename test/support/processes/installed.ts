import { spawnSync } from "node:child_process";

/** Whether a program of the operating system is there; what needs one that is not is left out, and named. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

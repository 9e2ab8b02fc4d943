import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import type { Environment, AgentEnvironment } from "./agent.ts";

/** What an agent with these arguments would be started among here and now. */
export function surroundingsFor(env: Environment, args: readonly string[]): AgentEnvironment {
  return { env, home: homedir(), cwd: process.cwd(), args, read: readIfThere };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // No such file is the usual case, and one that cannot be read is the agent's to complain of.
    return undefined;
  }
}

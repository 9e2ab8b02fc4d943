import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { parseJson } from "../../text/parse-json.ts";
import type { Environment, AgentEnvironment } from "./agent.ts";
import { isJournal, JOURNAL, restored } from "./wrapped-file.ts";

/** What an agent with these arguments would be started among here and now, if nothing else wrapped it. */
export function surroundingsFor(env: Environment, args: readonly string[]): AgentEnvironment {
  return { ...changedSurroundings(env, args), read: originalOf };
}

/** The same with its files as they are, changed for another wrap or not. */
export function changedSurroundings(env: Environment, args: readonly string[]): AgentEnvironment {
  return { env, home: homedir(), cwd: process.cwd(), args, read: readIfThere };
}

/** Another wrap has changed the file: its guard is not where the agent would send requests, and it ends before this one may. */
function originalOf(path: string): string | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const journal = parseJson(readIfThere(realpathSync(path) + JOURNAL) ?? "");
  return isJournal(journal) ? restored(text, journal) : text;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // No such file is the usual case, and one that cannot be read is the agent's to complain of.
    return undefined;
  }
}

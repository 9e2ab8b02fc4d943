import { spawn } from "node:child_process";
import { constants } from "node:os";
import { UnloopError } from "../../errors.ts";

/** Signals that are passed on to the agent. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** A terminal sends these to the agent as well as to us, so that passing them on would say them twice. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT"];

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs a command in this terminal until it ends. Gives its exit code, or 128 and the number of the signal that ended it.
 * @throws UnloopError `command_not_found` where there is no such command
 */
export async function launch({ command, args, env }: Launch): Promise<number> {
  const child = spawn(command, args, { stdio: "inherit", env });
  const passOn = (signal: NodeJS.Signals) => {
    if (process.stdin.isTTY && FROM_TERMINAL.includes(signal)) return;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", (error) => reject(notFound(command, error)));
      child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, passOn);
  }
}

function notFound(command: string, cause: Error): UnloopError {
  const why = "code" in cause && cause.code === "ENOENT" ? "was not found" : `could not be started (${cause.message})`;
  return new UnloopError("command_not_found", `The command "${command}" ${why}.`, { cause });
}

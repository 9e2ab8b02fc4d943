import type { Command } from "commander";
import { agents } from "./agents.ts";
import { unwrap, wrap, wrappedBy } from "./wrap.ts";

type Done = (exitCode: number) => void;

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** `unloop wrap` and `unloop unwrap`. */
export function addWrapCommands(program: Command, done: Done): void {
  program
    .enablePositionalOptions()
    .command("wrap")
    .description("Run an agent behind a guard of its own, and restore its settings afterwards.")
    .usage("[options] AGENT [arguments of the agent]\n       unloop wrap [options] -- COMMAND [arguments]")
    .argument("[agent]", agents.map(({ name }) => name).join(", "))
    .argument("[arguments...]")
    .option("--guard <url>", "use a running guard")
    .passThroughOptions()
    .allowUnknownOption()
    .action(
      async (_agent: string | undefined, _arguments: string[], { guard }: { guard?: string }, command: Command) => {
        const { name, rest } = namedAgent(command.args, process.argv.slice(2));
        done(await wrap(wrappedBy(name, rest), { guard, say }));
      },
    );
  program
    .command("unwrap")
    .description("Restore the settings files that an interrupted wrap has changed.")
    .argument("[file...]", "settings files beside the usual ones")
    .option("--when-orphaned", "wait until standard input ends, and skip files that running wraps use")
    .action(async (named: string[], { whenOrphaned = false }: { whenOrphaned?: boolean }) => {
      if (whenOrphaned) await endOfInput();
      const restored = await unwrap(whenOrphaned ? "ended" : "every", named);
      for (const path of restored) say(`unloop: restored ${path}.`);
      if (restored.length === 0) say("unloop: no settings file needs to be restored.");
      done(0);
    });
}

/** Behind `--` alone stands a command; a name in front of it, or without it, is an agent's. */
function namedAgent(
  operands: readonly string[],
  argv: readonly string[],
): { readonly name: string | undefined; readonly rest: readonly string[] } {
  const [first, ...others] = operands;
  const dashes = argv.indexOf("--");
  const isBehindDashes = dashes !== -1 && argv.length - dashes - 1 >= operands.length;
  if (isBehindDashes) return { name: undefined, rest: operands };
  return { name: first, rest: others[0] === "--" ? others.slice(1) : others };
}

async function endOfInput(): Promise<void> {
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once("close", resolve));
}

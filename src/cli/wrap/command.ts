import type { Command } from "commander";
import { agents } from "./agents.ts";
import { wrap, wrappedBy } from "./wrap.ts";

type Done = (exitCode: number) => void;

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** `unloop wrap`. */
export function addWrapCommand(program: Command, done: Done): void {
  program
    .enablePositionalOptions()
    .command("wrap")
    .description("Run an agent behind a guard of its own; its settings files stay as they are.")
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

#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { UnloopError } from "../errors.ts";
import { version } from "../version.ts";

type AddCommands = (program: Command, done: (exitCode: number) => void) => void;

/** Where commands are, by their names: the one that is asked for is loaded, since loading all of them would take longer than most run. */
const FILES: readonly (readonly [names: readonly string[], load: () => Promise<AddCommands>])[] = [
  [["serve"], async () => (await import("./serve.ts")).addServeCommand],
  [["replay"], async () => (await import("./replay.ts")).addReplayCommand],
  [["demo"], async () => (await import("./demo.ts")).addDemoCommand],
  [["wrap"], async () => (await import("./wrap/wrap.ts")).addWrapCommand],
  [["doctor"], async () => (await import("./doctor/doctor.ts")).addDoctorCommand],
  [["check-config", "explain", "keys"], async () => (await import("./config-commands.ts")).addConfigCommands],
];

const ASKS_VERSION: ReadonlySet<string> = new Set(["--version", "-V"]);

const USAGE_ERROR = 2;

async function run(argv: readonly string[]): Promise<number> {
  expectClosedPipes();
  let code = 0;
  const program = new Command("unloop")
    .description("Stops LLM agents from going in circles.")
    .version(version)
    .exitOverride()
    .showHelpAfterError(false);
  try {
    for (const add of await commandsFor(argv[2] ?? ""))
      add(program, (exitCode) => {
        code = exitCode;
      });
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    return explain(error);
  }
}

/** All of them where none is named: help lists them, and a misspelt name is compared with theirs. */
async function commandsFor(first: string): Promise<readonly AddCommands[]> {
  if (ASKS_VERSION.has(first)) return [];
  const named = FILES.filter(([names]) => names.includes(first));
  return Promise.all((named.length === 0 ? FILES : named).map(([, load]) => load()));
}

/** EPIPE is no failure: the reader of our output may close it early (`unloop replay … | head`), and a server goes on without it. */
function expectClosedPipes(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  process.stderr.on("error", () => undefined);
}

function explain(error: unknown): number {
  // Commander has said it already, help and version included.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
  if (error instanceof UnloopError) {
    process.stderr.write(`unloop: ${error.message}\n`);
    return USAGE_ERROR;
  }
  throw error;
}

process.exitCode = await run(process.argv);

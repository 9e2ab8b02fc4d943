#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { type Flags, readSettings, type Setting, settingsTable } from "../config/config.ts";
import { UnloopError } from "../errors.ts";
import { serve } from "../node.ts";
import { presetNames } from "../policy/policy.ts";
import { addConfigCommands } from "./config-commands.ts";
import { addKeyCommands } from "./keys.ts";
import { demo } from "./demo.ts";
import { showPage } from "./demo-page.ts";
import { addDoctorCommand } from "./doctor/command.ts";
import { replayFiles } from "./replay-files.ts";
import { version } from "../version.ts";
import { serveUntilStopped } from "./serve.ts";
import { addWrapCommands } from "./wrap/command.ts";

/** Errors whose message does not say the cure itself. */
const SAYS_CURE: ReadonlySet<string> = new Set(["bad_input", "command_not_found"]);

/** Wrong usage, wrong settings, unreadable input. */
const USAGE_ERROR = 2;

expectClosedPipes();
process.exitCode = await run(process.argv);

async function run(argv: readonly string[]): Promise<number> {
  let code = 0;
  const program = commands((exitCode) => {
    code = exitCode;
  });
  try {
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    return explain(error);
  }
}

function commands(done: (exitCode: number) => void): Command {
  const program = new Command("unloop")
    .description("Stops LLM agents from going in circles.")
    .version(version)
    .exitOverride()
    .showHelpAfterError(false);
  const serving = program
    .command("serve")
    .description("Start the guard in front of an API. Settings are flags or UNLOOP_* variables.");
  for (const { flag, about } of Object.values<Setting>(settingsTable)) {
    if (flag !== undefined) serving.option(`${flag} <value>`, about);
  }
  serving.action(async (flags: Flags) => done(await serveUntilStopped({ env: process.env, flags })));
  program
    .command("replay")
    .description("Show what the guard would have done in recorded conversations.")
    .argument("<file...>", "JSON Lines or .json, optionally .gz; - is standard input")
    .option("--format <format>", "text, json (one object per line) or html (one page with all texts)", "text")
    .option("--policy <policy>", `one of ${presetNames.join(", ")}, or a policy as JSON`, "default")
    .action(async (files: string[], options: { format: string; policy: string }) =>
      done(await replayFiles(files, options)),
    );
  program
    .command("demo")
    .description("Watch an agent loop, without the guard and with it. No data leaves this machine.")
    .option("--page", "also show both runs as a page")
    .action(async ({ page }: { page?: true }) => {
      const { stdout } = process;
      const show = (text: string) => showPage(text, stdout, stdout.isTTY);
      done(await demo({ out: stdout, serve: guardFor, ...(page && { show }) }));
    });
  addWrapCommands(program, done);
  addDoctorCommand(program, done);
  addConfigCommands(program, done);
  addKeyCommands(program, done);
  return program;
}

async function guardFor(upstream: string): Promise<{ url: string; close(): Promise<void> }> {
  const settings = readSettings({ UNLOOP_UPSTREAM: upstream, UNLOOP_PORT: "0", UNLOOP_LOG: "silent" }, {}, presetNames);
  const { url, drain } = await serve(settings);
  return { url, close: () => drain(0) };
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
    process.stderr.write(`unloop: ${error.message}${SAYS_CURE.has(error.code) ? ` ${error.cure}` : ""}\n`);
    return USAGE_ERROR;
  }
  throw error;
}

import type { Command } from "commander";
import { UnloopError } from "../errors.ts";
import { readPageFile } from "../node.ts";
import { type Policy, policyNamed, presetNames } from "../policy/policy.ts";
import { reportParts } from "../page/page.ts";
import { play, type Played, readConversations, reportedConversation, visible } from "./replay.ts";

interface Format {
  readonly begin: string;
  readonly piece: (played: Played) => string;
  readonly end: string;
}

export function addReplayCommand(program: Command, done: (exitCode: number) => void): void {
  program
    .command("replay")
    .description("Show what the guard would have done in recorded conversations.")
    .argument("<file...>", "JSON Lines or .json, optionally .gz; - is standard input")
    .option("--format <format>", "text, json (one object per line) or html (one page with all texts)", "text")
    .option("--policy <policy>", `one of ${presetNames.join(", ")}, or a policy as JSON`, "default")
    .action(async (files: string[], options: ReplayOptions) => done(await replayFiles(files, options)));
}

interface ReplayOptions {
  readonly format: string;
  readonly policy: string;
}

async function replayFiles(files: readonly string[], options: ReplayOptions): Promise<0 | 2> {
  const policy = policyNamed(options.policy, "--policy");
  const format = await formatNamed(options.format, policy, files);
  let code: 0 | 2 = 0;
  let begun = false;
  for (const file of files) {
    let isEmpty = true;
    for await (const { where, id, record } of readConversations(file, process.stdin)) {
      isEmpty = false;
      if (!begun) await write(format.begin);
      begun = true;
      const played = play(id, record, policy);
      if (played !== undefined) await write(format.piece(played));
      else {
        code = 2;
        process.stderr.write(`unloop: ${visible(where)} is not a conversation: it has no list of messages. Skipped.\n`);
      }
    }
    if (isEmpty)
      process.stderr.write(`unloop: ${file === "-" ? "standard input" : visible(file)} contains no conversation.\n`);
  }
  await write(begun ? format.end : format.begin + format.end);
  return code;
}

async function formatNamed(name: string, policy: Policy, files: readonly string[]): Promise<Format> {
  if (name === "text") return { begin: "", piece: textReport, end: "" };
  if (name === "json") return { begin: "", piece: ({ replayed }) => `${JSON.stringify(replayed)}\n`, end: "" };
  if (name !== "html")
    throw new UnloopError("bad_setting", `--format must be text, json or html, not ${JSON.stringify(name)}.`);
  const { begin, piece, end } = await reportParts(readPageFile, `Unloop: ${files.join(", ")}`);
  return { begin, piece: (played) => piece(reportedConversation(played, policy)), end };
}

/** Waits for a slow reader: a long replay into a pipe must not pile up in memory. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once("drain", resolve));
}

function textReport({ replayed }: Played): string {
  const { steps, findings } = replayed;
  const found = findings.length === 0 ? "no loop" : findings.length === 1 ? "1 finding" : `${findings.length} findings`;
  const lines = findings.map(
    ({ turn, rung, detector, note }) => `  turn ${turn}: ${rung} (${detector}) ${visible(note)}`,
  );
  return `${[`${visible(replayed.id)}: ${steps} steps, ${found}`, ...lines].join("\n")}\n`;
}

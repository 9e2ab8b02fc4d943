import type { Command } from "commander";
import { WriteStream } from "node:tty";
import { styleText } from "node:util";
import { UnloopError } from "../errors.ts";
import { readPageFile } from "../node.ts";
import { type Policy, policyNamed, presetNames } from "../policy/policy.ts";
import { type Cell, type Drawing, drawLane, drawnStep, reportParts } from "../page/page.ts";
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
  const { stdout } = process;
  // hasColors() also respects NO_COLOR.
  const coloured = stdout instanceof WriteStream && stdout.hasColors();
  if (name === "text") return { begin: "", piece: (played) => textReport(played, coloured), end: "" };
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

function textReport({ replayed, fingerprints, interventions }: Played, coloured: boolean): string {
  const { steps, findings } = replayed;
  const id = visible(replayed.id);
  if (findings.length === 0) return `${id}: ${steps} steps, no loop\n`;
  const acts = interventions.map(({ at, ...rest }) => ({ step: at, ...rest }));
  const lane = laneText(drawLane(fingerprints.map(drawnStep), acts), coloured);
  const lines = findings.map(
    ({ turn, rung, detector, note }) => `  turn ${turn}: ${rung} (${detector}) ${visible(note)}`,
  );
  const title = `${id}: ${steps} steps, ${findings.length === 1 ? "1 finding" : `${findings.length} findings`}`;
  return `${[title, `  ${lane}`, ...lines].join("\n")}\n`;
}

const COLOURS = ["red", "cyan", "yellow", "green", "magenta", "blue", "redBright", "cyanBright"] as const;
/** A letter takes little room, but a run of thousands must not fill the screen. In characters. */
const LONGEST = 2_000;

/** A lane for the terminal: a letter for each step that is repeated, laps in brackets, our acts where they were. */
function laneText({ cells, groups }: Drawing, coloured: boolean): string {
  const pieces = groups.map(({ from, to, laps, inLoop }) => {
    const texts = cells.slice(from, to + 1).map((cell) => cellText(cell, coloured));
    const bracket = (sign: string) => (coloured && inLoop ? styleText(["bold", "red"], sign) : sign);
    return laps === 1 ? texts.join("") : ` ${bracket("[")}${texts.join("")}${bracket(`]×${laps}`)} `;
  });
  return cut(pieces, LONGEST).trim();
}

/** From the end, since that is where a run stuck. */
function cut(pieces: readonly string[], longest: number): string {
  const lines: string[] = [];
  let length = 0;
  for (const piece of pieces.toReversed()) {
    length += piece.length;
    if (length > longest && lines.length > 0) return `… ${lines.toReversed().join("")}`;
    lines.push(piece);
  }
  return lines.toReversed().join("");
}

const SHORT_ACTS: Readonly<Record<string, string>> = { "force-done": "force", "short-circuit": "end" };

function cellText({ letter, outcome, hue, inLoop, acts, held }: Cell, coloured: boolean): string {
  const mark = `${letter || "·"}${outcome === "failed" ? "!" : ""}`;
  const made = [...acts, ...(held?.acts ?? [])].map(({ rung }) => SHORT_ACTS[rung] ?? rung);
  const act = made.length === 0 ? "" : `(${made.join(",")})`;
  if (!coloured || hue < 0) return `${mark}${act}`;
  const colour = COLOURS[hue % COLOURS.length] ?? "red";
  const marked = styleText(inLoop ? [colour, "bold"] : colour, mark);
  return `${marked}${act && styleText(["black", "bgYellow"], act)}`;
}

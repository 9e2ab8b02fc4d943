import type { Command } from "commander";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { UnloopError } from "../errors.ts";
import { readPageFile } from "../node.ts";
import { drawnStep, reportParts } from "../page/page.ts";
import { placeOnLadder, type Policy, policyNamed, presetNames } from "../policy/policy.ts";
import { type ParsedRequest, parseRecorded } from "../protocols/protocols.ts";
import { replayConversation } from "../session/session.ts";
import type { Step } from "../step.ts";
import { type Json, isObject } from "../text/is-object.ts";
import { keyedHash } from "../text/keyed-hash.ts";
import { whyUnreadable } from "../why-unreadable.ts";

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

/** A text of the report is cut to this, its middle left out. In characters. */
const LONGEST = 20_000;

/** A played conversation as its report tells it: with the texts, since the file is the user's own. */
export function reportedConversation(played: Played, policy: Policy) {
  const { replayed, conversation, fingerprints, interventions } = played;
  return {
    id: replayed.id,
    mode: "observe",
    task: cut(conversation.opening.join("\n\n")),
    steps: fingerprints.map((fingerprint, i) => ({
      ...drawnStep(fingerprint, i),
      text: textOf(conversation.steps[i] ?? { calls: [], text: "", heard: [] }),
    })),
    findings: interventions.map(({ at, detector, grade, rung, count, evidence, tools = [], note }) => ({
      ...{ step: at, detector, grade: grade ?? null, rung, count, evidence, tools, note },
      ...placeOnLadder(policy, { detector, tools, count, ...(grade !== undefined && { grade }) }, rung),
    })),
  };
}

function textOf({ calls, text, heard }: Step) {
  return {
    calls: calls.map(({ tool, args, outcome }) => ({
      ...{ tool, args: cut(args) },
      outcome: outcome === undefined ? null : cut(outcome.text),
    })),
    said: cut(text),
    heard: heard.map(cut),
  };
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  const half = LONGEST / 2;
  return `${text.slice(0, half)}\n… ${text.length - LONGEST} characters left out …\n${text.slice(-half)}`;
}

/** Signatures are only compared within one conversation here: any secret will do, and a fixed one repeats its output. */
const sign = keyedHash("replay");

export type Played = NonNullable<ReturnType<typeof play>>;

/** Plays a recorded conversation step by step through detectors and policy. Undefined: not a conversation. */
export function play(id: string, record: unknown, policy: Policy) {
  const conversation = readRecord(record)?.conversation;
  if (conversation === undefined) return undefined;
  const { fingerprints, interventions } = replayConversation(conversation, { sign, policy });
  // As the policy would act in enforce mode; a turn is the index, among the assistant's messages, of the one that completed it.
  const findings = interventions.map(({ at: turn, detector, rung, count, loop, note }) => {
    return { turn, detector, rung, count, loop, note };
  });
  const replayed = { id, steps: fingerprints.length, first: findings[0] ?? null, findings };
  return { replayed, conversation, fingerprints, interventions };
}

/** A request body, an object that holds one (a recorded exchange does), or a bare list of messages. */
function readRecord(record: unknown): ParsedRequest | undefined {
  const request = memberOf(record, "request");
  for (const body of [record, request, memberOf(request, "body"), memberOf(record, "body")]) {
    const parsed = body === undefined ? undefined : parseRecorded(body as Json);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

interface Recorded {
  readonly where: string;
  readonly id: string;
  readonly record: unknown;
}

/** JSON Lines, or one JSON value that may be a list; gzip or not. `-` is standard input. @throws UnloopError `bad_setting` */
async function* readConversations(file: string, stdin: Readable): AsyncGenerator<Recorded> {
  const whole = /\.json(\.gz)?$/.test(file);
  try {
    const bytes = await unzipped(file === "-" ? stdin : createReadStream(file));
    yield* whole ? conversationsIn(parsed(await text(bytes), file), file, 0) : lines(file, bytes);
  } catch (error) {
    if (error instanceof UnloopError) throw error;
    const why = whyUnreadable(error);
    if (why === undefined) throw badInput(`${file}: ${error instanceof Error ? error.message : error}.`, error);
    throw new UnloopError("bad_setting", visible(`${file} cannot be read: ${why}. Correct the path.`), {
      cause: error,
    });
  }
}

/** Bytes of the source, unpacked if their first two are gzip's. */
async function unzipped(source: Readable): Promise<Readable> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  const again = Readable.from(
    (async function* () {
      if (!first.done) yield first.value;
      yield* { [Symbol.asyncIterator]: () => pieces };
    })(),
  );
  const isGzip = !first.done && first.value[0] === 0x1f && first.value[1] === 0x8b;
  // `pipeline` passes a failure of either stream on to the other, so the reader sees it.
  return isGzip ? pipeline(again, createGunzip(), () => undefined) : again;
}

async function* lines(file: string, bytes: Readable): AsyncGenerator<Recorded> {
  let number = 0;
  const opened: string[] = [];
  for await (const line of createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    // No line of JSON Lines is a bracket alone: this is one value, set out on many lines.
    if (opened.length > 0 || (number === 1 && /^\ufeff?\s*[[{]\s*$/.test(line))) opened.push(line);
    else if (line.trim() !== "") {
      yield* conversationsIn(parsed(line, `${file}:${number}`), `${file}:${number}`, number - 1);
    }
  }
  if (opened.length > 0) yield* conversationsIn(parsed(opened.join("\n"), `${file}:1`), file, 0);
}

/** A value that is a list, but not of messages, is a list of conversations. */
function* conversationsIn(value: unknown, where: string, index: number): Generator<Recorded> {
  const isMessage = (item: unknown) => typeof item === "object" && item !== null && "role" in item;
  if (!Array.isArray(value) || value.some(isMessage)) yield recorded(where, index, value);
  else for (const [i, record] of value.entries()) yield recorded(`${where}[${i}]`, i, record);
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw badInput(`${where} is not JSON: ${why}.`, error);
  }
}

function badInput(why: string, cause: unknown): UnloopError {
  const cure = "Use JSON Lines with one conversation per line, or a single JSON value; .gz works too.";
  return new UnloopError("bad_setting", `${visible(why)} ${cure}`, { cause });
}

function recorded(where: string, index: number, record: unknown): Recorded {
  const own = memberOf(record, "id");
  return { where, id: typeof own === "string" || typeof own === "number" ? String(own) : String(index), record };
}

/** A text from outside for a terminal: what would move its cursor, colour it or turn its direction stands there as an escape. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

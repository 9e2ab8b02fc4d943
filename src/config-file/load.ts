import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { type Flags, readSettings, type Settings } from "../config/config.ts";
import { UnloopError } from "../errors.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import { whyUnreadable } from "../why-unreadable.ts";
import { configure, type Configured } from "./configured.ts";
import { type FileProblem, readConfigFile, settingsIn } from "./read.ts";

/** Where a start takes its settings from. */
export interface SettingSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Flags;
  /** Text of the configuration file, where it was read already: a pipe has it once. */
  readonly text?: string;
}

/** Settings, and what the files that they name amount to. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** Undefined where there is no configuration file. */
  readonly configured: Configured | undefined;
  /** All files that were read, secrets included. */
  readonly files: FileStates;
}

/**
 * Reads flags, environment, configuration file, and the files with secrets that these name.
 * @param before what the file amounted to when it was read before
 * @throws UnloopError `bad_setting`, with every mistake of a file on a line of its own
 */
export function loadSettings({ env, flags, text: given }: SettingSources, before?: Configured): LoadedSettings {
  const seen = new Map<string, string>();
  const noted = (path: string) => {
    seen.set(path, stateOf(path));
    return path;
  };
  const path = flags.config ?? env.UNLOOP_CONFIG;
  const text = given ?? (path === undefined || path === "" ? undefined : fileText(noted(path)));
  const read = text === undefined ? undefined : readConfigFile(text);
  if (read !== undefined && "problems" in read) throw refused(path ?? "", read.problems);
  const file = read?.file;
  const settings = readSettings(env, flags, settingsIn(file));
  const readFile = (secret: string) => secretIn(noted(secret));
  const configured = file && configure(file, settings, { env, readFile, sha256: sha256Hex }, before);
  if (configured !== undefined && "problems" in configured) throw refused(path ?? "", configured.problems);
  return { settings, configured, files: [...seen] };
}

/** A file's mistakes, each with its place. */
export function problemLines(path: string, problems: readonly FileProblem[]): readonly string[] {
  return problems.map(({ line, column, message }) => `${path}:${line}:${column} ${message}`);
}

function refused(path: string, problems: readonly FileProblem[]): UnloopError {
  return new UnloopError("bad_setting", problemLines(path, problems).join("\n"));
}

/** @param namedBy what the operator corrects where the file cannot be read */
export function fileText(path: string, namedBy = "UNLOOP_CONFIG or --config"): string {
  try {
    return boundedText(path);
  } catch (error) {
    const why = whyUnreadable(error) ?? (error instanceof Error ? error.message : String(error));
    // What stands in a variable without a folder or an ending may be the secret itself.
    const isPath = !namedBy.startsWith("UNLOOP_") || /[\\/]|\.(?:ya?ml|json|txt)$/.test(path);
    const file = isPath ? path : "The file";
    throw new UnloopError("bad_setting", `${file} cannot be read: ${why}. Correct ${namedBy}.`, { cause: error });
  }
}

/** Undefined for what cannot be read: whose secret it is says the mistake. */
function secretIn(path: string): string | undefined {
  try {
    return boundedText(path);
  } catch {
    return undefined;
  }
}

/** Files, each with its state when it was read. */
export type FileStates = readonly (readonly [path: string, state: string])[];

/** How often files are looked at. By their state and not by events, which mounted volumes and symbolic links do not give. */
const LOOK_MS = 250;

/**
 * Calls back when one of the files has changed and two looks have seen it the same since, so that none is read while it is being
 * written; and on SIGHUP. What has changed since they were read is a change, too.
 * @param onChange gives the files that were read then; undefined where what was read is not taken
 * @returns what ends it
 */
export function watchFiles(files: FileStates, onChange: () => FileStates | undefined): () => void {
  let applied = files;
  let seen = files;
  const states = () => applied.map(([path]) => [path, stateOf(path)] as const);
  const reread = () => {
    const now = states();
    applied = onChange() ?? now;
    seen = applied;
  };
  const look = () => {
    const now = states();
    if (!areEqual(now, applied) && areEqual(now, seen)) reread();
    else seen = now;
  };
  const timer = setInterval(look, LOOK_MS).unref();
  process.on("SIGHUP", reread);
  return () => {
    clearInterval(timer);
    process.off("SIGHUP", reread);
  };
}

function areEqual(a: FileStates, b: FileStates): boolean {
  return a.every(([, state], i) => state === b[i]?.[1]);
}

/** Changes with the file; a file that is away for a moment is one in the middle of being replaced, and a pipe was read to its end. */
function stateOf(path: string): string {
  const state = statSync(path, { throwIfNoEntry: false });
  return !state?.isFile() ? "" : `${state.mtimeMs} ${state.size} ${state.ino}`;
}

/** More than any file of settings, tokens or a secret has. A device has no end. In bytes. */
const MAX_BYTES = 16_000_000;
/** A program that writes to a pipe may take so long, with all of it. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 5;

/**
 * The text of a file, or of a pipe such as `<(command)`, which has it once. Blocks, at most as long as a pipe may take.
 * @throws what the operating system says, or an Error that tells in words which bound it passed
 */
function boundedText(path: string): string {
  // A pipe that nobody writes to would not even open otherwise.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const pieces: Buffer[] = [];
    const deadline = performance.now() + PATIENCE_MS;
    for (let size = 0; size <= MAX_BYTES; ) {
      const piece = nextPiece(file);
      if (piece?.length === 0) return Buffer.concat(pieces).toString("utf8");
      if (performance.now() > deadline) throw new Error(`it has not ended within ${PATIENCE_MS / 1_000} s`);
      if (piece === undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      else pieces.push(piece);
      size += piece?.length ?? 0;
    }
    throw new Error(`it has more than ${MAX_BYTES / 1_000_000} MB`);
  } finally {
    closeSync(file);
  }
}

/** Empty at the end; undefined where a pipe has nothing yet. */
function nextPiece(file: number): Buffer | undefined {
  const piece = Buffer.allocUnsafe(65_536);
  try {
    return piece.subarray(0, readSync(file, piece));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return undefined;
    throw error;
  }
}

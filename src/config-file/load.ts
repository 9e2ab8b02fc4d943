import { closeSync, openSync, readSync, statSync } from "node:fs";
import { type Flags, readSettings, type Settings } from "../config/config.ts";
import { UnloopError } from "../errors.ts";
import { whyUnreadable } from "../why-unreadable.ts";
import { configure, type Configured } from "./configured.ts";
import { readConfigFile, settingsIn } from "./read.ts";

export interface SettingSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Flags;
  /** Text of the configuration file, where it was read already: a pipe has it once. */
  readonly text?: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly configured: Configured | undefined;
  readonly files: FileStates;
}

/** Reads flags, environment, configuration file, and the files with secrets. @param before what the file amounted to before @throws UnloopError `bad_setting` */
export function loadSettings({ env, flags, text: given }: SettingSources, before?: Configured): LoadedSettings {
  const seen = new Map<string, string>();
  const noted = (path: string) => {
    seen.set(path, stateOf(path));
    return path;
  };
  const path = flags.config ?? env.UNLOOP_CONFIG;
  const isStart = before === undefined;
  const text =
    given ??
    (path === undefined || path === "" ? undefined : fileText(noted(path), "UNLOOP_CONFIG or --config", isStart));
  const file = text === undefined ? undefined : readConfigFile(text, path ?? "");
  const settings = readSettings(env, flags, settingsIn(file));
  const readFile = (secret: string) => secretIn(noted(secret), isStart);
  const configured = file && configure(file, settings, { env, readFile }, before);
  return { settings, configured, files: [...seen] };
}

/** @param namedBy what the operator corrects where the file cannot be read */
export function fileText(path: string, namedBy: string, isStart = true): string {
  try {
    return boundedText(path, isStart);
  } catch (error) {
    const why = whyUnreadable(error) ?? (error instanceof Error ? error.message : String(error));
    // What stands in a variable without a folder or an ending may be the secret itself.
    const isPath = !namedBy.startsWith("UNLOOP_") || /[\\/]|\.(?:ya?ml|json|txt)$/.test(path);
    const file = isPath ? path : "The file";
    throw new UnloopError("bad_setting", `${file} cannot be read: ${why}. Correct ${namedBy}.`, { cause: error });
  }
}

/** Undefined for what cannot be read: whose secret it is says the mistake. */
function secretIn(path: string, isStart: boolean): string | undefined {
  try {
    return boundedText(path, isStart);
  } catch {
    return undefined;
  }
}

export type FileStates = readonly (readonly [path: string, state: string])[];

/** How often files are looked at. By their state and not by events, which mounted volumes and symbolic links do not give. */
const LOOK_MS = 250;

/** Calls back on SIGHUP, and when two looks have seen a changed file the same. @param onChange gives the files that were read; undefined where none is taken */
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

/** More than any file of settings, tokens or a secret has. In bytes. */
const MAX_BYTES = 16_000_000;

/** The text of a file, or of a pipe such as `<(command)`, to whose end a start waits: a running server must not. */
function boundedText(path: string, isStart: boolean): string {
  const state = statSync(path);
  if (state.isCharacterDevice()) throw new Error("it is a device");
  if (state.isFIFO() && !isStart) throw new Error("it is a pipe, which only a start reads");
  const file = openSync(path, "r");
  try {
    // The size of a pipe is told by nothing but its end.
    const pieces: Buffer[] = [];
    for (let size = 0; size <= MAX_BYTES; ) {
      const piece = Buffer.alloc(64 * 1024);
      const read = readSync(file, piece);
      if (read === 0) return Buffer.concat(pieces).toString("utf8");
      size += read;
      pieces.push(piece.subarray(0, read));
    }
    throw new Error(`it has more than ${MAX_BYTES / 1_000_000} MB`);
  } finally {
    closeSync(file);
  }
}

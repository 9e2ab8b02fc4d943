import { readFileSync, statSync } from "node:fs";
import { type Flags, readSettings, type Settings } from "../config/config.ts";
import { UnloopError } from "../errors.ts";
import { sha256Hex } from "../keyed-hash.ts";
import { presetNames } from "../policy/policy.ts";
import { type Configured, configure } from "./configured.ts";
import { type FileProblem, readConfigFile } from "./read.ts";

/** Where a start takes its settings from. */
export interface SettingSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Flags;
}

/** Settings, and what the configuration file amounts to where there is one. */
export interface LoadedSettings {
  readonly settings: Settings;
  readonly configured: Configured | undefined;
  /** The file's state when it was read. */
  readonly fileState: string;
}

/**
 * Reads flags, environment and configuration file. @param before what the file amounted to when it was read before
 * @throws UnloopError `bad_setting`, with every mistake of the file on a line of its own
 */
export function loadSettings({ env, flags }: SettingSources, before?: Configured): LoadedSettings {
  const path = flags.config ?? env.UNLOOP_CONFIG;
  if (path === undefined || path === "")
    return { settings: readSettings(env, flags, presetNames), configured: undefined, fileState: "" };
  const fileState = stateOf(path);
  const read = readConfigFile(textOf(path));
  if ("problems" in read) throw refused(path, read.problems);
  const { file } = read;
  const settings = readSettings(env, flags, [...presetNames, ...file.policies.keys()], file.settings);
  const configured = configure(file, settings, { env, readFile: secretIn, sha256: sha256Hex }, before);
  if ("problems" in configured) throw refused(path, configured.problems);
  return { settings, configured, fileState };
}

/** A file's mistakes, each with its place. */
export function problemLines(path: string, problems: readonly FileProblem[]): readonly string[] {
  return problems.map(({ line, column, message }) => `${path}:${line}:${column} ${message}`);
}

function refused(path: string, problems: readonly FileProblem[]): UnloopError {
  return new UnloopError("bad_setting", problemLines(path, problems).join("\n"));
}

export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new UnloopError("bad_setting", `${path} cannot be read (${why}); correct UNLOOP_CONFIG or --config.`);
  }
}

/** Undefined for what cannot be read: whose secret it is says the mistake. */
function secretIn(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** How often the file is looked at. By its state and not by events, which mounted volumes and symbolic links do not give. */
const LOOK_MS = 500;

/**
 * Calls back when the file has changed, and on SIGHUP. @param known its state when it was read: what has changed since is
 * a change, too
 * @returns what ends it
 */
export function watchConfig(path: string, known: string, onChange: () => void): () => void {
  let seen = known;
  const look = () => {
    const now = stateOf(path);
    if (now === seen) return;
    seen = now;
    onChange();
  };
  const timer = setInterval(look, LOOK_MS).unref();
  process.on("SIGHUP", onChange);
  return () => {
    clearInterval(timer);
    process.off("SIGHUP", onChange);
  };
}

/** Changes with the file; a file that is away for a moment is one in the middle of being replaced. */
function stateOf(path: string): string {
  const state = statSync(path, { throwIfNoEntry: false });
  return state === undefined ? "" : `${state.mtimeMs} ${state.size} ${state.ino}`;
}

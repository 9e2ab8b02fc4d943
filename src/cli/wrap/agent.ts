import { basename, dirname, join } from "node:path";
import { type ConfigFormat, withValue } from "./config-text.ts";

/** The variables that a process is started with. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What an agent is started among: its settings are read from here, and nothing is written. */
export interface AgentEnvironment {
  readonly env: Environment;
  readonly home: string;
  readonly cwd: string;
  /** The user's own arguments for the agent. */
  readonly args: readonly string[];
  /** The folder in which changed copies of its files will stand. */
  readonly scratch: string;
  /** The text of a file; undefined where there is none, or it cannot be read. */
  read(path: string): string | undefined;
}

/** A value of a configuration file, by the keys and indexes that lead to it. */
export interface ConfigValue {
  readonly at: readonly (string | number)[];
  readonly value: string;
}

/** A changed copy of a configuration file, which the agent is told to read in its place. */
export interface FileCopy {
  readonly at: string;
  readonly text: string;
  /** The agent's own file, which is to have what the agent changes; undefined where there is none. */
  readonly source: string | undefined;
  /** The guard's base URLs in the text, each with the one that it stands for. */
  readonly through: readonly (readonly [guard: string, url: string])[];
}

/** Wiring: the changes that put a guard between an agent and its APIs. */
export interface Wiring {
  readonly environment: Readonly<Record<string, string>>;
  /** In front of the user's own. */
  readonly args: readonly string[];
  /** The user's own arguments, changed where one of them would lead past the guard. */
  readonly own?: readonly string[];
  readonly copies: readonly FileCopy[];
}

/** Takes a base URL that the agent would use, and gives the one that leads there through the guard. */
export type Through = (baseUrl: string) => string;

/** A known agent: its command, and its own ways to be told a base URL. */
export interface Agent {
  /** As it is typed: `unloop wrap claude`. */
  readonly name: string;
  readonly title: string;
  readonly command: string;
  wire(surroundings: AgentEnvironment, through: Through): Wiring;
}

export const OPENAI = "https://api.openai.com/v1";
export const ANTHROPIC = "https://api.anthropic.com";
export const GEMINI = "https://generativelanguage.googleapis.com";
/** A host for each region: a guard finds it in the path of each request. */
export const VERTEX = "https://aiplatform.googleapis.com";
export const OLLAMA = "http://127.0.0.1:11434";

/** Leads there without a prefix of the guard's where a request's path says the host. */
export function ledThrough(through: Through, baseUrl: string): string {
  const url = through(baseUrl);
  return baseUrl.startsWith(VERTEX) ? new URL(url).origin + baseUrl.slice(VERTEX.length) : url;
}

/** This folder and those around it, the nearest first: up to the root of its repository, else to that of the disk. */
export function foldersAround({ cwd, read }: Pick<AgentEnvironment, "cwd" | "read">): {
  readonly folders: readonly string[];
  readonly repository: string | undefined;
} {
  const folders = [cwd];
  for (let folder = cwd; folder !== dirname(folder); folder = dirname(folder)) folders.push(dirname(folder));
  // Of a worktree or a submodule it is a file.
  const isRoot = (folder: string) => (read(join(folder, ".git", "HEAD")) ?? read(join(folder, ".git"))) !== undefined;
  const repository = folders.find(isRoot);
  return {
    folders: repository === undefined ? folders : folders.slice(0, folders.indexOf(repository) + 1),
    repository,
  };
}

/** Texts of `FOLDER/.env` and `.env`: the nearest up to the root of the disk first, those of the home folder after all others. */
export function envFiles({ cwd, home, read }: AgentEnvironment, folder: string): readonly string[] {
  const { folders } = foldersAround({ cwd, read: () => undefined });
  const paths = [...folders, home].flatMap((one) => [join(one, folder, ".env"), join(one, ".env")]);
  return paths.flatMap((path) => read(path) ?? []);
}

/** What a `.env` file says of a variable. */
export function valueIn(file: string, name: string): string | undefined {
  return new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=\\s*["']?([^"'\\s#]+)`, "m").exec(file)?.[1];
}

/** The copy of a configuration file with base URLs that lead through the guard. */
export function copyThrough(
  { read, scratch }: AgentEnvironment,
  source: string,
  format: ConfigFormat,
  bases: readonly ConfigValue[],
  through: Through,
): FileCopy {
  const led = bases.map(({ at, value }) => ({ at, value, guard: through(value) }));
  return {
    at: join(scratch, basename(source)),
    text: led.reduce((text, { at, guard }) => withValue(text, format, at, guard), read(source) ?? ""),
    source,
    through: led.map(({ value, guard }) => [guard, value] as const),
  };
}

import { basename, dirname, join } from "node:path";
import { applyEdits, type JSONPath, modify, parse as parseJson } from "jsonc-parser";
import { parseDocument } from "yaml";
import { isObject } from "../../text/is-object.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What an agent is started among: its settings are read from here, and nothing is written. */
export interface AgentEnvironment {
  readonly env: Environment;
  readonly home: string;
  readonly cwd: string;
  readonly args: readonly string[];
  /** The folder in which changed copies of its files will stand. */
  readonly scratch: string;
  /** The text of a file; undefined where there is none, or it cannot be read. */
  read(path: string): string | undefined;
}

/** A changed copy of a configuration file, which the agent is told to read in its place. */
export interface FileCopy {
  readonly at: string;
  readonly text: string;
  /** The agent's own file, which is to have what the agent changes; undefined where there is none. */
  readonly source?: string;
  /** The guard's base URLs in the text, each with the one that it stands for. */
  readonly through?: readonly (readonly [guard: string, url: string])[];
}

export interface Wiring {
  readonly environment?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The user's own arguments, changed where one of them would lead past the guard. */
  readonly own?: readonly string[];
  readonly copy?: FileCopy | undefined;
}

/** Takes a base URL that the agent would use, and gives the one that leads there through the guard. */
export type Through = (baseUrl: string) => string;

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

export function valueIn(file: string, name: string): string | undefined {
  return new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=\\s*["']?([^"'\\s#]+)`, "m").exec(file)?.[1];
}

type Path = readonly (string | number)[];
export type ConfigObject = Readonly<Record<string, unknown>>;

/** The copy of a configuration file with base URLs that lead through the guard, each at its path. */
export function copyThrough(
  { read, scratch }: AgentEnvironment,
  source: string,
  bases: readonly (readonly [at: Path, url: string])[],
  through: Through,
): FileCopy {
  const led = bases.map(([at, url]) => ({ at, url, guard: through(url) }));
  return {
    at: join(scratch, basename(source)),
    text: led.reduce((text, { at, guard }) => withValue(text, at, guard, source), read(source) ?? ""),
    source,
    through: led.map(({ url, guard }) => [guard, url] as const),
  };
}

/** The text with the value at the path; the rest of it stays as it is. @param file it is JSON without a name of YAML's */
export function withValue(text: string, path: Path, value: string, file = ""): string {
  if (/\.ya?ml$/.test(file)) {
    const document = parseDocument(text);
    document.setIn(path, value);
    return String(document);
  }
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: text.includes("\r\n") ? "\r\n" : "\n" };
  return applyEdits(text, modify(text, [...path] as JSONPath, value, { formattingOptions }));
}

/** The members of a JSON text with or without comments; none of anything else. */
export function jsonObject(text: string | undefined): ConfigObject {
  return parsedConfig(text, (json) => parseJson(json, [], { allowTrailingComma: true }));
}

/** The members of a configuration text; none where the parser refuses it: the agent itself will say what is wrong. */
export function parsedConfig(text: string | undefined, parser: (text: string) => unknown): ConfigObject {
  try {
    return text === undefined ? {} : configObjectIn(parser(text));
  } catch {
    return {};
  }
}

export function configObjectIn(value: unknown): ConfigObject {
  return isObject(value) ? value : {};
}

interface SaidOption {
  readonly value: string;
  /** Index of the argument that ends with the value. */
  readonly at: number;
  /** What stands before the value in the same argument, such as `--config=`. */
  readonly before: string;
}

/** Values of an option in the order in which they are given: `--name value`, `--name=value`, `-n value`, `-nvalue`. */
export function optionsIn(args: readonly string[], names: readonly string[]): readonly SaidOption[] {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? undefined : end).flatMap((arg, index) => {
    const next = args[index + 1];
    if (names.includes(arg)) return next === undefined ? [] : [{ value: next, at: index + 1, before: "" }];
    const before = names.map((name) => (name.startsWith("--") ? `${name}=` : name)).find((one) => arg.startsWith(one));
    return before === undefined ? [] : [{ value: arg.slice(before.length), at: index, before }];
  });
}

export function withOption(args: readonly string[], { at, before }: SaidOption, value: string): readonly string[] {
  return args.with(at, before + value);
}

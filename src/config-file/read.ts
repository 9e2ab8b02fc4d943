import type { FileSettings } from "../config/config.ts";
import { type Policy, policiesFrom } from "../policy/policy.ts";
import { removedAs } from "../removed.ts";
import { type Path, pathText, type Problem, read } from "../shapes/shapes.ts";
import { type Located, parseLocated, type Place } from "./locate.ts";
import { type ConfigFileText, configFileShape, fieldNames } from "./schema.ts";
import { mistakesIn, namesInVain } from "./mistakes.ts";

/** One mistake in a configuration file: its place, and a sentence that also says what would be right. */
export interface FileProblem extends Place {
  readonly message: string;
}

/** A configuration file without mistakes. */
export interface ConfigFile {
  /** Settings that it gives. */
  readonly settings: FileSettings;
  readonly policies: ReadonlyMap<string, Policy>;
  readonly text: ConfigFileText;
  /** Of a mistake that only shows when the file is put to use, such as a secret that is not there. */
  problemAt(path: Path, problem: string): FileProblem;
}

export type ReadConfig = { readonly file: ConfigFile } | { readonly problems: readonly FileProblem[] };

/** More than any configuration, and less than what would hold up a process. In characters. */
const MAX_CHARS = 4_000_000;

/** Reads a configuration file: every mistake is told, and nothing is taken of a file that has one. */
export function readConfigFile(source: string): ReadConfig {
  if (source.length > MAX_CHARS) return { problems: [{ line: 1, column: 1, message: "The file is too long." }] };
  const located = parseLocated(source);
  if (located.errors.length > 0)
    return { problems: located.errors.map(({ place, problem }) => ({ ...place, message: `${problem}.` })) };
  return readLocated(located, mistakesIn);
}

/**
 * Reads a configuration that is a value already, as a Worker's bindings are: it has no lines. What is wrong in silence only
 * `check-config --worker` finds, which reads the file itself: that much weighs too much for a Worker.
 */
export function readConfigValue(value: unknown): ReadConfig {
  return readLocated({ value, errors: [], placeOf: () => ({ line: 1, column: 1 }) });
}

/** @param silent too much for a Worker, and looked at only where a file is */
function readLocated(located: Located, silent: typeof mistakesIn = () => []): ReadConfig {
  const text = read(configFileShape, located.value);
  if ("problems" in text) return { problems: inOrder(text.problems, located) };
  const { policies, problems } = policiesFrom(text.value.policies ?? {});
  const wrong = [
    ...problems.map(({ path, problem }) => ({ path: ["policies", ...path], problem })),
    ...namesInVain(text.value),
    ...silent(text.value, policies),
  ];
  if (wrong.length > 0) return { problems: inOrder(wrong, located) };
  const file: ConfigFile = {
    settings: settingsOf(text.value),
    policies,
    text: text.value,
    problemAt: (path, problem) => problemAt(located, { path, problem }),
  };
  return { file };
}

function inOrder(problems: readonly Problem[], located: Located): readonly FileProblem[] {
  const known = fieldNames();
  return problems
    .map((problem) => problemAt(located, problem, known))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

/** A field that should not be there stands at its own place. */
function problemAt(located: Located, { path, problem, field }: Problem, known = fieldNames()): FileProblem {
  const place = located.placeOf(field === undefined ? path : [...path, field]);
  const gone = field === undefined ? undefined : removedField([...path, field]);
  if (gone !== undefined) return { ...place, message: gone };
  const at = path.length === 0 ? "The file" : pathText(path.map((part) => shownPart(part, known)));
  return { ...place, message: `${at} ${problem.replace(/([^.?])$/, "$1.")}` };
}

function removedField(path: Path): string | undefined {
  const name = path.filter((part) => typeof part === "string").join(".");
  const gone = removedAs("field", name);
  return gone && `${name} was removed. ${gone.instead}`;
}

/** Names that the file itself chooses stand at its line; here, where a secret may have slipped in, a star does. */
function shownPart(part: string | number, known: ReadonlySet<string>): string | number {
  return typeof part === "number" || known.has(part) ? part : "*";
}

/** What a file says of settings. */
export function settingsIn(file: ConfigFile | undefined) {
  return file && { file: file.settings, policies: [...file.policies.keys()] };
}

function settingsOf({ mode, policy, limits = {} }: ConfigFileText): FileSettings {
  return { ...(mode && { mode }), ...(policy && { policy }), ...limits };
}

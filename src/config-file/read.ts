import type { FileSettings } from "../config/config.ts";
import { type Policy, policiesFrom } from "../policy/policy.ts";
import { removedSentence } from "../removed.ts";
import { type InputShape, type Path, pathText, type Problem, read } from "../shapes/shapes.ts";
import { type Located, parseLocated, type Place } from "./locate.ts";
import { mistakesIn, namesInVain } from "./mistakes.ts";
import { type ConfigFileText, configFileShape } from "./schema.ts";

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
  problemAt(problem: Problem): FileProblem;
}

export type ReadConfig = { readonly file: ConfigFile } | { readonly problems: readonly FileProblem[] };

/** More than any configuration, and less than what would hold up a process. In characters. */
const MAX_CHARS = 4_000_000;

/** Reads a configuration file: every mistake is told, and nothing is taken of a file that has one. */
export function readConfigFile(source: string): ReadConfig {
  if (source.length > MAX_CHARS) return { problems: [{ line: 1, column: 1, message: "The file is too long." }] };
  const located = parseLocated(source);
  if (located.errors.length === 0) return readLocated(located, mistakesIn);
  return { problems: located.errors.map(({ place, problem }) => ({ ...place, message: `${problem}.` })) };
}

/**
 * Reads a configuration that is a value already, as a Worker's bindings are: it has no lines. What is wrong in silence only
 * `check-config --worker` finds, which reads the file itself: that much weighs too much for a Worker.
 */
export function readConfigValue(value: unknown): ReadConfig {
  return readLocated({ value, errors: [], placeOf: () => ({ line: 1, column: 1 }) }, () => []);
}

function readLocated(located: Located, silent: typeof mistakesIn): ReadConfig {
  const toFile = (problem: Problem) => problemAt(located, problem);
  const inOrder = (problems: readonly Problem[]) => ({
    problems: problems.map(toFile).sort((a, b) => a.line - b.line || a.column - b.column),
  });
  const checked = read(configFileShape, located.value);
  if ("problems" in checked) return inOrder(checked.problems);
  const { value: text } = checked;
  const { policies, problems } = policiesFrom(text.policies ?? {});
  const wrong = [
    ...problems.map(({ path, problem }) => ({ path: ["policies", ...path], problem })),
    ...namesInVain(text),
    ...silent(text),
  ];
  if (wrong.length > 0) return inOrder(wrong);
  const { mode, policy, limits = {} } = text;
  const settings: FileSettings = { ...(mode && { mode }), ...(policy && { policy }), ...limits };
  return { file: { settings, policies, text, problemAt: toFile } };
}

/** A field that should not be there stands at its own place. */
function problemAt(located: Located, { path, problem, field }: Problem): FileProblem {
  const place = located.placeOf(field === undefined ? path : [...path, field]);
  const name = [...path, field].filter((part) => typeof part === "string").join(".");
  const gone = removedSentence(name);
  if (field !== undefined && gone !== undefined) return { ...place, message: gone };
  const at = path.length === 0 ? "The file" : pathText(shownPath(path));
  return { ...place, message: `${at} ${problem.replace(/([^.?])$/, "$1.")}` };
}

/** Names that the file itself chooses stand at its line; here, where a secret may have slipped in, a star does. */
function shownPath(path: Path): Path {
  let shape: InputShape | undefined = configFileShape;
  return path.map((part) => {
    const field: InputShape | undefined = shape?.fields?.[part];
    shape = field ?? shape?.items;
    return typeof part === "number" || field !== undefined ? part : "*";
  });
}

/** What a file says of settings. */
export function settingsIn(file: ConfigFile | undefined) {
  return file && { file: file.settings, policies: [...file.policies.keys()] };
}

import type { FileSettings } from "../config/config.ts";
import { UnloopError } from "../errors.ts";
import { type Policy, policiesFrom } from "../policy/policy.ts";
import { type InputShape, type Path, pathText, type Problem, read } from "../shapes/shapes.ts";
import { type Located, parseLocated, type Place } from "./locate.ts";
import { mistakesIn, namesInVain } from "./mistakes.ts";
import { type ConfigFileText, configFileShape } from "./schema.ts";

export interface ConfigFile {
  readonly settings: FileSettings;
  readonly policies: ReadonlyMap<string, Policy>;
  readonly text: ConfigFileText;
  /** `bad_setting` for mistakes that only show when the file is put to use, such as a secret that is not there. */
  refused(problems: readonly Problem[]): UnloopError;
}

/** More than any configuration, and less than what would hold up a process. In characters. */
const MAX_CHARS = 4_000_000;

/** @param path begins each line that tells a mistake @throws UnloopError `bad_setting`, with a line for each: place, and what would be right */
export function readConfigFile(source: string, path: string): ConfigFile {
  if (source.length > MAX_CHARS) throw badFile([`${path}:1:1 The file is too long.`]);
  const lineAt = ({ line, column }: Place, message: string) => `${path}:${line}:${column} ${message}`;
  const located = parseLocated(source);
  if (located.errors.length === 0) return readLocated(located, lineAt, mistakesIn);
  throw badFile(located.errors.map(({ place, problem }) => lineAt(place, `${problem}.`)));
}

/** A configuration that is a value, as a Worker's bindings are. What is wrong in silence `check-config --worker` finds: it would weigh too much here. */
export function readConfigValue(value: unknown): ConfigFile {
  const located = { value, placeOf: () => ({ line: 1, column: 1 }) };
  return readLocated(
    located,
    (_, message) => `UNLOOP_CONFIG: ${message}`,
    () => [],
  );
}

const badFile = (lines: readonly string[]) => new UnloopError("bad_setting", lines.join("\n"));

function readLocated(
  { value, placeOf }: Pick<Located, "value" | "placeOf">,
  lineAt: (place: Place, message: string) => string,
  silent: typeof mistakesIn,
): ConfigFile {
  const refused = (problems: readonly Problem[]) => {
    // A field that should not be there stands at its own place.
    const told = problems.map(({ path, field, problem }) => {
      const at = field === undefined ? path : [...path, field];
      return { place: placeOf(at), message: messageOf(path, problem) };
    });
    const inOrder = told.sort(({ place: a }, { place: b }) => a.line - b.line || a.column - b.column);
    return badFile(inOrder.map(({ place, message }) => lineAt(place, message)));
  };
  const checked = read(configFileShape, value);
  if ("problems" in checked) throw refused(checked.problems);
  const { value: text } = checked;
  const { policies, problems } = policiesFrom(text.policies ?? {});
  const wrong = [
    ...problems.map(({ path, problem }) => ({ path: ["policies", ...path], problem })),
    ...namesInVain(text),
    ...silent(text),
  ];
  if (wrong.length > 0) throw refused(wrong);
  const { mode, policy, limits = {} } = text;
  return { settings: { ...(mode && { mode }), ...(policy && { policy }), ...limits }, policies, text, refused };
}

function messageOf(path: Path, problem: string): string {
  const at = path.length === 0 ? "The file" : pathText(shownPath(path));
  return `${at} ${problem.replace(/([^.?])$/, "$1.")}`;
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

export function settingsIn(file: ConfigFile | undefined) {
  return file && { file: file.settings, policies: [...file.policies.keys()] };
}

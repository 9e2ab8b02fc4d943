import { isObject } from "../../text/is-object.ts";
import { applyEdits, type JSONPath, modify, parse as parseJson } from "jsonc-parser";
import { parseDocument } from "yaml";

export type ConfigFormat = "json" | "yaml";
type Path = readonly (string | number)[];
type ConfigObject = Readonly<Record<string, unknown>>;

/** The members of a JSON text with or without comments; none of anything else. */
export function jsonObject(text: string | undefined): ConfigObject {
  return configObjectIn(text === undefined ? undefined : parseJson(text, [], { allowTrailingComma: true }));
}

/** The members of a configuration text; none where the parser refuses it: the agent itself will say what is wrong. */
export function parsedConfig(text: string | undefined, parser: (text: string) => unknown): ConfigObject {
  try {
    return configObjectIn(text === undefined ? undefined : parser(text));
  } catch {
    return {};
  }
}

export function configObjectIn(value: unknown): ConfigObject {
  return isObject(value) ? value : {};
}

/** The text with the value at the path; the rest of it stays as it is. */
export function withValue(text: string, format: ConfigFormat, path: Path, value: string): string {
  if (format === "yaml") return withYamlValue(text, path, value);
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: text.includes("\r\n") ? "\r\n" : "\n" };
  return applyEdits(text, modify(text, [...path] as JSONPath, value, { formattingOptions }));
}

function withYamlValue(text: string, path: Path, value: string): string {
  const document = parseDocument(text);
  document.setIn(path, value);
  return String(document);
}

/** A value on a command line, and where it stands. */
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

/** The same arguments with another value of an option. */
export function withOption(args: readonly string[], { at, before }: SaidOption, value: string): readonly string[] {
  return args.with(at, before + value);
}

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

import { isObject } from "../../text/is-object.ts";
import { applyEdits, type JSONPath, modify, parse as parseJson } from "jsonc-parser";
import { isMap, isNode, isScalar, parseDocument, type YAMLMap } from "yaml";
import type { FileChange } from "./agent.ts";

type Format = FileChange["format"];
type Path = readonly (string | number)[];
type ConfigObject = Readonly<Record<string, unknown>>;

/** Puts `text` in the place of `length` characters from `offset` on. */
export interface TextEdit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

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

/** The value at a path of a configuration text; undefined where there is none. */
export function valueAt(text: string, format: Format, path: Path): unknown {
  const root: unknown = format === "json" ? parseJson(text, [], { allowTrailingComma: true }) : parseYaml(text);
  return path.reduce<unknown>((value, key) => (isIndexable(value) ? value[key] : undefined), root);
}

/** What has to be changed so that the value stands at the path, or nothing does; the rest of the text stays as it is. */
export function configEdits(text: string, format: Format, path: Path, value: string | undefined): readonly TextEdit[] {
  if (format === "yaml") return yamlEdits(text, path, value);
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: text.includes("\r\n") ? "\r\n" : "\n" };
  return modify(text, [...path] as JSONPath, value, { formattingOptions }).map(({ offset, length, content }) => ({
    offset,
    length,
    text: content,
  }));
}

export function edited(text: string, edits: readonly TextEdit[]): string {
  return applyEdits(
    text,
    edits.map(({ offset, length, text: content }) => ({ offset, length, content })),
  );
}

/** The edits that make of the edited text the text that it was. */
export function inverseOf(text: string, edits: readonly TextEdit[]): readonly TextEdit[] {
  let shift = 0;
  return edits
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ offset, length, text: added }) => {
      const inverse = { offset: offset + shift, length: added.length, text: text.slice(offset, offset + length) };
      shift += added.length - length;
      return inverse;
    });
}

function isIndexable(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === "object" && value !== null;
}

function parseYaml(text: string): unknown {
  return parseDocument(text).toJS();
}

/** Of YAML the scalar alone is replaced, or a line added in front of its neighbours: printing it anew would lose its layout. */
function yamlEdits(text: string, path: Path, value: string | undefined): readonly TextEdit[] {
  const document = parseDocument(text);
  const existing = document.getIn(path, true);
  const key = path.at(-1);
  if (value !== undefined && isScalar(existing) && existing.range) {
    const [offset, end] = existing.range;
    return [{ offset, length: end - offset, text: JSON.stringify(value) }];
  }
  const parent = document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return [];
  return value === undefined
    ? removal(parent, key)
    : insertion(text, parent, `${String(key)}: ${JSON.stringify(value)}`);
}

function insertion(text: string, map: YAMLMap, member: string): readonly TextEdit[] {
  const offset = startOf(map.items[0]?.key);
  if (offset === undefined) return [];
  const column = offset - (text.lastIndexOf("\n", offset - 1) + 1);
  return [{ offset, length: 0, text: map.flow ? `${member}, ` : `${member}\n${" ".repeat(column)}` }];
}

/** A member that was put in front of others, up to the next one. */
function removal(map: YAMLMap, key: string | number | undefined): readonly TextEdit[] {
  const index = map.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === key);
  const offset = startOf(map.items[index]?.key);
  const next = startOf(map.items[index + 1]?.key);
  return offset === undefined || next === undefined ? [] : [{ offset, length: next - offset, text: "" }];
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

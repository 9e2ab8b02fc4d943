import { type Document, isMap, isPair, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLError } from "yaml";
import type { Path } from "../shapes/shapes.ts";

/** Where something stands in a file; both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A file that was read as YAML, which JSON is, too. */
export interface Located {
  readonly value: unknown;
  /** Syntax errors of the YAML. */
  readonly errors: readonly { readonly place: Place; readonly problem: string }[];
  /** Of a value, or of its name where it has one; where it is missing, of what it is missing from. */
  placeOf(path: Path): Place;
}

/** Deep or endless references would cost more than a file is worth. */
const MAX_ALIASES = 100;

type Code = YAMLError["code"];

/** Mistakes that the parser tells without a word of the file. */
const PLAIN: ReadonlySet<Code> = new Set<Code>([
  "BAD_INDENT",
  "BLOCK_AS_IMPLICIT_KEY",
  "BLOCK_IN_FLOW",
  "DUPLICATE_KEY",
  "MISSING_CHAR",
  "MULTILINE_IMPLICIT_KEY",
  "MULTIPLE_ANCHORS",
  "TAB_AS_INDENT",
]);

/** Mistakes that the parser tells with what stands in the file, which may be a secret, or in the words of its own users. */
const IN_WORDS: Partial<Readonly<Record<Code, string>>> = {
  TAG_RESOLVE_FAILED: "A tag (!name) means nothing here; write the value without a tag",
  BAD_ALIAS: "An alias (*name) must stand for something; a text that begins with a star stands in quotes",
  MULTIPLE_DOCS: "The file must be one document; remove what begins with ---",
};

export function parseLocated(text: string): Located {
  const lines = new LineCounter();
  // By itself the parser prints some warnings, with what stands in the file.
  const told = { lineCounter: lines, prettyErrors: false, logLevel: "error" } as const;
  // A tag makes of a text what no setting is: bytes, a set.
  const document = parseDocument(text, { ...told, resolveKnownTags: false });
  const placeAt = (offset: number): Place => {
    const { line, col: column } = lines.linePos(offset);
    return { line, column };
  };
  const syntax = [...document.errors, ...document.warnings].map(({ code, message, pos: [offset] }) => ({
    place: placeAt(offset),
    problem: PLAIN.has(code) ? message : (IN_WORDS[code] ?? "This is no YAML; what holds such signs stands in quotes"),
  }));
  const { value, errors } = syntax.length > 0 ? { value: undefined, errors: syntax } : valueIn(document);
  return {
    value,
    errors,
    placeOf: (path) => placeAt(offsetOf(document, path)),
  };
}

function valueIn(document: Document.Parsed): Pick<Located, "value" | "errors"> {
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), errors: [] };
  } catch {
    const problem = "Aliases (*name) stand for too much, or for nothing; write out what they stand for";
    return { value: undefined, errors: [{ place: { line: 1, column: 1 }, problem }] };
  }
}

function offsetOf(document: Document.Parsed, path: Path): number {
  let node: ParsedNode | null = document.contents;
  let offset = node?.range[0] ?? 0;
  for (const name of path) {
    const child = childOf(node, name);
    if (child === undefined) return offset;
    offset = child.offset;
    node = child.node;
  }
  return offset;
}

interface Child {
  readonly node: ParsedNode | null;
  readonly offset: number;
}

function childOf(node: ParsedNode | null, name: string | number): Child | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(name)];
    return item === undefined || isPair(item)
      ? undefined
      : { node: item as ParsedNode, offset: (item as ParsedNode).range[0] };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => String(key) === String(name));
  return pair === undefined ? undefined : { node: pair.value, offset: pair.key.range[0] };
}

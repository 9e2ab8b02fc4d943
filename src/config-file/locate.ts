import {
  type Document,
  isMap,
  isPair,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLError,
} from "yaml";
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

const STARRED =
  "An alias (*name) must stand for what an anchor (&name) before it marks; write that out, or put a text with a star in quotes";

/** Mistakes that the parser tells without a word of the file, and in words that anybody knows. */
const PLAIN: ReadonlySet<Code> = new Set<Code>(["MISSING_CHAR"]);

/** The others would be told with what stands in the file, which may be a secret, or in the words of the parser's own users. */
const IN_WORDS: Partial<Readonly<Record<Code, string>>> = {
  BAD_ALIAS: STARRED,
  BAD_INDENT: "What belongs together must begin in the same column; indent this line as its neighbours, or further in",
  BLOCK_AS_IMPLICIT_KEY: "This begins a mapping or a list behind a value; begin it on a line of its own, further in",
  BLOCK_IN_FLOW: "Within brackets or braces there are no lines with dashes or names; write [a, b] or { a: b }",
  DUPLICATE_KEY: "This name stands twice in one mapping; remove one of the two",
  MULTILINE_IMPLICIT_KEY: "This is no name with a value; write `name: value`, with a space behind the colon",
  MULTIPLE_ANCHORS: "A value can have one anchor (&name) only; remove the others",
  MULTIPLE_DOCS: "The file must be one document; remove what begins with ---",
  TAB_AS_INDENT: "Lines are indented with spaces here; replace the tab",
  TAG_RESOLVE_FAILED: "A tag (!name) means nothing here; write the value without a tag",
};

export function parseLocated(text: string): Located {
  const lines = new LineCounter();
  // By itself the parser prints some warnings, with what stands in the file.
  const options = { lineCounter: lines, prettyErrors: false, logLevel: "error" } as const;
  // A tag makes of a text what no setting is: bytes, a set.
  const document = parseDocument(text, { ...options, resolveKnownTags: false });
  const placeAt = (offset: number): Place => {
    const { line, col: column } = lines.linePos(offset);
    return { line, column };
  };
  const syntax = [...document.errors, ...document.warnings].map(({ code, message, pos: [offset] }) => ({
    place: placeAt(offset),
    problem: inWords(code, message),
  }));
  const told =
    syntax.length > 0 ? syntax : strayAliases(document).map((at) => ({ place: placeAt(at), problem: STARRED }));
  const { value, errors } = told.length > 0 ? { value: undefined, errors: told } : valueIn(document);
  return {
    value,
    errors,
    placeOf: (path) => placeAt(offsetOf(document, path)),
  };
}

function inWords(code: Code, message: string): string {
  const [, end] = /end with a ([\]}])$/.exec(message) ?? [];
  if (end !== undefined) return `A list or mapping in brackets must end with ${end}, further in than its name`;
  return PLAIN.has(code) ? message : (IN_WORDS[code] ?? "This is no YAML; what holds such signs stands in quotes");
}

/** Where aliases stand for nothing. */
function strayAliases(document: Document.Parsed): readonly number[] {
  const offsets: number[] = [];
  const known = new Set<string>();
  visit(document, {
    Value(_, { anchor }) {
      if (anchor !== undefined) known.add(anchor);
    },
    Alias(_, { source, range }) {
      if (!known.has(source)) offsets.push(range?.[0] ?? 0);
    },
  });
  return offsets;
}

function valueIn(document: Document.Parsed): Pick<Located, "value" | "errors"> {
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), errors: [] };
  } catch {
    const problem = "Aliases (*name) stand for too much; write out what they stand for";
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

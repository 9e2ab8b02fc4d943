import { type Document, isMap, isSeq, LineCounter, type ParsedNode, parseDocument, visit, type YAMLError } from "yaml";
import type { Path } from "../shapes/shapes.ts";

/** Where something stands in a file; both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Located {
  readonly value: unknown;
  readonly errors: readonly { readonly place: Place; readonly problem: string }[];
  /** Of a value, or of its name where it has one; where it is missing, of what it is missing from. */
  placeOf(path: Path): Place;
}

/** Deep or endless references would cost more than a file is worth. */
const MAX_ALIASES = 100;

const STARRED =
  "An alias (*name) must stand for what an anchor (&name) before it marks; write that out, or put a text with a star in quotes";

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
    problem: sentenceOf(code, message),
  }));
  const wrong =
    syntax.length > 0 ? syntax : strayAliases(document).map((at) => ({ place: placeAt(at), problem: STARRED }));
  const { value, errors } = wrong.length > 0 ? { value: undefined, errors: wrong } : valueIn(document);
  return { value, errors, placeOf: (path) => placeAt(offsetOf(document, path)) };
}

/** The parser's own sentence without what it quotes of the file, which may be a secret. */
function sentenceOf(code: YAMLError["code"], message: string): string {
  if (code === "BAD_ALIAS") return STARRED;
  if (code === "BAD_DIRECTIVE") return "No YAML: a line that begins with % means nothing here; remove it";
  const [sentence = ""] = message.split(/[:"%!]| token /);
  return `No YAML: ${sentence.trim()}; a text with special characters stands in quotes`;
}

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
    const pair = isMap(node) ? node.items.find(({ key }) => String(key) === String(name)) : undefined;
    const next = pair ? pair.value : isSeq(node) ? (node.items[Number(name)] as ParsedNode | undefined) : undefined;
    if (next === undefined) return offset;
    offset = pair ? pair.key.range[0] : (next?.range[0] ?? offset);
    node = next;
  }
  return offset;
}

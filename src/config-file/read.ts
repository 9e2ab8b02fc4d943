import { type Document, isMap, isSeq, LineCounter, type ParsedNode, parseDocument, visit, type YAMLError } from "yaml";
import type { FileSettings } from "../config/config.ts";
import { policiesFrom, type Policy } from "../policy/policy.ts";
import { removedAs } from "../removed.ts";
import { type Path, pathText, type Problem, read } from "../shapes/shapes.ts";
import { configFileShape, type ConfigFileText, fieldNames } from "./schema.ts";
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

/** Where something stands in a file; both from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** A file that was read as YAML, which JSON is, too. */
interface Located {
  readonly value: unknown;
  /** Syntax errors of the YAML. */
  readonly errors: readonly { readonly place: Place; readonly problem: string }[];
  /** Of a value, or of its name where it has one; where it is missing, of what it is missing from. */
  placeOf(path: Path): Place;
}

/** Deep or endless references would cost more than a file is worth. */
const MAX_ALIASES = 100;

const STARRED =
  "An alias (*name) must stand for what an anchor (&name) before it marks; write that out, or put a text with a star in quotes";

function parseLocated(text: string): Located {
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
    const pair = isMap(node) ? node.items.find(({ key }) => String(key) === String(name)) : undefined;
    const next = pair ? pair.value : isSeq(node) ? (node.items[Number(name)] as ParsedNode | undefined) : undefined;
    if (next === undefined) return offset;
    offset = pair ? pair.key.range[0] : (next?.range[0] ?? offset);
    node = next;
  }
  return offset;
}

/** Text in the formats that JSON Schema knows; unknown formats accept any text. */
const formats: ReadonlyMap<unknown, string> = new Map([
  ["date-time", "1970-01-01T00:00:00Z"],
  ["date", "1970-01-01"],
  ["time", "00:00:00Z"],
  ["duration", "PT0S"],
  ["email", "nobody@example.com"],
  ["idn-email", "nobody@example.com"],
  ["hostname", "example.com"],
  ["idn-hostname", "example.com"],
  ["ipv4", "0.0.0.0"],
  ["ipv6", "::"],
  ["uri", "https://example.com/"],
  ["iri", "https://example.com/"],
  ["uri-reference", "https://example.com/"],
  ["uri-template", "https://example.com/"],
  ["iri-reference", "https://example.com/"],
  ["url", "https://example.com/"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
  ["json-pointer", ""],
  ["regex", "x"],
  ["emoji", "🙂"],
]);

export function formatExample(format: unknown): string | undefined {
  return formats.get(format);
}

const anyText = new Set([
  "",
  "^",
  "$",
  "^$",
  ".*",
  "^.*$",
  ".+",
  "^.+$",
  ".",
  "\\S",
  "\\S+",
  "[\\s\\S]*",
  "^[\\s\\S]*$",
  "^[\\s\\S]+$",
]);

/** Whether the pattern lets through any text that is one line and not blank. */
export function allowsAnyText(pattern: unknown): boolean {
  return typeof pattern === "string" && pattern !== "^$" && anyText.has(pattern);
}

/**
 * A text that matches the pattern, its unbounded repeats repeated `extra` times more than they must be.
 * Undefined for what goes beyond literals, classes, groups, alternatives and counts. The pattern is never run.
 */
export function patternExample(pattern: string, extra: number): string | undefined {
  const reader: Reader = { pattern, at: 0, extra, depth: 0, size: 0 };
  const text = alternatives(reader);
  return text !== undefined && reader.at === pattern.length ? text : undefined;
}

interface Reader {
  readonly pattern: string;
  readonly extra: number;
  at: number;
  depth: number;
  size: number;
}

const maxChars = 10_000;
const maxDepth = 50;

function alternatives(reader: Reader): string | undefined {
  const first = sequence(reader);
  // The first alternative is as good as any; the others are read only to find the end.
  while (reader.pattern[reader.at] === "|") {
    reader.at += 1;
    if (sequence(reader) === undefined) return undefined;
  }
  return first;
}

function sequence(reader: Reader): string | undefined {
  const { pattern } = reader;
  let text = "";
  while (reader.at < pattern.length && pattern[reader.at] !== "|" && pattern[reader.at] !== ")") {
    if (isEdge(reader)) continue;
    const one = atom(reader);
    const times = one === undefined ? undefined : repeats(reader);
    if (one === undefined || times === undefined) return undefined;
    reader.size += one.length * times;
    if (reader.size > maxChars) return undefined;
    text += one.repeat(times);
  }
  return text;
}

/** Anchors are understood only where they stand at the edge of an outermost alternative. */
function isEdge(reader: Reader): boolean {
  const { pattern, at, depth } = reader;
  const opens = pattern[at] === "^" && (at === 0 || pattern[at - 1] === "|");
  const closes = pattern[at] === "$" && (at === pattern.length - 1 || pattern[at + 1] === "|");
  if (depth > 0 || !(opens || closes)) return false;
  reader.at += 1;
  return true;
}

function nextCharacter(reader: Reader): string {
  const code = reader.pattern.codePointAt(reader.at);
  const character = code === undefined ? "" : String.fromCodePoint(code);
  reader.at += character.length;
  return character;
}

function atom(reader: Reader): string | undefined {
  const mark = nextCharacter(reader);
  if (mark === "(") return group(reader);
  if (mark === "[") return characterClass(reader);
  if (mark === "\\") return escaped(reader, false);
  if (mark === ".") return "x";
  return mark === "" || "^$*+?{}]".includes(mark) ? undefined : mark;
}

function group(reader: Reader): string | undefined {
  if (reader.pattern.startsWith("?:", reader.at)) reader.at += 2;
  else if (reader.pattern[reader.at] === "?" || reader.depth >= maxDepth) return undefined;
  reader.depth += 1;
  const text = alternatives(reader);
  reader.depth -= 1;
  if (reader.pattern[reader.at] !== ")") return undefined;
  reader.at += 1;
  return text;
}

function escaped(reader: Reader, inClass: boolean): string | undefined {
  const letter = nextCharacter(reader);
  const classes: Readonly<Record<string, string>> = {
    d: "0",
    w: "x",
    s: " ",
    D: "x",
    W: "-",
    S: "x",
    n: "\n",
    t: "\t",
  };
  if (Object.hasOwn(classes, letter)) return classes[letter];
  if (inClass && letter === "-") return "-";
  // Letters and digits left over are boundaries, back references and the like.
  return letter === "" || /[A-Za-z0-9]/.test(letter) ? undefined : letter;
}

function characterClass(reader: Reader): string | undefined {
  const end = classEnd(reader.pattern, reader.at);
  if (end === undefined || reader.pattern[reader.at] === "^") return negatedClass(reader, end);
  const mark = nextCharacter(reader);
  if (mark === "]") return undefined;
  const one = mark === "\\" ? escaped(reader, true) : mark;
  reader.at = end + 1;
  return one;
}

function classEnd(pattern: string, from: number): number | undefined {
  for (let at = from; at < pattern.length; at += 1) {
    if (pattern[at] === "\\") at += 1;
    else if (pattern[at] === "]") return at;
  }
  return undefined;
}

/** Some character that the class does not list; ranges and escapes are beyond it unless they cannot mean the candidate. */
function negatedClass(reader: Reader, end: number | undefined): string | undefined {
  if (end === undefined) return undefined;
  const characters = reader.pattern.slice(reader.at + 1, end);
  reader.at = end + 1;
  if (characters.includes("\\w") || characters.includes("-") || /\\[DWS]/.test(characters)) return undefined;
  return ["x", "y", "z", "_"].find((candidate) => !characters.includes(candidate));
}

function repeats(reader: Reader): number | undefined {
  const count = /(?:([*+?])|\{(\d{1,4})(,(\d{1,4})?)?\})?\??/y;
  count.lastIndex = reader.at;
  const match = count.exec(reader.pattern);
  if (match === null) return 1;
  reader.at = count.lastIndex;
  const [, mark, least, comma, most] = match;
  if (mark === "?") return Math.min(1, reader.extra);
  if (mark !== undefined) return (mark === "+" ? 1 : 0) + reader.extra;
  if (least === undefined) return 1;
  const min = Number(least);
  if (comma === undefined) return min;
  return most === undefined ? min + reader.extra : Math.min(Number(most), min + reader.extra);
}

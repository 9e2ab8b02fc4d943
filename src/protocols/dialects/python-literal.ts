/** Nesting beyond this is no argument of a call. */
const MAX_DEPTH = 64;

/** A parsed value and where it ends. */
interface Parsed {
  readonly value: unknown;
  readonly end: number;
}

/**
 * Parses a Python literal (`repr` of dicts, lists, tuples, strings, numbers, `True`, `None`) that begins at `start`.
 * Undefined for anything else; what follows the literal is not looked at.
 */
export function pythonLiteral(text: string, start = 0): Parsed | undefined {
  return valueAt(text, skipSpace(text, start), 0);
}

function valueAt(text: string, at: number, depth: number): Parsed | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const first = text[at];
  if (first === "{") return dictAt(text, at, depth);
  if (first === "[") return listAt(text, at, "]", depth);
  if (first === "(") return listAt(text, at, ")", depth);
  if (first === "'" || first === '"') return stringAt(text, at);
  return wordAt(text, at);
}

function dictAt(text: string, start: number, depth: number): Parsed | undefined {
  const members = new Map<string, unknown>();
  for (let at = skipSpace(text, start + 1); ; ) {
    if (text[at] === "}") return { value: Object.fromEntries(members), end: at + 1 };
    const key = valueAt(text, at, depth + 1);
    const colon = key === undefined ? -1 : skipSpace(text, key.end);
    if (key === undefined || text[colon] !== ":") return undefined;
    const member = valueAt(text, skipSpace(text, colon + 1), depth + 1);
    if (member === undefined) return undefined;
    members.set(String(key.value), member.value);
    at = skipSpace(text, member.end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
    else if (text[at] !== "}") return undefined;
  }
}

function listAt(text: string, start: number, close: string, depth: number): Parsed | undefined {
  const items: unknown[] = [];
  for (let at = skipSpace(text, start + 1); ; ) {
    if (text[at] === close) return { value: items, end: at + 1 };
    const item = valueAt(text, at, depth + 1);
    if (item === undefined) return undefined;
    items.push(item.value);
    at = skipSpace(text, item.end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
    else if (text[at] !== close) return undefined;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", b: "\b", f: "\f", a: "\x07" };
const HEX: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function stringAt(text: string, start: number): Parsed | undefined {
  const quote = text[start];
  const pieces: string[] = [];
  let from = start + 1;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === quote) return { value: pieces.join("") + text.slice(from, at), end: at + 1 };
    if (char !== "\\") continue;
    pieces.push(text.slice(from, at));
    const letter = text[at + 1] ?? "";
    const digits = HEX[letter];
    const code = digits === undefined ? Number.NaN : Number.parseInt(text.slice(at + 2, at + 2 + digits), 16);
    const isCode = code >= 0 && code <= 0x10ffff;
    pieces.push(isCode ? String.fromCodePoint(code) : (ESCAPES[letter] ?? letter));
    at += 1 + (isCode ? (digits ?? 0) : 0);
    from = at + 1;
  }
  return undefined;
}

const WORD = /True|False|None|-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };

function wordAt(text: string, at: number): Parsed | undefined {
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0];
  if (word === undefined) return undefined;
  // Digits beyond a double's precision stay what they are.
  const number = Number(word);
  const exact = Number.isSafeInteger(number) || !/^-?\d+$/.test(word) ? number : word;
  return { value: word in WORDS ? WORDS[word] : exact, end: at + word.length };
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \n\t\r".includes(text[at] ?? "x")) at += 1;
  return at;
}

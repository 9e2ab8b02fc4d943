/** Deeper values than this are compared as raw text: no real tool call nests so far, and recursion must end. */
const MAX_DEPTH = 100;

/** Decides whether a field takes part in a canonical form. `depth` is 0 for the fields of the outermost object. */
export type KeepField = (key: string, value: unknown, depth: number) => boolean;

/** Rewrites a string value before it takes part in a canonical form. */
export type TextForm = (text: string) => string;

/** Parses JSON that may be anything; undefined when it is none. Numbers too long for a double keep all their digits. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return LONG_NUMBER.test(text) ? JSON.parse(withLongNumbersAsText(text)) : value;
  } catch {
    // Broken arguments are ordinary input: the caller compares the raw text instead.
    return undefined;
  }
}

/**
 * One text for all spellings of the same JSON value: keys sorted at every depth, `__proto__` a key like any other.
 * Undefined when the value nests too deep.
 */
export function canonicalForm(
  value: unknown,
  keep: KeepField = () => true,
  textForm: TextForm = (text) => text,
): string | undefined {
  const parts: string[] = [];
  return write(value, 0) ? parts.join("") : undefined;

  function write(node: unknown, depth: number): boolean {
    if (typeof node === "string") return push(JSON.stringify(textForm(node)));
    if (typeof node !== "object" || node === null) return push(String(node));
    if (depth >= MAX_DEPTH) return false;
    return Array.isArray(node) ? writeArray(node, depth) : writeObject(node, depth);
  }

  function writeArray(items: readonly unknown[], depth: number): boolean {
    push("[");
    for (const item of items) {
      if (!write(item, depth + 1)) return false;
      push(",");
    }
    return push("]");
  }

  function writeObject(node: object, depth: number): boolean {
    const fields = Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1));
    push("{");
    for (const [key, field] of fields) {
      if (!keep(key, field, depth)) continue;
      push(`${JSON.stringify(key)}:`);
      if (!write(field, depth + 1)) return false;
      push(",");
    }
    return push("}");
  }

  function push(part: string): true {
    parts.push(part);
    return true;
  }
}

const LONG_NUMBER = /\d{16}/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Ids beyond 2^53 differ although `JSON.parse` makes them equal. The mark keeps them apart from true strings. */
function withLongNumbersAsText(json: string): string {
  return json.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || String(Number(token)) === token || !LONG_NUMBER.test(token)
      ? token
      : JSON.stringify(`\u0000${token}`),
  );
}

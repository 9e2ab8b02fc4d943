import type { UnitReader } from "./units.ts";

/** Letters behind a backslash, but for `u`; any other stands for itself. */
const ESCAPED = new Map(Object.entries({ b: " ", f: " ", n: "\n", r: "\r", t: "\t" }));
const WHOLE_ESCAPE = /^\\(?:[^u]|u.{4})$/s;

function meantBy(escaped: string): string {
  const [, letter = ""] = escaped;
  return letter === "u" ? String.fromCharCode(Number.parseInt(escaped.slice(2), 16)) : (ESCAPED.get(letter) ?? letter);
}

/** In JSON within a text strings are texts to be read, and all else is data. It begins at a line's beginning and ends with its last bracket. */
export function jsonAware(reader: UnitReader): { push(text: string): void } {
  let state: keyof typeof states = "text";
  let [opener, depth, escaped] = ["", 0, ""];

  const begin = (next: "data" | "string" | "text"): void => {
    state = next;
    reader.begin(next === "data");
  };
  const states = {
    text(char: string): void {
      if ("{[".includes(char) && reader.isFresh()) [state, opener, depth] = ["opened", char, 1];
      reader.push(char);
    },
    /** A bracket alone does not make JSON: `[x] done` and `{name}` are text. */
    opened(char: string): void {
      if (char === '"' || (opener === "[" && "{[".includes(char))) {
        begin("data");
        states.data(char);
        return;
      }
      if (/\S/.test(char)) state = "text";
      reader.push(char);
    },
    data(char: string): void {
      reader.push(char);
      if (char === '"') begin("string");
      else if ("{[".includes(char)) depth++;
      else if ("}]".includes(char) && --depth === 0) begin("text");
    },
    string(char: string): void {
      if (escaped !== "" || char === "\\") {
        escaped += char;
        if (!WHOLE_ESCAPE.test(escaped)) return;
        reader.push(meantBy(escaped));
        escaped = "";
        return;
      }
      if (char === '"') begin("data");
      // A raw newline cannot stand in a JSON string, so what looked like JSON is not.
      else if (char === "\n") begin("text");
      reader.push(char);
    },
  };
  return {
    push(text) {
      for (let at = 0; at < text.length; at++) states[state](text.charAt(at));
    },
  };
}

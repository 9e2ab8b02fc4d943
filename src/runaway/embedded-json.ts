import type { UnitReader } from "./units.ts";

/** Letters behind a backslash, but for `u`; any other stands for itself. */
const ESCAPED = new Map(Object.entries({ b: " ", f: " ", n: "\n", r: "\r", t: "\t" }));

/** In JSON within a text strings are texts to be read, and all else is data. It begins at a line's beginning and ends with its last bracket. */
export function jsonAware(reader: UnitReader): { push(text: string): void } {
  let state: keyof typeof states = "text";
  let [opener, depth, hex] = ["", 0, ""];

  const go = (next: typeof state, isData?: boolean): void => {
    state = next;
    if (isData !== undefined) reader.begin(isData);
  };
  const states = {
    text(char: string): void {
      if ("{[".includes(char) && reader.isFresh()) {
        go("opened");
        [opener, depth] = [char, 1];
      }
      reader.push(char);
    },
    /** A bracket alone does not make JSON: `[x] done` and `{name}` are text. */
    opened(char: string): void {
      if (char === '"' || (opener === "[" && "{[".includes(char))) {
        go("data", true);
        states.data(char);
        return;
      }
      if (/\S/.test(char)) go("text");
      reader.push(char);
    },
    data(char: string): void {
      reader.push(char);
      if (char === '"') go("string", false);
      else if ("{[".includes(char)) depth++;
      else if ("}]".includes(char) && --depth === 0) go("text", false);
    },
    string(char: string): void {
      if (char === '"') go("data", true);
      // A raw newline cannot stand in a JSON string, so what looked like JSON is not.
      else if (char === "\n") go("text", false);
      if (char === "\\") go("escape");
      else reader.push(char);
    },
    escape(char: string): void {
      hex = "";
      go(char === "u" ? "hex" : "string");
      if (char !== "u") reader.push(ESCAPED.get(char) ?? char);
    },
    hex(char: string): void {
      hex += char;
      if (hex.length < 4) return;
      go("string");
      reader.push(String.fromCharCode(Number.parseInt(hex, 16)));
    },
  };
  return {
    push(text) {
      for (let at = 0; at < text.length; at++) states[state](text.charAt(at));
    },
  };
}

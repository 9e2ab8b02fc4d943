import { parseJson } from "./json-values.ts";

/**
 * What JSON text that breaks off lacks to be whole: the end of a string, values that are missing, closing brackets.
 * Undefined if it can be made whole only by taking something back, or is no JSON so far.
 */
export function closingOf(text: string): string | undefined {
  for (const ending of endingsFor(text)) {
    if (parseJson(text + ending) !== undefined) return ending;
  }
  return undefined;
}

/** In the order of what they add: nothing, then as little as could do. Of a text that has not begun, an object. */
function endingsFor(text: string): readonly string[] {
  if (text.trim() === "") return ["{}"];
  const { open, inString, escaping } = stateAt(text);
  const close = open.toReversed().join("");
  if (inString) {
    const whole = `${escaping}"`;
    return [`${whole}${close}`, `${whole}:null${close}`];
  }
  const word = /(?<![a-z])[a-z]{1,5}$/.exec(text.slice(-6))?.[0] ?? "";
  const rest = ["true", "false", "null"].find((literal) => word !== "" && literal.startsWith(word))?.slice(word.length);
  const values = ["", ...(rest === undefined ? [] : [rest]), "null", "0", ":null", '"":null'];
  return values.map((value) => `${value}${close}`);
}

interface JsonState {
  /** The brackets that close what is open, outermost first. */
  readonly open: readonly string[];
  readonly inString: boolean;
  /** What an escape sequence lacks that has only begun. */
  readonly escaping: string;
}

function stateAt(text: string): JsonState {
  const open: string[] = [];
  let inString = false;
  let escapedAt = -1;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString && char === "\\") escapedAt = i++;
    else if (char === '"') inString = !inString;
    else if (inString) continue;
    else if (char === "{") open.push("}");
    else if (char === "[") open.push("]");
    else if (char === "}" || char === "]") open.pop();
  }
  return {
    open,
    inString,
    escaping: inString ? escapeRest(text.slice(escapedAt === -1 ? text.length : escapedAt)) : "",
  };
}

/** @param tail from the latest backslash on */
function escapeRest(tail: string): string {
  if (tail === "\\") return "\\";
  const digits = /^\\u([\da-fA-F]{0,3})$/.exec(tail)?.[1];
  return digits === undefined ? "" : "0".repeat(4 - digits.length);
}

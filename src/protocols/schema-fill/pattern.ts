/** A longer string is a trap, not an answer. */
export const MAX_LENGTH = 10_000;
const MAX_PATTERN = 512;
const ATOM = /\[(\^?)((?:\\.|[^\]\\])+)\]|\\(.)|\./gsu;
const COUNT = String.raw`(?:([*+?])|\{(\d{1,4})(,)?(\d{1,4})?\})\??`;
const COUNTED = new RegExp(`([^()|^$*+?{}])${COUNT}`, "gu");
const GROUP = new RegExp(String.raw`\((?:\?:)?([^()]*)\)(?:${COUNT})?`, "gu");
const ESCAPES = new Map(Object.entries({ d: "0", w: "x", s: " ", D: "x", W: "-", S: "x", n: "\n", t: "\t" }));
/** A character that is meant as such stands this much higher until all else is worked out. */
const RAISED = 0xe000;
const BEYOND = "\0";

/**
 * A text that matches the pattern, its unbounded repeats repeated `extra` times more than they must be. Undefined for
 * what goes beyond literals, classes, groups, alternatives and counts. The pattern is never run.
 */
export function patternExample(pattern: unknown, extra: number): string | undefined {
  if (typeof pattern !== "string" || pattern.length > MAX_PATTERN) return undefined;
  const repeated = (_: string, body: string, ...[mark, least, comma, most]: (string | undefined)[]) => {
    const [one = ""] = body.split("|");
    const min = mark === "+" ? 1 : Number(least ?? (mark === undefined ? 1 : 0));
    const isOpen = mark === undefined ? comma !== undefined : mark !== "?";
    const max = Number(most ?? (isOpen ? MAX_LENGTH : Math.max(1, min)));
    const times = Math.min(max, min + extra);
    return times * one.length > MAX_LENGTH ? BEYOND : one.repeat(times);
  };
  let rest = pattern.replace(ATOM, (_, not?: string, list?: string, escaped?: string) =>
    raised(list === undefined ? characterOf(escaped) : characterIn(list, not !== "")),
  );
  for (let before = ""; before !== rest && rest.length <= MAX_LENGTH; ) {
    before = rest;
    rest = rest.replace(COUNTED, repeated);
    if (rest === before) rest = rest.replace(GROUP, repeated);
  }
  const [first = ""] = rest.replace(/^\^/, "").split("|");
  const text = first.replace(/\$$/, "");
  if (/[\0()|^$*+?{}[\]\\]/.test(text)) return undefined;
  return text.replace(/[\ue000-\ue07f]/g, (one) => String.fromCharCode(one.charCodeAt(0) - RAISED));
}

function raised(one = BEYOND): string {
  const code = one.charCodeAt(0);
  return code < 0x80 && one !== BEYOND ? String.fromCharCode(RAISED + code) : one;
}

/** Letters and digits that mean no character are boundaries, back references and the like. */
function characterOf(escaped = "S"): string | undefined {
  return ESCAPES.get(escaped) ?? (/[A-Za-z0-9]/.test(escaped) ? undefined : escaped);
}

/** Of a class that says what is not meant, ranges and escapes are not worked out. */
function characterIn(list: string, isNot: boolean): string | undefined {
  if (!isNot) return list.startsWith("\\") ? characterOf(list[1]) : [...list][0];
  return /-|\\[wDWS]/.test(list) ? undefined : [..."xyz_"].find((one) => !list.includes(one));
}

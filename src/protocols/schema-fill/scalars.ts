import type { JsonObject } from "../json/json.ts";
import { allowsAnyText, formatExample, patternExample } from "./strings.ts";

const maxChars = 100_000;

/** A string that satisfies the schema: the text if it is free to, else an example; undefined if none was found. */
export function filledString(flat: JsonObject, text: string | undefined, nth: number): string | undefined {
  const min = typeof flat.minLength === "number" ? flat.minLength : 0;
  const max = typeof flat.maxLength === "number" ? flat.maxLength : Number.POSITIVE_INFINITY;
  if (min > maxChars || min > max) return undefined;
  const isBetween = (value: string) => value.length >= min && value.length <= max;
  const example = formatExample(flat.format);
  const hasPattern = flat.pattern !== undefined && !allowsAnyText(flat.pattern);
  if (typeof flat.pattern === "string" && hasPattern) {
    // Where both are given the pattern spells out the format; what is too hard to read there is as the format says.
    const matched = matching(flat.pattern, nth, min, isBetween);
    if (matched !== undefined || example === undefined) return matched;
  }
  if (example !== undefined) return isBetween(example) ? example : undefined;
  return fitted(flat.pattern === undefined ? (text ?? "") : oneLine(text), nth, min, max);
}

function matching(
  pattern: string,
  nth: number,
  min: number,
  isBetween: (value: string) => boolean,
): string | undefined {
  for (let extra = nth; extra <= nth + Math.min(min, 200); extra += 1) {
    const example = patternExample(pattern, extra);
    if (example !== undefined && isBetween(example)) return example;
  }
  return undefined;
}

/** What every pattern lets through that `allowsAnyText`. */
function oneLine(text: string | undefined): string {
  return text?.replace(/\s+/g, " ").trim() || "-";
}

/** Length is counted in code points, as JSON Schema does. */
function fitted(text: string, nth: number, min: number, max: number): string {
  const mark = nth === 0 ? "" : String(nth);
  const points = [...text].slice(0, Math.max(0, max - mark.length));
  return `${points.join("")}${"-".repeat(Math.max(0, min - points.length - mark.length))}${mark}`;
}

/** The first number that the schema accepts, of those near its bounds and zero; the nth such if several must differ. */
export function filledNumber(
  flat: JsonObject,
  nth: number,
  isAccepted: (value: number) => boolean,
): number | undefined {
  const lows = [flat.minimum, flat.exclusiveMinimum].filter((bound) => typeof bound === "number");
  const highs = [flat.maximum, flat.exclusiveMaximum].filter((bound) => typeof bound === "number");
  const step = typeof flat.multipleOf === "number" && flat.multipleOf > 0 ? flat.multipleOf : 1;
  const steps = Array.from({ length: nth + 3 }, (_, index) => index);
  const near = steps.flatMap((index) => [
    ...lows.flatMap((low) => [low + index * step, (Math.ceil(low / step) + index) * step, Math.ceil(low) + index]),
    ...highs.flatMap((high) => [
      high - index * step,
      (Math.floor(high / step) - index) * step,
      Math.floor(high) - index,
    ]),
    index * step,
  ]);
  const middle = lows.flatMap((low) =>
    highs.flatMap((high) => [1, 2, 3].map((part) => low + ((high - low) * part) / 4)),
  );
  const fine = steps.flatMap((index) => lows.map((low) => low + (index + 1) / 1024));
  const accepted = [...new Set([typeof flat.default === "number" ? flat.default : 0, 0, ...near, ...middle, ...fine])];
  // Minus zero is a number that JSON cannot write.
  return accepted.map((value) => value + 0).filter((value) => Number.isFinite(value) && isAccepted(value))[nth];
}

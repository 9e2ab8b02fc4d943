import { runawayScanner } from "../../../src/runaway/runaway.ts";
import { labelledCases } from "./cases.ts";

/** The rule as it is told: 6 laps of up to 16 tokens, 8 laps of up to 60, 150 characters. */
export const limits = { shortLaps: 6, longLaps: 8, leastChars: 150 };

export const times = (count: number, one: string | ((i: number) => string)): string =>
  Array.from({ length: count }, (_, i) => (typeof one === "string" ? one : one(i))).join("");

/** Characters that had come when it fired; Infinity: it did not. */
export function firedAt(text: string): number {
  const scanner = runawayScanner(limits);
  for (let i = 0; i < text.length; i++) if (scanner.push(text.charAt(i)) !== undefined) return i + 1;
  return Number.POSITIVE_INFINITY;
}

/** When it fires, as a multiple of the first moment at which the rule allows it. */
export function delayOf(text: string, asSeen = seen): number {
  return asSeen(text.slice(0, firedAt(text))).length / earliest(asSeen(text));
}

function earliest(text: string): number {
  for (let end = limits.leastChars; end <= text.length; end++) {
    for (let lap = 1; lap * limits.shortLaps <= end && lap <= 600; lap++) {
      if (text[end - 1] === text[end - 1 - lap] && isEnough(text.slice(0, end), lap)) return end;
    }
  }
  return Number.POSITIVE_INFINITY;
}

function isEnough(text: string, lap: number): boolean {
  let begin = text.length - lap;
  while (begin > 0 && text[begin - 1] === text[begin - 1 + lap]) begin--;
  const chars = text.length - begin;
  const tokens = tokensIn(text.slice(-lap));
  const laps = Math.floor(chars / lap);
  return chars >= limits.leastChars && tokens <= 60 && laps >= (tokens <= 16 ? limits.shortLaps : limits.longLaps);
}

function tokensIn(text: string): number {
  const pieces = text.match(/[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}\s]+/gu) ?? [];
  const sizes = pieces.map((piece) => {
    const isGlyphs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Extended_Pictographic}]/u.test(piece);
    return isGlyphs ? piece.length : Math.ceil(piece.length / 24);
  });
  const isUnbroken = pieces.length === 1 && pieces[0] === text;
  return isUnbroken && !/\p{Script=Han}|[぀-ヿ]/u.test(text)
    ? Math.ceil(text.length / 4)
    : sizes.reduce((a, b) => a + b, 0);
}

function seen(text: string): string {
  const read = text.startsWith("{")
    ? text.replace(/\\(?:u([0-9a-f]{4})|(.))/g, (_, hex?: string, one?: string) =>
        hex === undefined ? (one === "n" ? "\n" : (one ?? "")) : String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text;
  return read.toLowerCase().replace(/\s/g, " ");
}

/** A sentence that only counts up is the same sentence. */
export function uncounted(text: string): string {
  return seen(text).replace(/\d+/g, "0");
}

export const labelledChants = labelledCases
  .filter(({ kind }) => kind === "chant")
  .map(({ id, note, expect, messages }) => {
    const text = String(messages.find(({ role }) => role === "assistant")?.content);
    return { id, note, loops: expect === "loop", text };
  });

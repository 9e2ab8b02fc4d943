import { runawayScanner } from "../../../src/runaway/runaway.ts";

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

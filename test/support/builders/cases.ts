import { readFileSync } from "node:fs";

/** A labelled conversation of the repository, as requests carry it. */
export interface LabelledCase {
  readonly id: string;
  readonly kind: string;
  readonly expect: "loop" | "ok";
  readonly note: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

export const labelledCases: readonly LabelledCase[] = readFileSync(
  new URL("../../../bench/loopbench/data/cases.jsonl", import.meta.url),
  "utf8",
)
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

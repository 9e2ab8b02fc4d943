import { readFileSync } from "node:fs";

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

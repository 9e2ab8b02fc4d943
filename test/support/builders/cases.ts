import { readFileSync } from "node:fs";

/** The labelled conversations of the repository, as requests carry them. */
export interface Case {
  readonly id: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

export const allCases: readonly Case[] = readFileSync(
  new URL("../../../bench/loopbench/data/cases.jsonl", import.meta.url),
  "utf8",
)
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line): Case => JSON.parse(line));

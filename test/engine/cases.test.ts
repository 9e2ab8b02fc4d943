import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { play } from "../../src/cli/replay.ts";
import { defaultPolicy } from "../support/builders/detection.ts";

const labelled = z.object({
  id: z.string(),
  kind: z.string(),
  expect: z.enum(["loop", "ok"]),
  strength: z.enum(["hard", "soft"]),
  note: z.string(),
  /** The hardest rung that can be argued for. */
  worst: z.enum(["nudge"]).optional(),
  messages: z.array(z.unknown()),
});

/** Kinds that later detectors are for. */
const later = new Set(["chant"]);

const cases = ["cases.jsonl", "threads.jsonl"]
  .flatMap((file) => readFileSync(new URL(`../../bench/loopbench/data/${file}`, import.meta.url), "utf8").split("\n"))
  .filter((line) => line.trim() !== "")
  .map((line) => labelled.parse(JSON.parse(line)))
  .filter(({ kind }) => !later.has(kind));

const found = (id: string, messages: unknown) => play(id, { messages }, defaultPolicy())?.replayed.findings;

describe("finds every hard loop", () => {
  it.each(cases.filter((one) => one.expect === "loop" && one.strength === "hard"))("$id: $note", ({ id, messages }) =>
    expect(found(id, messages)).not.toEqual([]),
  );
});

describe("leaves every hard healthy conversation alone", () => {
  it.each(cases.filter((one) => one.expect === "ok" && one.strength === "hard"))("$id: $note", ({ id, messages }) =>
    expect(found(id, messages)).toEqual([]),
  );
});

describe("ends no debatable one", () => {
  it.each(cases.filter((one) => one.expect === "ok" && one.strength === "soft"))("$id: $note", ({ id, messages }) =>
    expect(found(id, messages)?.filter(({ rung }) => rung === "short-circuit")).toEqual([]),
  );
});

describe("does no more than a nudge where somebody honestly waits", () => {
  it.each(cases.filter(({ worst }) => worst === "nudge"))("$id: $note", ({ id, messages }) =>
    expect(found(id, messages)?.filter(({ rung }) => rung !== "nudge")).toEqual([]),
  );
});

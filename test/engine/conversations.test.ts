import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { play } from "../../src/cli/replay.ts";
import { defaultPolicy } from "../support/builders/detection.ts";

const labelled = z.object({
  id: z.string(),
  /** What has to be found first; `turn`: index, among the assistant's messages, of the one that completes the loop. */
  finding: z.object({ detector: z.string(), grade: z.string().optional(), turn: z.number() }).optional(),
  messages: z.array(z.unknown()),
});

const conversationsIn = (file: string) =>
  readFileSync(new URL(`../fixtures/conversations/${file}.jsonl`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => labelled.parse(JSON.parse(line)));

const interventionsIn = ({ id, messages }: z.infer<typeof labelled>) =>
  play(id, { messages }, defaultPolicy())?.interventions;

describe("an agent that goes in circles is found by its detector, with its grade, at its turn", () => {
  it.each(conversationsIn("loops"))("$id", (loop) => {
    const first = interventionsIn(loop)?.at(0);
    const finding = first && { detector: first.detector, grade: first.grade, turn: first.at };
    expect(finding).toEqual(loop.finding);
  });
});

describe("an agent that is right to repeat itself is left alone", () => {
  it.each(conversationsIn("healthy"))("$id", (conversation) => expect(interventionsIn(conversation)).toEqual([]));
});

describe("where nothing tells an agent from one in circles, a word is said at most", () => {
  it.each(conversationsIn("debatable"))("$id", (conversation) =>
    expect(interventionsIn(conversation)?.filter(({ rung }) => rung !== "nudge")).toEqual([]),
  );
});

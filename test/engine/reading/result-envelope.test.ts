import { describe, expect, it } from "vitest";
import { withoutEnvelope } from "../../../src/engine/fingerprint/outcome-fingerprint.ts";
import { printOf } from "../../support/builders/detection.ts";
import { call } from "../../support/builders/steps.ts";

const outcomeOf = (text: string) => printOf(call("bash", { command: "ls" }, text)).calls[0]?.outcome;

describe("what a harness says around a result is no part of it", () => {
  it.each([
    ["a reminder behind it", (n: number) => `notes.txt\n\n<system-reminder>\nTurn ${n} is on.\n</system-reminder>`],
    ["what is left of a budget", (n: number) => `notes.txt\n<total_tokens>${15000 - n} tokens left</total_tokens>`],
    [
      "a header of its own",
      (n: number) =>
        `Chunk ID: 14b83${n}\nWall time: 0.34${n}2 seconds\nProcess exited with code 0\nOriginal token count: ${n}\nOutput:\nnotes.txt`,
    ],
  ])("%s", (_, text) => {
    expect(outcomeOf(text(1))).toEqual(outcomeOf(text(2)));
    expect(outcomeOf(text(1))?.hash).not.toBe(outcomeOf(text(1).replace("notes.txt", "other.txt"))?.hash);
  });

  it.each([
    ["an opening that is never closed", "a <system-reminder> b"],
    ["a number that only looks like it", "Wall time of the race: 7 seconds"],
  ])("stays: %s", (_, text) => expect(withoutEnvelope(text)).toBe(text));

  it("the exit code above an output still tells", () => {
    const text = (code: number) =>
      `Chunk ID: a\nWall time: 1 seconds\nProcess exited with code ${code}\nOutput:\ncat: no`;
    expect(outcomeOf(text(1))?.failed).toBe(true);
    expect(outcomeOf(text(0))?.failed).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { play } from "../../src/cli/replay.ts";
import type { Conversation } from "../fixtures/conversations/conversation.ts";
import { debatable } from "../fixtures/conversations/debatable/debatable.ts";
import { healthy } from "../fixtures/conversations/healthy/healthy.ts";
import { loops } from "../fixtures/conversations/loops/loops.ts";
import { defaultPolicy } from "../support/builders/detection.ts";

const interventionsIn = ({ id, messages }: Conversation) => play(id, { messages }, defaultPolicy())?.interventions;

describe("an agent that goes in circles is found by its detector, with its grade, at its turn", () => {
  it.each(loops)("$id", (loop) => {
    const first = interventionsIn(loop)?.at(0);
    const finding = first && { detector: first.detector, grade: first.grade, turn: first.at };
    expect(finding).toEqual(loop.finding);
  });
});

describe("an agent that is right to repeat itself is left alone", () => {
  it.each(healthy)("$id", (conversation) => expect(interventionsIn(conversation)).toEqual([]));
});

describe("where nothing tells an agent from one in circles, a word is said at most", () => {
  it.each(debatable)("$id", (conversation) =>
    expect(interventionsIn(conversation)?.filter(({ rung }) => rung !== "nudge")).toEqual([]),
  );
});

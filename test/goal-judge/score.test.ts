import { describe, expect, it } from "vitest";
import { goalScoreIn } from "../../src/goal-judge/goal-judge.ts";

const whole = {
  distance: 7,
  distance_before: 5,
  reasons: "Half of the form is filled in.",
  goal_met: false,
  reachable: true,
  unexplored: ["press OK"],
};
const json = JSON.stringify(whole);
const read = { distance: 7, before: 5, reasons: whole.reasons, met: false, reachable: true, unexplored: ["press OK"] };

describe("a judge's answer", () => {
  it.each([
    { name: "bare JSON", text: json },
    { name: "a fence", text: `\`\`\`json\n${JSON.stringify(whole, null, 2)}\n\`\`\`` },
    { name: "prose around it", text: `Let me think {aloud}. Here it is: ${json} I hope that helps }.` },
    { name: "thoughts with another object before it", text: `<think>{"distance": 1}</think>${json}` },
    {
      name: "numbers and booleans as text",
      text: JSON.stringify({ ...whole, distance: "7/10", distance_before: "5", goal_met: "no", reachable: "Yes" }),
    },
    {
      name: "the document's own names",
      text: JSON.stringify({
        distance_score: 7,
        score_before: 5,
        reasoning: whole.reasons,
        met: false,
        options: ["press OK"],
      }),
    },
  ])("is understood as $name", ({ text }) => expect(goalScoreIn(text)).toEqual(read));

  it.each([
    "",
    "I would say seven.",
    "{}",
    "7",
    "[7]",
    '{"distance": null}',
    '{"distance": -1}',
    '{"distance": 70}',
    '{"distance": "near"}',
    '{"distance": 7',
    "{".repeat(20_000),
    "}".repeat(20_000),
    "{}".repeat(10_000),
  ])("without a score from 0 to 10 is none: %.20j", (text) => expect(goalScoreIn(text)).toBeUndefined());

  it("says nothing that it does not say", () => {
    expect(goalScoreIn('{"distance": 4}')).toEqual({
      ...{ distance: 4, before: undefined, reasons: "", met: false, reachable: true, unexplored: undefined },
    });
  });

  it("is not believed when it contradicts itself", () => {
    expect(goalScoreIn('{"distance": 3, "goal_met": true}')?.met).toBe(false);
    expect(goalScoreIn('{"distance": 9.5, "goal_met": true}')?.met).toBe(true);
  });

  it("is cut to a few short lines", () => {
    const long = goalScoreIn(
      JSON.stringify({ distance: 4, reasons: "x\n".repeat(2_000), unexplored: Array(12).fill("y".repeat(900)) }),
    );
    expect(long?.reasons.length).toBeLessThanOrEqual(400);
    expect(long?.unexplored).toHaveLength(8);
    expect(long?.unexplored?.every((text) => text.length <= 400)).toBe(true);
  });
});

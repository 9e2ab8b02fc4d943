import { describe, expect, it } from "vitest";
import { finalText, forceDoneNote, nudgeNote } from "../../src/policy/policy.ts";
import { call } from "../support/builders/steps.ts";

const step = call("click", { element: "New" }, "A dialog is open.");
const told = (grade: string, course: object, more: object = {}) => ({
  ...{ detector: "goal-distance" as const, grade, count: 1, course: { before: 4, after: 3.5, ...course } },
  ...more,
});
const types = ["checkbox", "dialog", "text", "menu", "window", "other"];
const reasons = [
  { why: "state", shown: "(same state: 7)" },
  { why: "falls", shown: "(falling score: 7)" },
  { why: "steps", shown: "(maxSteps: 7)" },
  { why: "unreachable", shown: "(unreachable)" },
];

const language = "en";

describe("what is told of a plan", () => {
  it("an option is told with the action, the scores and what to try", () => {
    const note = nudgeNote(told("option", {}, { judgeText: "press OK" }), step, language);
    for (const part of ["[unloop]", 'click({"element":"New"})', "4", "3.5", "press OK"]) expect(note).toContain(part);
  });

  it("an option that nobody remembers is told in general", () => {
    const note = nudgeNote(told("option", {}), step, language);
    expect(note).not.toMatch(/undefined|: 。|: \.|:。/);
    expect(note).not.toBe(nudgeNote(told("option", {}, { judgeText: "" }), step, language));
  });

  it("every type of action is undone in words of its own", () => {
    const notes = types.map((type) => nudgeNote(told("revert", { type }), step, language));
    expect(new Set(notes).size).toBe(types.length);
    for (const note of notes) expect(note).toContain("click");
  });

  it("every reason to give up is told by the policy's name for it, with what was tried, undone and why", () => {
    const story = {
      tried: [step, call("type", { text: "Ann" }, "Taken.")],
      undone: [step],
      judgeText: "The shop is closed.",
    };
    for (const { why, shown } of reasons) {
      const facts = told("cancel", { why, times: 7 }, story);
      const note = forceDoneNote(facts, step, "Buy milk.", "done", language);
      for (const part of [shown, 'type({"text":"Ann"})', "The shop is closed.", "Buy milk.", "done"])
        expect(note).toContain(part);
      expect(finalText(facts, step, language)).toContain(shown);
    }
  });

  it("a goal that is reached is to be told with success, and the guard's own answer says nothing of stopping", () => {
    const met = told("met", { after: 10 });
    expect(forceDoneNote(met, step, "Buy milk.", "done", language)).toContain("success=true");
    expect(finalText(met, step, language)).toContain("10");
  });
});

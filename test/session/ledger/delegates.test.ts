import { describe, expect, it } from "vitest";
import { finalText, type Language } from "../../../src/policy/wording/wording.ts";
import { defaultPolicy, judgeWith, ledgerAfter } from "../../support/builders/detection.ts";
import { call, conversation, times } from "../../support/builders/steps.ts";

const ending = (language: Language, policy = {}) =>
  finalText({ detector: "repeated-call", count: 5 }, call("lookup", { id: "x9" }, "none"), language, policy);

/** What the one that asks it four times with the same words is told, by step. */
const rungs = (result: string, policy = defaultPolicy()) => {
  const told = conversation(times(4, () => call("researcher", { task: "Look up x9." }, result)));
  return ledgerAfter(told, judgeWith({ policy })).interventions.map(({ rung, at }) => `${rung} ${at + 1}`);
};
const asFailing = ["nudge 3", "force-done 4"];

describe("a delegate whose run was ended has failed, for the one that asked it", () => {
  it("also where a framework wraps what it said, and escapes it", () => {
    const wrapped = JSON.stringify({ agent: "researcher", result: ending("ja") });
    const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
    expect(rungs(wrapped.replace(/[^ -~]/g, escaped))).toEqual(asFailing);
  });

  it("also in a policy's own words", () => {
    const wording = { en: { stopped: "Enough of this." } };
    expect(rungs(ending("en", { wording }), { ...defaultPolicy(), wording })).toEqual(asFailing);
  });

  it("a document that quotes such an end is an answer", () => {
    expect(rungs(`Chapter 1. ${"All about loops. ".repeat(30)} ${ending("en")}`)).toEqual(["nudge 3"]);
  });
});

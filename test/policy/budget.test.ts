import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/engine/engine.ts";
import type { BudgetKind } from "../../src/policy/budget.ts";
import { chooseRung, costOf, noMemory, nudgeNote, type Policy, policyFrom, priceFor } from "../../src/policy/policy.ts";
import { call } from "../support/builders/steps.ts";

const prices = { "*": { input: 1, output: 2 } };
const moment = { at: 5, userSpoke: false };

function used(grade: BudgetKind, count: number): Finding {
  const about = { evidence: [0, 5], tools: [], evenIfUserSpoke: true, note: "" } as const;
  return { detector: "budget", grade, limit: grade, loop: `budget:${grade}`, count, ...about };
}

const rungOf = (policy: Policy, grade: BudgetKind, count: number, memory = noMemory) =>
  chooseRung([used(grade, count)], memory, policy, moment).decision?.rung;

describe.each([
  { kind: "steps" as const, limit: 100, shown: "100 of 100" },
  { kind: "tokens" as const, limit: 100, shown: "100 of 100" },
  { kind: "seconds" as const, limit: 100, shown: "100 of 100" },
  { kind: "cost" as const, limit: 0.0001, shown: "0.0001 of 0.0001" },
])("a limit of $kind", ({ kind, limit, shown }) => {
  const policy = policyFrom({ budget: { [kind]: limit }, prices });

  it("is warned of at three quarters, reached at the limit, and ended a quarter beyond or where the last word was not heeded", () => {
    const rungs = [74, 75, 99, 100, 124, 125].map((count) => rungOf(policy, kind, count));
    expect(rungs).toEqual([undefined, "nudge", "nudge", "force-done", "force-done", "short-circuit"]);
    const { memory } = chooseRung([used(kind, 100)], noMemory, policy, moment);
    expect(rungOf(policy, kind, 101, memory)).toBe("short-circuit");
    const patient = { ...policy, finalResponseAfterFailure: false };
    expect([101, 124, 125].map((count) => rungOf(patient, kind, count, memory))).toEqual([
      "force-done",
      "force-done",
      "short-circuit",
    ]);
  });

  it("is told in the unit of its field, and holds though a user spoke", () => {
    const spoken = chooseRung([used(kind, 100)], noMemory, policy, { at: 5, userSpoke: true });
    expect(spoken.decision?.rung).toBe("force-done");
    const note = nudgeNote({ detector: "budget", grade: kind, count: 100 }, call("read"), "en", policy);
    expect(note).toContain(`The budget of this run (${kind}): ${shown} used.`);
  });
});

it("warns once, and ends beyond a small limit, not at it", () => {
  const policy = policyFrom({ budget: { tokens: 100, steps: 1 } });
  const { memory } = chooseRung([used("tokens", 80)], noMemory, policy, moment);
  expect(rungOf(policy, "tokens", 90, memory)).toBeUndefined();
  expect([1, 2].map((count) => rungOf(policy, "steps", count))).toEqual(["force-done", "short-circuit"]);
});

it.each([
  {
    name: "written out wins over the limit of its kind, and of no other",
    said: { budget: { steps: 10, tokens: 10 }, ladders: { "budget:steps": { nudge: 2 } } },
    rungs: [["steps", 99, "nudge"] as const, ["tokens", 10, "force-done"] as const],
  },
  {
    name: "of a preset gives way to a limit above it, and stays where another kind is limited",
    said: { extends: "user-simulator", budget: { tokens: 100 } },
    rungs: [["steps", 30, "short-circuit"] as const],
  },
  {
    name: "of a preset gives way to a limit of its kind",
    said: { extends: "user-simulator", budget: { steps: 100 } },
    rungs: [["steps", 30, undefined] as const, ["steps", 100, "force-done"] as const],
  },
  {
    name: "without a grade is about steps alone",
    said: { ladders: { budget: { nudge: 2 } } },
    rungs: [["steps", 2, "nudge"] as const, ["tokens", 2, undefined] as const],
  },
])("a ladder $name", ({ said, rungs }) => {
  for (const [kind, count, rung] of rungs) expect(rungOf(policyFrom(said), kind, count)).toBe(rung);
});

describe("a price", () => {
  const at = (input: number) => ({ input, output: 10 });
  const table = { "gpt-5": at(1), "gpt-5*": at(2), "gpt-*": at(3), "gpt-5-mini*": at(4) };

  it.each([
    ["gpt-5", 1],
    ["gpt-5-2026-01-01", 2],
    ["gpt-5-mini-2026", 4],
    ["GPT-5", undefined],
    ["constructor", undefined],
  ])("of %s is its own, else that of the longest beginning: %s", (model, input) =>
    expect(priceFor(table, model)?.input).toBe(input),
  );

  it.each([
    { used: { inputTokens: 1_000_000, outputTokens: 3 }, cost: 2_500_030 },
    { used: { inputTokens: 100, outputTokens: 10, cachedInputTokens: 60 }, cost: 215 },
    { used: { inputTokens: 10, outputTokens: 0, cachedInputTokens: 99 }, cost: 3 },
    { used: { inputTokens: 100, outputTokens: 0, cachedInputTokens: 60, cacheWriteTokens: 99 }, cost: 135 },
  ])("of $used is $cost millionths", ({ used, cost }) => {
    expect(costOf({ input: 2.5, output: 10, cachedInput: 0.25, cacheWrite: 3 }, used)).toBe(cost);
    expect(costOf({ input: 2, output: 0 }, used)).toBe(2 * used.inputTokens);
  });
});

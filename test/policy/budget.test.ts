import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/engine/engine.ts";
import {
  chooseRung,
  finalText,
  limitsBudget,
  noMemory,
  nudgeNote,
  type Policy,
  policyFrom,
} from "../../src/policy/policy.ts";
import type { BudgetKind } from "../../src/policy/budget.ts";
import { standard } from "../../src/policy/presets.ts";
import { call } from "../support/builders/steps.ts";

const prices = { "*": { input: 1, output: 2 } };
const moment = { at: 5, userSpoke: false };

function used(grade: BudgetKind, count: number): Finding {
  const loop = `budget:${grade}`;
  const about = { evidence: [0, 5], tools: [], evenIfUserSpoke: true, note: "" } as const;
  return { detector: "budget", grade, limit: grade, loop, count, ...about };
}

const rungOf = (policy: Policy, grade: BudgetKind, count: number) =>
  chooseRung([used(grade, count)], noMemory, policy, moment).decision?.rung;

describe.each([
  { kind: "steps" as const, limit: 100 },
  { kind: "tokens" as const, limit: 100 },
  { kind: "seconds" as const, limit: 100 },
  { kind: "cost" as const, limit: 0.0001 },
])("a limit of $kind", ({ kind, limit }) => {
  const policy = policyFrom({ budget: { [kind]: limit }, prices });

  it.each([
    { count: 74, rung: undefined },
    { count: 75, rung: "nudge" },
    { count: 99, rung: "nudge" },
    { count: 100, rung: "force-done" },
    { count: 124, rung: "force-done" },
    { count: 125, rung: "short-circuit" },
    { count: 9_999, rung: "short-circuit" },
  ])("leads at $count of 100 to $rung", ({ count, rung }) => expect(rungOf(policy, kind, count)).toBe(rung));

  it("is ended at the very next step when the last word was not heeded", () => {
    const { memory } = chooseRung([used(kind, 100)], noMemory, policy, moment);
    const next = chooseRung([used(kind, 101)], memory, policy, { at: 6, userSpoke: false });
    expect(next.decision?.rung).toBe("short-circuit");
  });

  it("is ended a quarter beyond where the policy gives no such last word", () => {
    const patient = { ...policy, finalResponseAfterFailure: false };
    const { memory } = chooseRung([used(kind, 100)], noMemory, patient, moment);
    const rungs = [101, 124, 125].map(
      (count) => chooseRung([used(kind, count)], memory, patient, { at: 6, userSpoke: false }).decision?.rung,
    );
    expect(rungs).toEqual(["force-done", "force-done", "short-circuit"]);
  });

  it("is not said to be none because a user spoke", () => {
    const { decision } = chooseRung([used(kind, 100)], noMemory, policy, { at: 5, userSpoke: true });
    expect(decision?.rung).toBe("force-done");
  });
});

it("warns once", () => {
  const policy = policyFrom({ budget: { tokens: 100 } });
  const { memory } = chooseRung([used("tokens", 80)], noMemory, policy, moment);
  expect(chooseRung([used("tokens", 90)], memory, policy, { at: 6, userSpoke: false }).decision).toBeUndefined();
});

it.each([{ limit: 1 }, { limit: 2 }, { limit: 3 }])("ends beyond a limit of $limit, not at it", ({ limit }) => {
  const policy = policyFrom({ budget: { steps: limit } });
  expect([limit, limit + 1].map((count) => rungOf(policy, "steps", count))).toEqual(["force-done", "short-circuit"]);
});

describe("a ladder written out", () => {
  it("wins over the limit of its kind, and of no other", () => {
    const policy = policyFrom({ budget: { steps: 10, tokens: 10 }, ladders: { "budget:steps": { nudge: 2 } } });
    expect([2, 10, 99].map((count) => rungOf(policy, "steps", count))).toEqual(["nudge", "nudge", "nudge"]);
    expect(rungOf(policy, "tokens", 10)).toBe("force-done");
  });

  it("of a preset gives way to a limit that is said above it", () => {
    const policy = policyFrom({ extends: "user-simulator", budget: { steps: 100 } });
    expect([30, 75, 100, 125].map((count) => rungOf(policy, "steps", count))).toEqual([
      undefined,
      "nudge",
      "force-done",
      "short-circuit",
    ]);
  });

  it("of a preset stays where another kind is limited", () => {
    const policy = policyFrom({ extends: "user-simulator", budget: { tokens: 100 } });
    expect(rungOf(policy, "steps", 30)).toBe("short-circuit");
  });

  it("without a grade is about steps alone", () => {
    const policy = policyFrom({ ladders: { budget: { nudge: 2 } } });
    expect([rungOf(policy, "steps", 2), rungOf(policy, "tokens", 2)]).toEqual(["nudge", undefined]);
  });
});

it("nothing is counted where nothing is limited", () => {
  expect([standard, policyFrom({ budget: {} }), policyFrom({ budget: { seconds: 5 } })].map(limitsBudget)).toEqual([
    false,
    false,
    true,
  ]);
});

it.each([
  { said: { budget: { cost: 5 } }, error: 'policy limits the cost, so it must also say "prices".' },
  { said: { budget: { cost: 0 }, prices }, error: "policy.budget.cost must be more than nothing." },
  { said: { budget: { tokens: 0.5 } }, error: "policy.budget.tokens must be a whole number of at least 1, not 0.5." },
  { said: { budget: { dollars: 5 } }, error: "policy.budget has a name that is not known" },
  {
    said: { prices: { "gpt-*": { input: 1 } } },
    error: "policy.prices.gpt-*.output must be a number of at least 0, not nothing.",
  },
  { said: { prices: { "*-mini": prices["*"] } }, error: "may have a star only at the end of a model's name" },
  { said: { prices: { a: { input: -1, output: 1 } } }, error: "policy.prices.a.input must be a number of at least 0" },
])("$error", ({ said, error }) => expect(() => policyFrom(said)).toThrow(error));

describe("what is said of a budget", () => {
  const policy = policyFrom({ budget: { steps: 40, tokens: 1000, cost: 2.5, seconds: 60 }, prices });
  const step = call("read", { path: "a" }, "text of a");
  const rows = [
    { grade: "steps", count: 30, told: "The budget of this run (steps): 30 of 40 used." },
    { grade: "tokens", count: 812, told: "The budget of this run (tokens): 812 of 1000 used." },
    { grade: "cost", count: 1_875_000, told: "The budget of this run (cost): 1.875 of 2.5 used." },
    { grade: "seconds", count: 45, told: "The budget of this run (seconds): 45 of 60 used." },
  ];

  it.each(rows)("names used and limit of $grade", ({ grade, count, told }) => {
    expect(nudgeNote({ detector: "budget", grade, count }, step, "en", policy)).toContain(told);
  });

  it.each(rows.flatMap((row) => (["ja", "zh"] as const).map((language) => ({ ...row, language }))))(
    "names both in $language, of $grade",
    ({ grade, count, told, language }) => {
      const note = nudgeNote({ detector: "budget", grade, count }, step, language, policy);
      for (const [figure] of told.matchAll(/[\d.]*\d/g)) expect(note).toContain(figure);
    },
  );

  it.each(["en", "ja", "zh"] as const)("ends in %s with the reason, and no talk of circles or results", (language) => {
    const said = finalText({ detector: "budget", grade: "tokens", count: 1300 }, step, language, policy);
    expect(said).toContain("1300");
    expect(said).not.toMatch(/circle|text of a|繰り返し|循环/);
  });
});

it.each(["en", "ja", "zh"] as const)("a storm is told in %s by how often within how long", (language) => {
  const said = finalText({ detector: "retry-storm", count: 6 }, call("read", {}, "text of a"), language, {
    ...standard,
    finalText: "reason",
  });
  expect(said).toContain("6");
  expect(said).toContain("60");
  expect(said).not.toContain("text of a");
});

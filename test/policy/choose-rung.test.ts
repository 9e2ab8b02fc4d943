import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/engine/engine.ts";
import { chooseRung, type Memory, noMemory, type Policy, type Rung, rungAfter } from "../../src/policy/policy.ts";
import { defaultPolicy } from "../support/builders/detection.ts";
import { times } from "../support/builders/steps.ts";

type Moment = Parameters<typeof chooseRung>[3];

const policy = defaultPolicy();

function found(count: number, over: Partial<Finding> = {}): Finding {
  const evidence = times(count, (i) => i);
  return { detector: "repeated-call", loop: "a", count, evidence, tools: ["read"], note: "", ...over };
}

const at = (step: number, userSpoke = false): Moment => ({ at: step, userSpoke });
const rungOf = (finding: Finding, over: Partial<Policy> = {}) =>
  chooseRung([finding], noMemory, { ...policy, ...over }, at(finding.count - 1)).decision?.rung;

/** Decides step by step; `undefined` is a step at which nothing was found. */
function rungs(findings: readonly (Finding | undefined)[], over: Partial<Policy> = {}, userAt = -1) {
  let memory: Memory = noMemory;
  return findings.map((finding, i) => {
    const decided = chooseRung(
      finding === undefined ? [] : [finding],
      memory,
      { ...policy, ...over },
      at(i, i === userAt),
    );
    memory = decided.memory;
    return decided.decision?.rung ?? "-";
  });
}

const growing = (steps: number) => times(steps, (i) => found(i + 1));

describe("the rung is a function of the count", () => {
  it.each([
    { count: 2, grade: undefined, rung: undefined },
    { count: 7, grade: undefined, rung: "short-circuit" },
    { count: 4, grade: "failing", rung: "force-done" },
    { count: 2, grade: "send", rung: "nudge" },
    { count: 3, grade: "transient", rung: undefined },
    { count: 3, grade: "unheard-of", rung: "nudge" },
  ])("$count of grade $grade: $rung", ({ count, grade, rung }) =>
    expect(rungOf(found(count, grade === undefined ? {} : { grade }))).toBe(rung),
  );

  it("a rung without a number is never reached, nor is a detector without a ladder", () => {
    expect(rungOf(found(99, { detector: "repeated-call", grade: "still" }))).toBe("nudge");
    expect(rungOf(found(99), { ladders: {} })).toBeUndefined();
    expect(rungOf(found(99, { detector: "budget", grade: "steps" }))).toBeUndefined();
  });
});

it("a loop that goes on is nudged once, forced once, and ended on the step after that", () => {
  expect(rungs(growing(7)).join(" ")).toBe("- - nudge - force-done short-circuit short-circuit");
});

describe("what is only suspected", () => {
  const suspected = (count: number, over: Partial<Finding> = {}) =>
    found(count, { detector: "repeated-message", grade: "reworded", ...over });
  const suspicion = (steps: number) => times(steps, (i) => suspected(i + 1));
  const told = (said: readonly string[]) =>
    said.flatMap((rung, i) => (rung === "-" ? [] : [`${i + 1} ${rung}`])).join(", ");

  it("is told twice, forced when neither word was heeded, and ended only after that", () => {
    const expected = "5 nudge, 10 nudge, 16 force-done, 17 short-circuit, 18 short-circuit";
    expect(told(rungs(suspicion(18)))).toBe(expected);
  });

  it("is told first, whatever its count, and has as many steps to heed each word as in a run that was watched from the start", () => {
    const late = [...times(19, () => undefined), ...times(14, (i) => suspected(20 + i))];
    expect(told(rungs(late))).toBe("20 nudge, 25 nudge, 31 force-done, 32 short-circuit, 33 short-circuit");
  });

  it("is told afresh when the run had left it", () => {
    const returned = times(6, (i) => suspected(5 + i, { evidence: times(5 + i, (k) => 20 + k) }));
    const story = [...suspicion(12), ...times(13, () => undefined), ...returned];
    expect(told(rungs(story))).toBe("5 nudge, 10 nudge, 26 nudge, 31 nudge");
  });

  it("is forced by a history that comes whole only once a word of this guard was not heeded", () => {
    let memory: Memory = noMemory;
    const said = suspicion(30).map((finding, i) => {
      const decided = chooseRung([finding], memory, policy, { ...at(i), toldAt: Math.max(i, 19) });
      memory = decided.memory;
      return decided.decision?.rung ?? "-";
    });
    expect(told(said)).toBe("5 nudge, 20 nudge, 25 nudge");
  });

  it.each([
    [{ "force-done": 8 }, "5 nudge, 8 force-done, 9 short-circuit"],
    [{ nudge: 3, "second-nudge": 4, "force-done": 4 }, "3 nudge, 4 force-done, 5 short-circuit"],
    [{ "short-circuit": 12 }, "5 nudge, 10 nudge, 12 short-circuit"],
  ])("goes by a policy's own counts: %j", (ladder, said) => {
    const ladders = { "repeated-message:reworded": { ...policy.ladders["repeated-message:reworded"], ...ladder } };
    expect(told(rungs(suspicion(12), { ladders }))).toMatch(new RegExp(`^${said}`));
  });
});

const again = (first: number, count: number) => found(count, { evidence: times(count, (i) => first + i) });

it("a loop that returns starts one rung higher than it would", () => {
  const story = [...growing(3), ...times(10, () => undefined), undefined, undefined, again(13, 3)];
  expect(rungs(story).at(-1)).toBe("force-done");
});

describe("a user who has just spoken", () => {
  it("caps any count at a nudge", () => {
    expect(chooseRung([found(9)], noMemory, policy, at(8, true)).decision?.rung).toBe("nudge");
  });

  it("does not hold back what the whole dialogue shows", () => {
    const farewell = found(3, { detector: "polite-closure", tools: [], evenIfUserSpoke: true });
    expect(chooseRung([farewell], noMemory, policy, at(2, true)).decision?.rung).toBe("short-circuit");
  });
});

describe("a tool with a ladder of its own", () => {
  const patient = { ladders: { "repeated-call": { nudge: 9 } } } as const;
  const never = { ladders: { "repeated-call": {} } } as const;
  const hasty = { ladders: { "repeated-call": { "short-circuit": 2 } } } as const;
  it.each([
    ["has no other rungs than its own", { read: patient }, ["read"], 7, undefined],
    ["waits for the more patient one of its turn", { read: hasty, click: patient }, ["click", "read"], 8, undefined],
    ["waits for ever for one that has no rungs", { click: never }, ["click", "read"], 99, undefined],
  ])("%s", (_, tools, of, count, rung) => expect(rungOf(found(count, { tools: of }), { tools })).toBe(rung));

  it("goes by its own ladder for a grade, then by its own main one", () => {
    const ladders = { "repeated-call": { nudge: 6 }, "repeated-call:send": { nudge: 4 } };
    const of = (grade: string, count: number) => rungOf(found(count, { grade }), { tools: { read: { ladders } } });
    expect([of("send", 4), of("failing", 5), of("failing", 6)]).toEqual(["nudge", undefined, "nudge"]);
  });
});

it("an extra grade has no ladder but its own", () => {
  const similar = found(99, { detector: "repeated-message", grade: "similar", tools: [] });
  expect(rungOf(similar)).toBeUndefined();
  expect(rungOf(similar, { ladders: { "repeated-message:similar": { nudge: 3 } } })).toBe("nudge");
});

it("what is remembered is bounded: the oldest loops are forgotten", () => {
  let memory = noMemory;
  for (let i = 0; i < 500; i++)
    memory = chooseRung([found(3, { loop: `loop ${i}`, evidence: [i * 100] })], memory, policy, at(i * 100)).memory;
  expect(Object.keys(memory.loops)).toHaveLength(32);
  expect(memory.loops).toHaveProperty("loop 499");
});

it.each([
  { name: "is left alone for four steps more", step: 10, rung: undefined },
  { name: "is told first after those, whatever its count", step: 11, rung: "nudge" },
  { name: "holds no longer once it was confirmed", step: 10, confirmed: 1, rung: "short-circuit" },
  { name: "holds for nothing that came after it", step: 10, evidence: [7, 8, 9], rung: "short-circuit" },
  { name: "holds for no plan", step: 10, course: {}, rung: "short-circuit" },
])("what a judge has cleared $name", ({ step, confirmed = 0, rung, name: _, ...over }) => {
  const memory = { ...noMemory, doubt: { at: 6, confirmed } };
  expect(chooseRung([found(7, over)], memory, policy, at(step)).decision?.rung).toBe(rung);
});

it("what a judge has said of a doubt is kept where nothing is found", () => {
  const doubt = { at: 3, confirmed: 1 };
  expect(chooseRung([], { ...noMemory, doubt }, policy, at(5)).memory.doubt).toEqual(doubt);
});

it("behind a nudge comes the forced end, behind that the end, or no other rung where a policy says so", () => {
  const after = (rung: Rung, finalResponseAfterFailure: boolean) =>
    rungAfter(rung, { ...policy, finalResponseAfterFailure });
  expect(after("nudge", true)).toBe("force-done");
  expect([after("force-done", true), after("force-done", false)]).toEqual(["short-circuit", "force-done"]);
});

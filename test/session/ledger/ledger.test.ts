import { describe, expect, it } from "vitest";
import { advance, emptyLedger, readLedger, ledgerText } from "../../../src/session/session.ts";
import type { Step } from "../../../src/step.ts";
import { defaultPolicy, judgeWith, ledgerAfter, storyOf } from "../../support/builders/detection.ts";
import { ask, call, conversation, heard, type Part, said, times, together } from "../../support/builders/steps.ts";

const evaluation = judgeWith();
const read = () => call("read", { path: "a" }, "the whole text of a");
const story = (parts: readonly Part[]) => storyOf(conversation(parts));

describe("a blocked thread", () => {
  it("is let go by a user with news: what repeats after that is counted afresh", () => {
    expect(story([...times(6, read), heard("Read it once more, I have changed it."), ...times(3, read)])).toEqual([
      "nudge repeated-call x3 at 2",
      "force-done repeated-call x5 at 4",
      "nudge repeated-call x3 at 8",
    ]);
  });

  it("is not let go by a prompt to go on", () => {
    expect(story([...times(5, read), heard("continue"), read()]).at(-1)).toBe("short-circuit repeated-call x6 at 5");
  });

  it("is not let go by our own words", () => {
    const ours = heard("[unloop] You have made the same call 5 times.");
    expect(story([...times(5, read), ours, read()]).at(-1)).toBe("short-circuit repeated-call x6 at 5");
  });
});

describe("the language of what is told", () => {
  const languages = (parts: readonly Part[], policy = defaultPolicy()) =>
    ledgerAfter(conversation(parts), judgeWith({ policy })).interventions.map(({ language }) => language);

  it.each([
    { name: "that of the task", parts: [heard("バグを直してください"), ...times(3, read)], expected: ["ja"] },
    {
      name: "not that of a harness that says continue",
      parts: [heard("バグを直してください"), ...times(3, read).flatMap((step) => [step, heard("continue")])],
      expected: ["ja"],
    },
    {
      name: "not that of a number",
      parts: [heard("请修复错误"), said("几个?"), heard("42"), ...times(3, read)],
      expected: ["zh"],
    },
    {
      name: "that of the user's latest news",
      parts: [heard("Fix it."), said("Which?"), heard("全部のファイルを直してください"), ...times(3, read)],
      expected: ["ja"],
    },
    {
      name: "not that of our own nudge",
      parts: [heard("バグを直してください"), heard("[unloop] You have made the same call."), ...times(3, read)],
      expected: ["ja"],
    },
  ])("is $name", ({ parts, expected }) => expect(languages(parts)).toEqual(expected));

  it("is the policy's where it names one", () => {
    expect(languages([heard("Fix it."), ...times(3, read)], { ...defaultPolicy(), language: "zh" })).toEqual(["zh"]);
  });
});

describe("what is stored", () => {
  it("holds no text of the conversation", () => {
    const told = conversation(
      times(6, () => [
        { ...call("read", { path: "SECRET-ARGUMENT" }, "Error: SECRET-OUTCOME"), text: "SECRET-TEXT" },
        heard("SECRET-USER"),
      ]).flat(),
      "SECRET-SYSTEM",
    );
    expect(JSON.stringify(ledgerAfter(told))).not.toMatch(/SECRET/i);
  });

  it("stays under one megabyte for a thousand different parallel calls in each step of a full window", () => {
    const wide = (n: number): Step =>
      together(...times(1_000, (i) => ask(`tool_${"x".repeat(200)}_${i}`, { n, i }, `Error: no ${n} ${i}`)));
    let ledger = emptyLedger(conversation([]), evaluation);
    for (let n = 0; n < 66; n++)
      ledger = advance(
        ledger,
        { ...wide(n % 3), heard: n % 7 === 6 ? times(500, (i) => `news ${n} ${i}`) : [] },
        evaluation,
      );
    expect(JSON.stringify(ledger).length).toBeLessThan(1_000_000);
  });

  it("stays under fifty kilobytes for a run of ordinary steps of any length", () => {
    const sizeAfter = (steps: number) =>
      JSON.stringify(ledgerAfter(conversation(times(steps, (i) => call("read", { i: i % 5 }, `text ${i % 9}`)))))
        .length;
    expect(sizeAfter(300)).toBeLessThan(50_000);
    expect(sizeAfter(300) - sizeAfter(150)).toBeLessThan(2_000);
  });
});

describe("a stored record", () => {
  const ledger = () => ledgerAfter(conversation(times(4, read)));
  const good = () => JSON.parse(ledgerText(ledger()));
  const read_ = (value: unknown) => readLedger(JSON.stringify(value));

  it("is read as it was written", () => expect(readLedger(ledgerText(ledger()))).toEqual(ledger()));

  it.each([
    { name: "of another version", value: () => ({ ...good(), schema: 1 }) },
    { name: "with nothing but a version", value: () => ({ schema: good().schema }) },
    { name: "whose window is no list", value: () => ({ ...good(), window: "x" }) },
    { name: "whose steps are not steps", value: () => ({ ...good(), window: [null, 1] }) },
    { name: "whose step was cut", value: () => ({ ...good(), window: [{ k: "key" }] }) },
    { name: "whose calls are none", value: () => ({ ...good(), window: [{ k: "key", c: ["call"] }] }) },
    { name: "whose counters are no numbers", value: () => ({ ...good(), total: "many" }) },
    { name: "whose interventions are none", value: () => ({ ...good(), interventions: [null] }) },
    { name: "without a memory", value: () => ({ ...good(), memory: null }) },
    { name: "that is a list", value: () => [] },
    { name: "that is null", value: () => null },
  ])("$name is none", ({ value }) => expect(read_(value())).toBeUndefined());

  it.each(["", "{", "garbage", "\u0000"])("of no JSON is none: %j", (json) => expect(readLedger(json)).toBeUndefined());

  it("cut anywhere is none", () => {
    const json = JSON.stringify(good());
    for (let end = 0; end < json.length; end += 97) expect(readLedger(json.slice(0, end))).toBeUndefined();
  });
});

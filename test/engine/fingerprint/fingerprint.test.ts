import { requestWork } from "../../../src/work.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Fingerprint,
  fingerprintOf,
  heardSignature,
  stepKey,
  type ToolRules,
} from "../../../src/engine/engine.ts";
import type { Step } from "../../../src/step.ts";
import { printOf, sign } from "../../support/builders/detection.ts";
import { ask, call, said, times, together } from "../../support/builders/steps.ts";

const withRules = (step: Step, rules: ToolRules): Fingerprint =>
  fingerprintOf(step, sign, rules, new Set(), { work: requestWork() });
const meaning = ({ callsHash, outcomesHash }: Fingerprint) => ({ callsHash, outcomesHash });

describe("a parallel turn", () => {
  const read = ask("read", { path: "a" }, "text of a");
  const list = ask("list", {}, "a b c");
  it("counts a duplicate once", () => {
    expect(meaning(printOf(together(read, read)))).toEqual(meaning(printOf(together(read))));
    expect(printOf(together(read, read, list, read)).calls).toHaveLength(2);
  });

  it("keeps few of very many calls, and still knows them all by their signature", () => {
    const many = (last: string) =>
      together(...times(1_000, (i) => ask("get", { i }, `n${i}`)), ask("get", { last }, "x"));
    expect(printOf(many("a")).calls.length).toBeLessThanOrEqual(32);
    expect(JSON.stringify(printOf(many("a"))).length).toBeLessThan(12_000);
    expect(printOf(many("a")).callsHash).not.toBe(printOf(many("b")).callsHash);
  });
});

describe("what a policy says about a tool", () => {
  const click = (index: number, note: string) => call("click", { index, note }, "ok");

  it("compares only the named arguments, or leaves out the ignored ones", () => {
    const acts = (rules: ToolRules) =>
      [click(5, "a"), click(5, "b"), click(6, "a")].map((one) => withRules(one, rules).callsHash);
    const [named, noted, other] = acts({ click: { only: ["index"] } });
    expect([named === noted, named === other]).toEqual([true, false]);
    const [first, second] = acts({ click: { ignore: ["note"] } });
    expect(first).toBe(second);
  });

  it.each([
    { name: "not, as usual", ignore: undefined, same: true },
    { name: "where nothing is left out", ignore: [], same: false },
  ])("takes a trace id beside other arguments for part of the call: $name", ({ ignore, same }) => {
    const rules = ignore === undefined ? {} : { get_log: { ignore } };
    const at = (trace_id: string) => withRules(call("get_log", { host: "a", trace_id }, "ok"), rules).callsHash;
    expect(at("1") === at("2")).toBe(same);
  });

  it("reads rules by pattern, the longest first, a tool's own before them, what they do not say from those for all", () => {
    const rules = {
      "slack_*": { kind: "send" },
      "slack_get_*": { kind: "other" },
      slack_get_ready: { kind: "poll" },
      "*": { only: ["id"] },
    } as const;
    const kinds = ["slack_share", "Slack_Share", "slack_get_users", "slack_get_ready", "share"].map(
      (tool) => withRules(call(tool, { id: 1 }, "x"), rules).calls[0]?.kind,
    );
    expect(kinds).toEqual(["send", "send", "other", "poll", "other"]);
    const at = (note: string) => withRules(call("slack_share", { id: 1, note }, "x"), rules).callsHash;
    expect(at("a")).toBe(at("b"));
  });
});

describe("what was heard", () => {
  const hears = (heard: readonly string[], before: readonly string[] = []) =>
    fingerprintOf({ ...said("Done."), heard }, sign, {}, new Set(before.map((text) => heardSignature(text, sign))), {
      work: requestWork(),
    }).heard;

  it.each([
    { name: "nothing", heard: [], expected: "nothing" },
    { name: "a new instruction", heard: ["Now book the hotel."], expected: "user" },
    { name: "go on", heard: ["continue"], expected: "prompt" },
  ])("$name: $expected", ({ heard, expected }) => expect(hears(heard)).toBe(expected));

  it.each([
    { name: "a heartbeat", text: "HEARTBEAT", expected: "again" },
    { name: "a harness that goes on", text: "Please keep working on the task by any approach.", expected: "prompt" },
  ])("tells whoever asks the same again from a harness: $name", ({ text, expected }) => {
    expect(hears([text], [text])).toBe(expected);
    expect(hears([text])).toBe("user");
  });
});

it("tells equal turns apart by their call ids alone", () => {
  const step = (id: string): Step => ({ ...call("ls"), calls: [{ ...ask("ls"), id }] });
  expect(stepKey(step("a"), sign)).not.toBe(stepKey(step("b"), sign));
  expect(printOf(step("a")).callsHash).toBe(printOf(step("b")).callsHash);
});

it("keeps no text of the conversation", () => {
  const marker = fc.stringMatching(/^[a-z]{6}QQ[a-z]{6}$/);
  fc.assert(
    fc.property(marker, marker, marker, marker, (argument, outcome, text, user) => {
      const step = { ...call("read", { path: argument }, `Error: ${outcome}`), text, heard: [user] };
      const kept = JSON.stringify(printOf(step));
      for (const secret of [argument, outcome, text, user]) expect(kept).not.toContain(secret);
    }),
  );
});

it("takes equal calls of which the wire says that one failed for failed, in any order", () => {
  const both = [ask("read", {}, "rows", true), ask("read", {}, "rows")];
  for (const calls of [both, both.toReversed()])
    expect(printOf(together(...calls)).calls.map(({ outcome }) => outcome?.failed)).toEqual([true]);
});

it.each(['{"a":{"toString":false}}', '{"a":[{"toString":1,"valueOf":2}],"b":3}'])(
  "reads arguments with fields of any name: %s",
  (args) => {
    const step: Step = { calls: [{ tool: "read", args, outcome: { text: "page 7" } }], text: "", heard: [] };
    expect(() => printOf(step)).not.toThrow();
  },
);

describe("what a call is about", () => {
  const placeOf = (tool: string, args: object) => printOf(call(tool, args, "done")).calls[0]?.place;

  it("is told by its arguments of one word", () => {
    const [one, same, other] = [
      ["a@b.example", "a first"],
      ["a@b.example", "another"],
      ["c@b.example", "a first"],
    ].map(([to, body]) => placeOf("send_email", { to, body: `${body} text` }));
    expect([one === same, one === other]).toEqual([true, false]);
  });

  it("is told at any depth, and a folder may name itself", () => {
    const about = (path: string) => placeOf("read_file", { of: [{ path }] });
    expect(about("src/./a.ts")).toBe(about("./src/a.ts"));
    expect(about("src/b.ts")).not.toBe(about("src/a.ts"));
  });
});

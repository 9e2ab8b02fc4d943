import { describe, expect, it } from "vitest";
import type { Policy } from "../../../src/policy/policy.ts";
import { mergeHistory, lookaheadFor } from "../../../src/session/session.ts";
import type { Step } from "../../../src/step.ts";
import { defaultPolicy, judgeWith, line } from "../../support/builders/detection.ts";
import { asAnswered } from "../../support/builders/run.ts";
import { call, conversation, heard, type Part, times } from "../../support/builders/steps.ts";

const read = (text: string) => call("read_file", { path: "a" }, text);

const send = (id = "1") => call("send_message", { text: "hello" }, `sent as ${id}`);
const fail = call("run_tests", {}, "Error: 3 failed", true);

const [a, b] = [call("open", { page: "a" }, "page a"), call("open", { page: "b" }, "page b")];
const user = heard("Now something else entirely, please.");

function watched(parts: readonly Part[], terms: Partial<Policy> = {}) {
  const evaluation = judgeWith({ policy: { ...defaultPolicy(), ...terms } });
  const told = conversation(parts);
  return lookaheadFor(mergeHistory(undefined, told, evaluation), told, evaluation);
}

/** What taking a step would lead to. */
function leadsTo(parts: readonly Part[], step: Step, terms?: Partial<Policy>): string | undefined {
  const made = watched(parts, terms)?.predict(asAnswered(step));
  return made === undefined ? undefined : line(made.intervention).replace(/ at \d+$/, "");
}

describe("an answer's step that would complete a loop", () => {
  it.each<{ name: string; parts: readonly Part[]; step: Step; to: string | undefined }>([
    {
      name: "the third time with one outcome",
      parts: [read("x"), read("x")],
      step: read(""),
      to: "nudge repeated-call x3",
    },
    { name: "a message to a person, the second time", parts: [send()], step: send(), to: "nudge repeated-call x2" },
    { name: "the third lap of two", parts: [a, b, a, b, a], step: b, to: "nudge call-cycle x3" },
  ])("is seen before it is taken: $name", ({ parts, step, to }) => {
    expect(leadsTo(parts, step)).toBe(to);
  });
});

describe("work that goes on", () => {
  it.each<{ name: string; parts: readonly Part[] }>([
    {
      name: "each run of the tests follows an edit",
      parts: times(4, (i) => [call("edit_file", { path: "a", text: `${i}` }, "ok"), fail]).flat(),
    },
    { name: "a user has spoken since", parts: [read("x"), read("x"), user] },
  ])("arms nothing: $name", ({ parts }) => {
    expect(watched(parts)?.predict(asAnswered(read("")))).toBeUndefined();
    expect(leadsTo(parts, fail)).toBeUndefined();
  });
});

describe("the ladder that an answer is judged by", () => {
  const twice = [read("x"), read("x")];
  it.each<{ name: string; terms: Partial<Policy>; to: string | undefined }>([
    {
      name: "the policy's",
      terms: { ladders: { "repeated-call": { "short-circuit": 3 } } },
      to: "short-circuit repeated-call x3",
    },
    {
      name: "the tool's own",
      terms: { tools: { read_file: { ladders: { "repeated-call": { "force-done": 3 } } } } },
      to: "force-done repeated-call x3",
    },
  ])("is $name", ({ terms, to }) => {
    expect(leadsTo(twice, read(""), terms)).toBe(to);
  });
});

import { expect, it } from "vitest";
import type { Policy } from "../../../src/policy/policy.ts";
import { mergeHistory, lookaheadFor } from "../../../src/session/session.ts";
import type { Step } from "../../../src/step.ts";
import { defaultPolicy, judgeWith, line } from "../../support/builders/detection.ts";
import { asAnswered } from "../../support/builders/run.ts";
import { call, conversation, heard, type Part, times } from "../../support/builders/steps.ts";

const read = call("read_file", { path: "a" }, "x");
const send = call("send_message", { text: "hello" }, "sent as 1");
const fail = call("run_tests", {}, "Error: 3 failed", true);
const edits = times(4, (i) => [call("edit_file", { path: "a", text: `${i}` }, "ok"), fail]).flat();

it.each<{ name: string; parts: readonly Part[]; step: Step; to?: string; terms?: Partial<Policy> }>([
  { name: "the third time with one outcome", parts: [read, read], step: read, to: "nudge repeated-call x3" },
  { name: "a message to a person, the second time", parts: [send], step: send, to: "nudge repeated-call x2" },
  {
    ...{ name: "by the tool's own ladder", parts: [read, read], step: read, to: "force-done repeated-call x3" },
    terms: { tools: { read_file: { ladders: { "repeated-call": { "force-done": 3 } } } } },
  },
  { name: "no run of the tests behind an edit", parts: edits, step: fail },
  { name: "nothing that a user has asked for since", parts: [read, read, heard("Now something else.")], step: read },
])("an answer's step that would complete a loop is seen before it is taken: $name", ({ parts, step, to, terms }) => {
  const evaluation = judgeWith({ policy: { ...defaultPolicy(), ...terms } });
  const told = conversation(parts);
  const made = lookaheadFor(mergeHistory(undefined, told, evaluation), told, evaluation)?.predict(asAnswered(step));
  expect(made && line(made.intervention).replace(/ at \d+$/, "")).toBe(to);
});

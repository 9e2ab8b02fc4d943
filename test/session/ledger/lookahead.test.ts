import { expect, it, describe } from "vitest";
import { type Policy, presetNamed } from "../../../src/policy/policy.ts";
import { mergeHistory, lookaheadFor } from "../../../src/session/session.ts";
import type { Step } from "../../../src/step.ts";
import { defaultPolicy, judgeWith, line } from "../../support/builders/detection.ts";
import { asAnswered } from "../../support/builders/run.ts";
import { call, conversation, heard, type Part, times } from "../../support/builders/steps.ts";
import fc from "fast-check";
import { rungs } from "../../../src/policy/schema.ts";

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

const tools = ["read_file", "send_message", "update_row", "tail_log"];
const texts = [
  "same",
  "The import has written 37 rows into the table of customers so far.",
  "The import has written 74 rows into the table of customers so far.",
  "The import has written 75 rows into the table of customers so far.",
  "Error: the table of customers is locked by another job.",
];
const steps = fc.record({ tool: fc.constantFrom(...tools), text: fc.constantFrom(...texts) });
const histories = fc.array(steps, { minLength: 2, maxLength: 10 });
const news = "Forty green umbrellas stand before the western door of the old theatre";

const strength = (rung: string | undefined): number => rungs.findIndex((one) => one === rung);

// `web-actions` compares pages, and by its rule the next page is the last one but for tokens: its documented counts hold there.
describe.each(["default", "user-simulator"])("by the preset %s", (name) => {
  it("no step is held back more than history would say of whatever plausible outcome it had", () => {
    const policy = presetNamed(name);
    if (policy === undefined) throw new Error(`there is no preset ${name}`);
    const evaluation = judgeWith({ policy });
    fc.assert(
      fc.property(histories, (history) => {
        const taken = history.map(({ tool, text }) => call(tool, { of: "it" }, text));
        const told = conversation(taken);
        const before = mergeHistory(undefined, told, evaluation);
        for (const tool of new Set(history.map((step) => step.tool))) {
          const foreseen = lookaheadFor(before, told, evaluation)?.predict(asAnswered(call(tool, { of: "it" })));
          if (foreseen === undefined) continue;
          const known = new Set(history.filter((step) => step.tool === tool).map(({ text }) => text));
          const went = [...known].some((text) => !text.startsWith("Error"));
          for (const text of known.size > 1 && went ? [...known, news] : known) {
            const after = mergeHistory(undefined, conversation([...taken, call(tool, { of: "it" }, text)]), evaluation);
            expect([tool, text, strength(after.now?.intervention.rung)]).toEqual([
              tool,
              text,
              expect.toSatisfy((found: number) => found >= strength(foreseen.intervention.rung)),
            ]);
          }
        }
      }),
    );
  });
});

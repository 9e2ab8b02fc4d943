import { describe, expect, it } from "vitest";
import type { Policy } from "../../../src/policy/policy.ts";
import { parseRecorded } from "../../../src/protocols/protocols.ts";
import { advance, emptyLedger, isQuiet, type Ledger } from "../../../src/session/session.ts";
import { allCases } from "../../support/builders/cases.ts";
import { defaultPolicy, judgeWith } from "../../support/builders/detection.ts";
import { call, conversation, type Part, times } from "../../support/builders/steps.ts";

function after(parts: readonly Part[], policy: Policy): Ledger {
  const told = conversation(parts);
  const evaluation = judgeWith({ policy });
  return told.steps.reduce((ledger, step) => advance(ledger, step, evaluation), emptyLedger(told, evaluation));
}

const WORDS = [
  "One parcel waits.",
  "Rain tomorrow, they say.",
  "The contract has ended.",
  "Nothing to report here, Sir.",
];
const read = (i: number) => call("read_file", { path: `${i}` }, WORDS[i % WORDS.length] ?? "");
const noResults = (q: string) => call("search", { q }, "No results.");
const send = call("send_message", { text: "hello" }, "sent as 1");

describe("a thread is quiet", () => {
  it.each<{ name: string; parts: readonly Part[]; policy?: Partial<Policy>; quiet: boolean }>([
    { name: "as long as all that comes back is new", parts: times(4, read), quiet: true },
    { name: "not when two results are alike", parts: [noResults("a"), read(0), noResults("b")], quiet: false },
    { name: "not when a call was made twice", parts: [read(1), read(1)], quiet: false },
    { name: "not when a message was sent, which is too much the second time", parts: [read(0), send], quiet: false },
    {
      name: "not where the policy acts on two of what only results tell",
      parts: times(4, read),
      policy: { ladders: { "no-progress": { nudge: 2 } } },
      quiet: false,
    },
  ])("$name", ({ parts, policy, quiet }) => {
    const terms = { ...defaultPolicy(), ...policy };
    expect(isQuiet(after(parts, terms), terms)).toBe(quiet);
  });

  it("a thread is quiet where one more step with a call leads to nothing, and nowhere else", () => {
    const policy = defaultPolicy();
    const evaluation = judgeWith({ policy });
    const [wrong, steps] = [[] as string[], { all: 0, quiet: 0 }];
    for (const { id, messages } of allCases) {
      const told = parseRecorded({ messages })?.conversation;
      if (told === undefined) continue;
      let ledger = emptyLedger(told, evaluation);
      for (const step of told.steps) {
        const quiet = isQuiet(ledger, policy) && ledger.interventions.length === 0 && step.calls.length > 0;
        ledger = advance(ledger, step, evaluation);
        steps.all += 1;
        if (!quiet) continue;
        steps.quiet += 1;
        if (ledger.interventions.length > 0) wrong.push(`${id}: step ${ledger.total}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(steps.quiet / steps.all).toBeGreaterThan(0.25);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { presetNamed } from "../../../src/policy/policy.ts";
import { rungs } from "../../../src/policy/budget.ts";
import { mergeHistory, lookaheadFor } from "../../../src/session/session.ts";
import { judgeWith } from "../../support/builders/detection.ts";
import { asAnswered } from "../../support/builders/run.ts";
import { call, conversation } from "../../support/builders/steps.ts";

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

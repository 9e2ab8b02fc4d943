import { describe, expect, it } from "vitest";
import type { Policy } from "../../../src/index.ts";
import { mergeHistory, type Ledger, usageIn, startOf } from "../../../src/session/session.ts";
import { policyFrom } from "../../../src/policy/policy.ts";
import { judgeWith, line, stored } from "../../support/builders/detection.ts";
import { call, conversation, numbered, times, upTo } from "../../support/builders/steps.ts";

const prices = { "*": { input: 1, output: 1 } };
const limited = (budget: Policy["budget"]) => policyFrom({ extends: null, budget, prices });

describe("what was counted", () => {
  const totals = { steps: 9, inputTokens: 70, outputTokens: 30, cost: 12, started: 1000, starts: 1 };

  it("is told as far as it is limited", () => {
    expect(usageIn(totals, limited({ tokens: 1, cost: 1, seconds: 1 }), 1060)).toEqual({
      tokens: 100,
      cost: 12,
      seconds: 60,
    });
    expect(usageIn(totals, limited({ tokens: 1 }), 1060)).toEqual({ tokens: 100 });
    expect(usageIn(totals, limited({ steps: 1 }), 1060)).toBeUndefined();
  });

  it("begins with the first request, or between the first ones where several came at once", () => {
    expect(startOf({}, 1000)).toEqual({ started: 1000, starts: 1 });
    expect(startOf(totals, 2000)).toEqual({});
    expect(usageIn({ started: 3006, starts: 3 }, limited({ seconds: 1 }), 1010)).toEqual({ seconds: 8 });
  });

  it("is not less than nothing where clocks differ", () => {
    expect(usageIn(totals, limited({ seconds: 1 }), 990)).toEqual({ seconds: 0 });
  });
});

describe("a thread", () => {
  const policy = limited({ tokens: 100 });
  const run = numbered(conversation(times(8, (i) => call("read", { page: i }, `text of page ${i}`))));

  /** Requests with so many steps, at so many tokens; what each led to, and how many notes it carries. */
  function storyOf(requests: readonly (readonly [steps: number, tokens: number])[]): readonly string[] {
    let ledger: Ledger | undefined;
    return requests.map(([steps, tokens]) => {
      const { now, earlier, save } = mergeHistory(ledger, upTo(run, steps), judgeWith({ policy, usage: { tokens } }));
      if (save !== undefined) ledger = stored(save);
      return `${now === undefined ? "ok" : line(now.intervention)} +${earlier.length}`;
    });
  }

  it("is warned, made to finish, and ended", () => {
    expect(
      storyOf([
        [1, 74],
        [2, 75],
        [3, 99],
        [4, 100],
        [5, 101],
      ]),
    ).toEqual([
      "ok +0",
      "nudge budget x75 at 1 +0",
      "ok +1",
      "force-done budget x100 at 3 +1",
      "short-circuit budget x101 at 4 +2",
    ]);
  });

  it("that asks the same again is judged by what is used up by now", () => {
    expect(
      storyOf([
        [1, 74],
        [1, 80],
        [1, 100],
        [1, 125],
      ]),
    ).toEqual([
      "ok +0",
      "nudge budget x80 at 0 +0",
      "force-done budget x100 at 0 +0",
      "short-circuit budget x125 at 0 +0",
    ]);
  });

  it("that begins when all is used up long since is ended at once, and not before", () => {
    expect(
      storyOf([
        [0, 124],
        [0, 125],
      ]),
    ).toEqual(["ok +0", "short-circuit budget x125 at 0 +0"]);
  });
});

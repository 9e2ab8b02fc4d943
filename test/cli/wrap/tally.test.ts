import { expect, it } from "vitest";
import { summaryOf, tallying } from "../../../src/cli/wrap/tally.ts";

it.each([
  { name: "nothing", exchanges: [], says: /^unloop: no guarded request came through\..*doctor/ },
  {
    name: "healthy steps",
    exchanges: [
      { verdict: "ok", inputTokens: 1_000, outputTokens: 200 },
      { verdict: "ok", inputTokens: 34 },
    ],
    says: /^unloop: 2 steps, no loop, 1,234 tokens$/,
  },
  {
    name: "loops and what was done",
    exchanges: [
      { verdict: "nudge", detector: "repeated-call", rung: "nudge" },
      { verdict: "force-done", detector: "repeated-call", rung: "force-done" },
      { verdict: "nudge", detector: "repeated-call", rung: "nudge" },
      { verdict: "ok", runaway: { laps: 9 } },
    ],
    says: /^unloop: 4 steps, 2 loops \(repeated-call: nudge ×2, force-done; runaway-output: cut\)$/,
  },
  {
    name: "what could not be read",
    exchanges: [{ verdict: "unguarded" }],
    says: /^unloop: 0 steps, no loop, 1 request passed unread$/,
  },
])("sums up $name in a line", ({ exchanges, says }) => {
  const { log, tally } = tallying();
  for (const facts of exchanges) log.info(facts, "exchange");
  log.info({ verdict: "ok" }, "listening");
  expect(summaryOf(tally)).toMatch(says);
});

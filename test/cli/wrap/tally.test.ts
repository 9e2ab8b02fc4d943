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
    name: "failures alone",
    exchanges: [
      { verdict: "ok", status: 502 },
      { verdict: "ok", status: 502 },
    ],
    says: /^unloop: 2 requests, both failed \(502\)\..*doctor/,
  },
  {
    name: "one failure",
    exchanges: [{ verdict: "ok", status: 0 }],
    says: /^unloop: 1 request, which failed \(no answer\)\./,
  },
  {
    name: "failures beside steps",
    exchanges: [
      { verdict: "ok", status: 429 },
      { verdict: "unguarded", status: 404 },
      { verdict: "nudge", detector: "repeated-call", rung: "nudge", status: 503 },
      { verdict: "short-circuit", detector: "repeated-call", rung: "short-circuit", status: 400 },
    ],
    says: /^unloop: 1 step, 1 loop \(repeated-call: nudge, short-circuit\), 3 requests failed \(429, 404, 503\)$/,
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

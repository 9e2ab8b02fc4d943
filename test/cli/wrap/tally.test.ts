import { expect, it } from "vitest";
import { summaryOf, tallying } from "../../../src/cli/wrap/tally.ts";

const act = { detector: "repeated-call", rung: "nudge" };

it.each([
  [[], /^unloop: no guarded request came through\..*doctor/],
  [[{ inputTokens: 1_000, outputTokens: 200 }, { inputTokens: 34 }], /^unloop: 2 steps, no loop, 1,234 tokens$/],
  [
    [act, { ...act, rung: "force-done" }, act, { runaway: { laps: 9 } }],
    /^unloop: 4 steps, 2 loops \(repeated-call: nudge ×2, force-done; runaway-output: cut\)$/,
  ],
  [[{ status: 502 }, { status: 502 }], /^unloop: 2 requests, both failed \(502\)\..*doctor/],
  [[{ status: 0 }], /^unloop: 1 request, which failed \(no answer\)\./],
  [
    [{ status: 429 }, { ...act, status: 503 }, { ...act, rung: "short-circuit", status: 400 }],
    /^unloop: 1 step, 1 loop \(repeated-call: nudge, short-circuit\), 2 requests failed \(429, 503\)$/,
  ],
  [[{ verdict: "unguarded" }], /^unloop: 0 steps, no loop, 1 request passed unread$/],
])("sums up in a line: %j", (exchanges, says) => {
  const { log, tally } = tallying();
  for (const facts of exchanges) log.info({ verdict: "ok", ...facts }, "exchange");
  log.info({ verdict: "ok" }, "listening");
  expect(summaryOf(tally)).toMatch(says);
});

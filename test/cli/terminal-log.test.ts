import { expect, it } from "vitest";
import { terminalLog } from "../../src/cli/serve.ts";

it("a log for people has the time, what happened, and what is worth a look", () => {
  const lines: string[] = [];
  const log = terminalLog({ log: "info" }, (line) => lines.push(line));
  log.debug({}, "hidden");
  log.info({ verdict: "nudge", session: "v8od", ownMs: 0.4, inputTokens: 309, outputTokens: 0, count: 3 }, "exchange");
  log.warn({ why: "connect ECONNREFUSED" }, "store-not-ready");
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""))).toEqual([
    "nudge session v8od inputTokens 309 count 3\n",
    "! store-not-ready why connect ECONNREFUSED\n",
  ]);
});

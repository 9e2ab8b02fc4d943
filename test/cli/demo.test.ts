import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { demo } from "../../src/cli/demo.ts";
import { startGuard } from "../support/servers/guarded.ts";

/** The numbers of one line of the figures: without the guard, with it, saved. */
function figures(lines: readonly string[], title: string): readonly number[] {
  const line = lines.find((candidate) => candidate.trim().startsWith(title)) ?? "";
  return (line.match(/[\d,]+/g) ?? []).map((number) => Number(number.replaceAll(",", "")));
}

it("unloop demo shows on one screen that the guard ends the loop that runs to the cap without it, and what that saves", async () => {
  const out = new PassThrough();
  expect(await demo({ out, serve: (upstream) => startGuard({ upstream }) })).toBe(0);
  out.end();
  const lines = (await text(out)).trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(lines.filter((line) => line.length > 80 || line.includes("\u001b"))).toEqual([]);
  expect(figures(lines, "messages sent")[0]).toBe(15);
  expect(figures(lines, "model calls").slice(0, 2)).toEqual([15, 5]);
  const [alone = 0, guarded = 0, saved] = figures(lines, "tokens");
  expect([guarded > 0, saved]).toEqual([true, alone - guarded]);
  expect(lines.at(-1)).toBe(" 2 of the 5 asked again, to replace a repeated call that was held back.");
  const verdicts = lines.flatMap((line) => /(?:msg-\d+|final answer) +([a-z-]+)$/.exec(line)?.[1] ?? []);
  expect(verdicts).toEqual(["ok", "nudge", "force-done"]);
});

import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { demo } from "../../src/cli/demo.ts";
import { startGuard } from "../support/servers/guarded.ts";

async function shown() {
  const out = new PassThrough();
  const exitCode = await demo({ out, serve: (upstream) => startGuard({ upstream }) });
  out.end();
  return { exitCode, lines: (await text(out)).trimEnd().split("\n") };
}

/** The numbers of one line of the figures: without the guard, with it, saved. */
function figures(lines: readonly string[], title: string): readonly number[] {
  const line = lines.find((candidate) => candidate.trim().startsWith(title)) ?? "";
  return (line.match(/[\d,]+/g) ?? []).map((number) => Number(number.replaceAll(",", "")));
}

describe("unloop demo", () => {
  it("fits a terminal of 24 lines and 80 columns and has no colours outside of one", async () => {
    const { exitCode, lines } = await shown();
    expect(exitCode).toBe(0);
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join("\n")).not.toContain("\u001b");
  });

  it("shows that the guard ends the loop that runs to the cap without it, and what that saves", async () => {
    const { lines } = await shown();
    expect(figures(lines, "messages sent")[0]).toBe(15);
    for (const title of ["model calls", "messages sent", "tokens"]) {
      const [alone = 0, guarded = 0, saved] = figures(lines, title);
      expect(guarded).toBeGreaterThan(0);
      expect(guarded).toBeLessThan(alone);
      expect(saved).toBe(alone - guarded);
    }
  });

  it("counts what the model was asked, the second questions within an answer included", async () => {
    const { lines } = await shown();
    expect(figures(lines, "model calls").slice(0, 2)).toEqual([15, 5]);
    expect(lines.at(-1)).toBe(" 2 of the 5 asked again, to replace a repeated call that was held back.");
  });

  it("shows every verdict in the row of its step", async () => {
    const { lines } = await shown();
    const verdicts = lines.flatMap((line) => /(?:msg-\d+|final answer) +([a-z-]+)$/.exec(line)?.[1] ?? []);
    expect(verdicts).toEqual(["ok", "nudge", "force-done"]);
  });
});

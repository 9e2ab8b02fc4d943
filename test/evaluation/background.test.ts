import { describe, expect, it } from "vitest";
import { UnloopError } from "../../src/errors.ts";
import { inBackground, noMeter } from "../../src/evaluation/evaluation.ts";

/** Runs what fails with this beside an exchange, and gives what is told of it. */
async function toldOf(
  failure: unknown,
): Promise<{ readonly lines: readonly unknown[]; readonly storeFailures: number }> {
  const lines: unknown[] = [];
  const at = (level: string) => (facts: object, event: string) => lines.push({ level, event, ...facts });
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  let storeFailures = 0;
  const storeFailed = () => {
    storeFailures++;
  };
  await inBackground({ log, meter: { ...noMeter, storeFailed } })(async () => {
    throw failure;
  });
  return { lines, storeFailures };
}

describe("what fails beside an exchange", () => {
  it("is counted, and told at the lowest level, where it is the store: its breaker tells of that once", async () => {
    expect(await toldOf(new UnloopError("store_unavailable", "The store failed."))).toEqual({
      lines: [{ level: "debug", event: "store-failed", code: "store_unavailable" }],
      storeFailures: 1,
    });
  });

  it.each([{ name: "a bug", failure: new TypeError("x is not a function"), facts: { error: "TypeError" } }])(
    "is told as an error of the guard where it is $name, and blamed on no store",
    async ({ failure, facts }) => {
      expect(await toldOf(failure)).toEqual({
        lines: [expect.objectContaining({ level: "error", event: "guard-failed", ...facts })],
        storeFailures: 0,
      });
    },
  );
});

import { describe, expect, it } from "vitest";
import { UnloopError } from "../../src/errors.ts";
import { inBackground, noMeter } from "../../src/evaluation/evaluation.ts";
import { guard } from "../../src/proxy/guard.ts";
import type { GuardContext } from "../../src/proxy/guard-context.ts";
import type { AnswerSink, Exchange } from "../../src/transport/transport.ts";

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

it("a request whose endpoint cannot be worked out is answered with an error, and the guard never rejects", async () => {
  const nothing = () => undefined;
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const bug = (): never => {
    throw new TypeError("a bug");
  };
  const statuses: number[] = [];
  const answer: AnswerSink = { head: (status) => void statuses.push(status), write: nothing, end() {}, fail() {} };
  const shared = {
    services: { log, meter: noMeter },
    origins: { knownTo: (incoming: Exchange) => incoming },
    get configuration() {
      return bug();
    },
  } as unknown as GuardContext;
  const exchange = { method: "POST", target: "/v1/chat/completions", fields: {}, answer } as unknown as Exchange;
  await guard(exchange, shared);
  expect(statuses).toEqual([500]);
});

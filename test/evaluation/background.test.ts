import { expect, it } from "vitest";
import { inBackground } from "../../src/evaluation/background.ts";
import { noMeter } from "../../src/evaluation/evaluation.ts";
import { guard } from "../../src/proxy/guard.ts";
import type { GuardContext } from "../../src/proxy/guard-context.ts";
import type { AnswerSink, Exchange } from "../../src/transport/transport.ts";

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
    withOrigin: (incoming: Exchange) => incoming,
    get configuration() {
      return bug();
    },
  } as unknown as GuardContext;
  const exchange = { method: "POST", target: "/v1/chat/completions", fields: {}, answer } as unknown as Exchange;
  await guard(exchange, shared);
  expect(statuses).toEqual([500]);
});

it("a bug beside an exchange is told as one, and blamed on no store", async () => {
  const told: string[] = [];
  const at = (level: string) => (_: object, event: string) => told.push(`${level} ${event}`);
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const run = inBackground({ log, meter: { ...noMeter, storeFailed: () => told.push("store") } });
  await run(() => Promise.reject(new TypeError("a bug")));
  expect(told).toEqual(["error guard-failed"]);
});

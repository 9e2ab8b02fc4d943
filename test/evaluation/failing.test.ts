import { expect, it } from "vitest";
import { noMeter } from "../../src/evaluation/evaluation.ts";
import { endingOnFailure, inFlightThreads } from "../../src/evaluation/in-flight.ts";
import { guard } from "../../src/proxy/guard.ts";
import type { GuardContext } from "../../src/proxy/guard-context.ts";
import type { ThreadKey } from "../../src/store/store.ts";
import type { AnswerSink, Exchange } from "../../src/transport/transport.ts";

const nothing = () => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const bug = (): never => {
  throw new TypeError("a bug");
};

it("an exchange is under way as long as its evaluation can end it, and no longer where that cannot be built", () => {
  const threads = inFlightThreads();
  const thread = "session.thread" as ThreadKey;
  const built = endingOnFailure(threads.begin(thread), () => "evaluation");
  expect([built, threads.begin(thread).wasAlone()]).toEqual(["evaluation", false]);
  const other = "session.other" as ThreadKey;
  expect(() => endingOnFailure(threads.begin(other), bug)).toThrow("a bug");
  expect(threads.begin(other).wasAlone()).toBe(true);
});

it("a request whose endpoint cannot be worked out is answered with an error, and the guard never rejects", async () => {
  const statuses: number[] = [];
  const answer: AnswerSink = { head: (status) => void statuses.push(status), write: nothing, end() {}, fail() {} };
  const shared = {
    services: { log, meter: noMeter },
    get configuration() {
      return bug();
    },
  } as unknown as GuardContext;
  const exchange = { method: "POST", target: "/v1/chat/completions", fields: {}, answer } as unknown as Exchange;
  await guard(exchange, shared);
  expect(statuses).toEqual([500]);
});

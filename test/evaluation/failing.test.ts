import { expect, it } from "vitest";
import { containments } from "../../src/activity/activity.ts";
import { ruleset } from "../../src/config/config.ts";
import {
  type EvaluationServices,
  evaluate,
  headerMetadata,
  inBackground,
  incomingRequest,
  judgeState,
  noMeter,
  processMemory,
  requestContexts,
} from "../../src/evaluation/evaluation.ts";
import { memoryStores } from "../../src/index.ts";
import { chatCompletions } from "../../src/protocols/protocols.ts";
import { guard } from "../../src/proxy/guard.ts";
import type { GuardContext } from "../../src/proxy/guard-context.ts";
import { keyedHash } from "../../src/text/keyed-hash.ts";
import type { AnswerSink, Exchange } from "../../src/transport/transport.ts";
import { standard } from "../proxy/guard-rig.ts";

const nothing = () => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function services(): EvaluationServices {
  const stores = memoryStores();
  const clock = () => performance.now();
  return {
    ...{ stores, log, clock, takesWrites: () => true, now: () => 1, stamp: () => ({ id: "x", created: 1 }) },
    ...{
      sign: keyedHash("s"),
      meter: noMeter,
      inBackground: inBackground({ log, meter: noMeter }),
      threadCache: undefined,
      sessionTtlMs: 60_000,
    },
    activity: { note: nothing, flush: async () => undefined, readers: stores },
    containments: containments({ directives: stores.directives, maxAgeMs: undefined, clock, onReset: nothing }),
    judgeState: judgeState(undefined, async () => undefined),
    memory: processMemory(clock),
    ...{ tenantHeader: undefined, unreadable: "pass" },
  };
}

it("an evaluation that fails leaves nothing under way behind it", async () => {
  let underWay = 0;
  const given = services();
  const inFlight = {
    isAlone: () => true,
    begin() {
      underWay++;
      return { over: () => void underWay--, wasAlone: () => true };
    },
  };
  const of = (): never => {
    throw new TypeError("a bug");
  };
  const context = requestContexts({
    ...given,
    containments: { ...given.containments, of },
    memory: { ...given.memory, inFlight },
  })({
    choice: ruleset([], { rule: undefined, mode: "enforce", policy: standard(), rollout: undefined }).choose({
      ...{ path: "/v1/chat/completions", header: nothing, tenant: undefined, client: undefined },
    }),
    client: undefined,
    protocol: chatCompletions,
  });
  const head = { target: "/v1/chat/completions", fields: {} };
  const body = Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello." }] }));
  const incoming = incomingRequest(head, headerMetadata(head, undefined, context), body, context);
  await expect(evaluate(incoming, undefined, context)).rejects.toThrow("a bug");
  expect(underWay).toBe(0);
});

it("a request whose endpoint cannot be worked out is answered with an error, and the guard never rejects", async () => {
  const statuses: number[] = [];
  const answer: AnswerSink = { head: (status) => void statuses.push(status), write: nothing, end() {}, fail() {} };
  const shared = {
    services: { log, meter: noMeter },
    get configuration() {
      throw new TypeError("a bug");
    },
  } as unknown as GuardContext;
  const exchange = { method: "POST", target: "/v1/chat/completions", fields: {}, answer } as unknown as Exchange;
  await guard(exchange, shared);
  expect(statuses).toEqual([500]);
});

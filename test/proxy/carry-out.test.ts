import { expect, it } from "vitest";
import {
  type Evaluation,
  type IncomingRequest,
  type RequestContext,
  unguardedEvaluation,
} from "../../src/evaluation/evaluation.ts";
import { fallbackProtocol } from "../../src/protocols/protocols.ts";
import { carryOut } from "../../src/proxy/carry-out.ts";
import { type SpeculativeCall, speculativeCall } from "../../src/proxy/relay/upstream-call.ts";
import type { AnswerSink, Exchange, Transport, UpstreamRequest } from "../../src/transport/transport.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
/** Of all that an exchange has only this takes part in sending it. */
const context = { mode: "enforce", protocol: fallbackProtocol, log: silent } as unknown as RequestContext;

const bytes = (text: string) => new TextEncoder().encode(text);

/** Carries out that a request goes upstream with another body; undefined: as it came. */
async function carriedOut(body: string | undefined, isFirst: boolean): Promise<readonly UpstreamRequest[]> {
  const sent: UpstreamRequest[] = [];
  const answer: AnswerSink = { head: () => undefined, write: () => undefined, end() {}, fail() {} };
  const exchange: Exchange = {
    method: "POST",
    target: "/v1/chat/completions",
    fields: { "idempotency-key": "k" },
    gone: new AbortController().signal,
    body: async () => bytes("as it came"),
    stream: () => undefined,
    answer,
  };
  const transport: Transport = {
    accept: () => Promise.reject(new Error("not asked for")),
    async send(request, sink) {
      sent.push(request);
      await new Promise((resolve) => setImmediate(resolve));
      if (request.signal.aborted) throw request.signal.reason;
      sink.head(200, {});
      sink.end();
    },
    close: async () => undefined,
  };
  const upstream = new URL("https://api.example/v1");
  const terms = { transport, upstream, upstreamKey: undefined, body: bytes("as it came") };
  const speculative: SpeculativeCall | undefined = isFirst ? speculativeCall(exchange, terms) : undefined;
  const evaluation: Evaluation = {
    ...unguardedEvaluation({ ...exchange, bytes: bytes("as it came") } as unknown as IncomingRequest, context),
    action: { kind: "forward", verdict: { verdict: "ok" }, ...(body !== undefined && { body }) },
    sent: (text) => bytes(text ?? "as it came"),
  };
  await carryOut(evaluation, {
    exchange,
    destination: { transport, upstream },
    speculative,
    answer,
    report: () => undefined,
  });
  return sent;
}

const told = (sent: readonly UpstreamRequest[]) =>
  sent.map(({ body, fields, signal }) => ({
    body: new TextDecoder().decode(body as Uint8Array),
    key: fields["idempotency-key"],
    ended: signal.aborted,
  }));

it.each([
  { name: "as it came", body: undefined, isFirst: false, sends: [{ body: "as it came", key: "k", ended: false }] },
  { name: "edited", body: "edited", isFirst: false, sends: [{ body: "edited", key: "k", ended: false }] },
  {
    name: "once where it was forwarded first",
    body: undefined,
    isFirst: true,
    sends: [{ body: "as it came", key: "k", ended: false }],
  },
  {
    name: "edited, without the client's key, where it was forwarded first in vain",
    body: "edited",
    isFirst: true,
    sends: [
      { body: "as it came", key: "k", ended: true },
      { body: "edited", key: undefined, ended: false },
    ],
  },
])("a request is sent upstream $name", async ({ body, isFirst, sends }) => {
  expect(told(await carriedOut(body, isFirst))).toEqual(sends);
});

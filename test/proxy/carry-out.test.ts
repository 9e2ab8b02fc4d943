import { expect, it } from "vitest";
import { carryOut } from "../../src/proxy/carry-out.ts";
import { type SpeculativeCall, speculativeCall } from "../../src/proxy/relay/upstream-call.ts";
import type { AnswerSink, Exchange, Transport, UpstreamRequest } from "../../src/transport/transport.ts";

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
  const decided = { kind: "judged", action: { kind: "forward", body }, whole: bytes, considered: { identity: {} } };
  const containments = { watch: () => () => undefined };
  const context = { transport, upstream, mode: "enforce", containments };
  const fold = () => ({ push: () => undefined, end: () => undefined, close: () => undefined, unread: () => 0 });
  // Of all that an exchange has only this takes part in sending it.
  const carry = carryOut as unknown as (...given: readonly object[]) => Promise<unknown>;
  const budgeted = { ...decided, budgetKey: () => undefined };
  await carry(budgeted, { exchange, bytes: bytes("as it came") }, { answer, fold, speculative }, context);
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

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { protocolFor, splitStream } from "../../../src/protocols/protocols.ts";
import { holdback, type HeldAnswer, type HoldbackTerms } from "../../../src/proxy/intercept/holdback.ts";
import type { AnswerSink, Fields } from "../../../src/transport/transport.ts";
import { anyStream, withoutKeepAlives } from "../../support/builders/streams.ts";

const protocol = protocolFor("POST", "/v1/chat/completions") ?? expect.fail("no protocol");

const stream: Fields = { "content-type": "text/event-stream" };
const json: Fields = { "content-type": "application/json" };
const split = (hasTextActions = false) => splitStream(protocol.decoder(), hasTextActions);

function gated(more: Partial<HoldbackTerms> = {}) {
  const heads: [number, Fields][] = [];
  const got: Buffer[] = [];
  let ending: string | undefined;
  const reader: AnswerSink = {
    head: (status, fields) => heads.push([status, fields]),
    write(bytes) {
      if (more.insteadOf?.seen !== true && heads.length === 0) throw new Error("bytes before a head");
      if (ending !== undefined) throw new Error("bytes after the end");
      got.push(Buffer.from(bytes));
    },
    end() {
      if (ending !== undefined) throw new Error("a second end");
      ending = "end";
    },
    fail() {
      ending = "fail";
    },
  };
  const at = holdback(reader, { stream: split(), candidates: undefined, ...more });
  const bytes = () => Buffer.concat(got);
  const held = () => Buffer.from(at.held()?.bytes ?? []).toString();
  return {
    ...{ at, heads, bytes, held, end: () => ending, text: () => bytes().toString() },
    send: (...chunks: readonly object[]) => void chunks.map((chunk) => at.write(Buffer.from(event(chunk)))),
  };
}

const event = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`;
const delta = (delta: object, finish_reason: string | null = null) => ({
  id: "c1",
  choices: [{ index: 0, delta, finish_reason }],
});
const says = (content: string) => delta({ content });
const calls = (name: string) => delta({ tool_calls: [{ index: 0, id: "call_1", function: { name, arguments: "" } }] });
const argues = (text: string) => delta({ tool_calls: [{ index: 0, function: { arguments: text } }] });

const half = Buffer.from(event(argues("x".repeat(500 * 1024))));

it.each([
  { name: "a stream of many events", fields: stream, parts: [Buffer.from(event(calls("search"))), half, half, half] },
  { name: "an answer in one piece", fields: json, parts: [Buffer.alloc(700_000), Buffer.alloc(700_000), half] },
])("what is too much to keep goes through unchanged, whatever it calls: $name", ({ fields, parts }) => {
  const { at, bytes, heads, end } = gated();
  at.head(200, fields);
  for (const part of parts) at.write(part);
  expect(at.isOpen()).toBe(true);
  at.end();
  expect([at.held(), heads, end()]).toEqual([undefined, [[200, fields]], "end"]);
  expect(bytes().equals(Buffer.concat(parts))).toBe(true);
});

it("comments before the first word pass in their order from the second one on", () => {
  const { at, text, heads } = gated();
  at.head(200, stream);
  at.write(Buffer.from(": one\n\n"));
  expect([heads, text()]).toEqual([[], ""]);
  at.write(Buffer.from(": two\n\n: three\n\n"));
  expect([heads, text()]).toEqual([[[200, stream]], ": one\n\n: two\n\n: three\n\n"]);
});

it("an answer passes at once as far as it thinks and speaks, and its calls are kept", () => {
  const { at, send, text, held } = gated();
  at.head(200, stream);
  const spoken = [delta({ role: "assistant", content: "" }), delta({ reasoning_content: "Hm." }), says("I will.")];
  for (const [i, chunk] of spoken.entries()) {
    send(chunk);
    if (i > 0)
      expect(text()).toBe(
        spoken
          .slice(0, i + 1)
          .map(event)
          .join(""),
      );
  }
  send(calls("search"), argues("{}"));
  at.end();
  expect([text(), held()]).toEqual([spoken.map(event).join(""), event(calls("search")) + event(argues("{}"))]);
});

describe("an answer that may take the place of a kept one", () => {
  const kept: HeldAnswer = {
    status: 200,
    fields: stream,
    bytes: Buffer.from("kept"),
    seen: true,
    stream: { state: protocol.decoder().state(), whole: protocol.decoder().state() },
  };

  it("is seen as far as it speaks, under the head that the reader has", () => {
    const { at, send, text, heads, held } = gated({ insteadOf: kept });
    at.head(200, stream);
    send(says("It is"), delta({}, "stop"));
    expect(text()).toBe(event(says("It is")));
    at.end();
    expect([heads, held()]).toEqual([[], event(delta({}, "stop"))]);
  });

  it.each([
    { name: "an error", status: 500, fields: json, insteadOf: kept },
    { name: "JSON in place of a stream", status: 200, fields: json, insteadOf: kept },
    {
      name: "a stream in place of JSON",
      status: 200,
      fields: stream,
      insteadOf: { ...kept, seen: false, stream: undefined },
    },
    { name: "a coded stream", status: 200, fields: { ...stream, "content-encoding": "gzip" }, insteadOf: kept },
  ])("shows nothing of itself when it is $name", ({ status, fields, insteadOf }) => {
    const { at, heads, text, end } = gated({ insteadOf });
    at.head(status, fields);
    at.write(Buffer.alloc(2_000_000));
    at.end();
    expect([heads, text(), end(), at.held(), at.isOpen()]).toEqual([[], "", undefined, undefined, false]);
  });
});

it("whatever comes and however it is cut, what goes through and what is kept are the bytes that came", () => {
  const named = (...names: readonly string[]) => new Set(names);
  const suspects = fc.constantFrom(undefined, named(), named("search"), named("done", "send_message"));
  const how = fc.constantFrom("end", "fail");
  fc.assert(
    fc.property(anyStream, suspects, fc.boolean(), how, ({ bytes: came, pieces }, candidates, inText, how) => {
      const { at, bytes, end } = gated({ candidates, stream: split(inText) });
      at.head(200, stream);
      for (const piece of pieces) at.write(piece);
      if (how === "fail") at.fail("gone");
      else at.end();
      const all = Buffer.concat([bytes(), at.held()?.bytes ?? Buffer.of()]);
      expect(withoutKeepAlives(all)).toBe(withoutKeepAlives(came));
      expect(end()).toBe(at.held() === undefined ? how : undefined);
    }),
  );
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import { answerReader, splitStream } from "../../../src/protocols/protocols.ts";
import { type SseEvent, sseText } from "../../../src/sse/sse.ts";
import { body, eventsOf, mark, result, said, system, text, thinking, use, user } from "./support.ts";
import { anythingOr, exercise } from "../../support/checks/exercised.ts";
import { mutated } from "../../support/builders/mutated.ts";
import { wholeAnswer } from "../../../src/protocols/answer/read-answer.ts";

const encoder = new TextEncoder();
const sse = "text/event-stream";

const request = JSON.parse(
  body(
    [
      user(text("q", mark)),
      system([text("Be kind.")]),
      said(thinking("Hm"), text("I look."), use("a", "done", { text: "x" })),
      user(result("a", [text("r")]), text("u")),
      said(text('{"actions":[{"action":"x"}]}')),
      { role: "user", content: "Action error: gone" },
    ],
    {
      system: [text("Be brief.", mark)],
      tools: [{ name: "done", input_schema: { type: "object", properties: { text: { type: "string" } } } }],
      tool_choice: { type: "auto" },
      thinking: { type: "disabled" },
      thread: { type: "continue", previous_message_id: "msg_0" },
      output_config: { format: { type: "json_schema", schema: { type: "object" } } },
      stream: true,
    },
  ),
);
const stream = eventsOf([thinking("Hm hm"), text("箱根 — 😀"), use("a", "bash", { command: 'ls "é"' }), use("b")]);

const anything = anythingOr("tool_use", "tool_result");

describe("never throws", () => {
  it("any JSON is read without a throw", () => {
    fc.assert(fc.property(fc.json(), (sent) => exercise(protocol, sent)));
  });

  it("a request with anything anywhere is read without a throw", () => {
    fc.assert(
      fc.property(anything, fc.nat(), anything, fc.nat(), (one, at, other, there) => {
        exercise(protocol, JSON.stringify(mutated(mutated(request, one, at), other, there)));
      }),
    );
  });

  it("a stream with anything anywhere is read without a throw, cut off or not", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anything, fc.nat(), fc.nat()), { maxLength: 4 }), fc.nat(), (changes, cut) => {
        const events = changes.reduce<readonly SseEvent[]>((before, [value, at, pick]) => {
          return before.map((one, index) =>
            index === at % before.length
              ? { ...one, data: JSON.stringify(mutated(JSON.parse(one.data), value, pick)) }
              : one,
          );
        }, stream);
        const reader = answerReader(protocol, sse);
        reader.push(
          encoder.encode(
            events
              .slice(0, cut % events.length)
              .map(sseText)
              .join(""),
          ),
        );
        reader.close();
        reader.end();
        const decoder = protocol.decoder();
        for (const one of events) decoder.decode(one);
        const resumed = protocol.resume(decoder.state(), decoder.state());
        for (const one of events) for (const out of resumed.encode(one) ?? [one]) resumed.decode(out);
        protocol.finish(resumed.state(), []);
        wholeAnswer(protocol.decoder(), events.map(({ data }) => data).join(""));
      }),
    );
  });
});

describe("however a stream is cut", () => {
  const bytes = encoder.encode(stream.map(sseText).join(""));
  const read = (...pieces: readonly Uint8Array[]) => {
    const reader = answerReader(protocol, sse);
    for (const piece of pieces) reader.push(piece);
    return reader.end();
  };

  it("a stream that is cut at any byte is the same answer", () => {
    const whole = read(bytes);
    expect(whole?.step.calls.map(({ args }) => args)).toEqual(['{"command":"ls \\"é\\""}', "{}"]);
    for (let at = 0; at <= bytes.length; at++) expect(read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
  });

  it("ended early at any byte before its last word it is none", () => {
    const finish = stream.map(sseText).join("").indexOf('"message_delta"');
    const end = encoder.encode(stream.map(sseText).join("").slice(0, finish)).length;
    for (let at = 0; at < end; at++) expect(read(bytes.subarray(0, at))).toBeUndefined();
  });

  it("closed at any byte it is a whole answer as far as it came", () => {
    for (let at = 0; at <= bytes.length; at++) {
      const reader = answerReader(protocol, sse);
      reader.push(bytes.subarray(0, at));
      const closing = reader.close();
      if (closing === undefined) continue;
      expect(reader.end()?.finishReason).toBeDefined();
      for (const call of reader.end()?.step.calls ?? []) expect(() => JSON.parse(call.args)).not.toThrow();
    }
  });

  it("its segments are the stream", () => {
    for (let at = 0; at <= bytes.length; at += 13) {
      const splitter = splitStream(protocol.decoder(), false);
      const pieces: Uint8Array[] = [];
      for (const piece of [bytes.subarray(0, at), bytes.subarray(at)])
        splitter.push(piece, (segment) => pieces.push(segment.bytes));
      splitter.rest((segment) => pieces.push(segment.bytes));
      expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytes));
    }
  });
});

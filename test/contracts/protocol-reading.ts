import { expect, it } from "vitest";
import { answerReader, protocolFor, splitStream, type StreamSegment } from "../../src/protocols/protocols.ts";
import type { SseEvent } from "../../src/sse/sse.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import type { Said, Wire } from "../support/wires/wire.ts";
import { searchTool } from "../support/agents/wire-agent.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const args = ['{"q":"Zürich"}', '{"q":"箱根"}'];
const answer = {
  kind: "calls",
  text: '箱根の宿は — 😀 "ok"\n',
  calls: args.map((one) => ({ tool: "search", args: one })),
} as const;

export function readingStories(wire: Wire): void {
  const [path = ""] = wire.path.split("?", 1);
  const protocol = protocolFor("POST", path);
  if (protocol === undefined) throw new Error(`No protocol answers at ${wire.path}.`);
  const eventsIn = (bytes: Uint8Array): readonly SseEvent[] =>
    protocol
      .framing(wire.path)
      .slicer(1_000_000)
      .push(bytes)
      .flatMap(({ event }) => event ?? []);
  const user: Said = { who: "user", text: "Go." };
  const rendered = (answer: ScriptedAnswer, stream: boolean) => {
    let ids = 0;
    const { pieces, fields } = wire.rendered(answer, wire.view(wire.body({ said: [user], stream })), () =>
      String(++ids),
    );
    return { bytes: bytesOf(pieces.map(String).join("")), contentType: fields["content-type"] ?? "" };
  };

  it("answers at its own endpoint alone", () => {
    const at = (method: string, path: string) => protocolFor(method, path)?.name === wire.name;
    expect(at("POST", path)).toBe(true);
    expect(at("POST", `/azure${path}`)).toBe(true);
    for (const other of ["/v1/models", "/v1/threads/thread_1/messages", "/v1/embeddings", `${path}/id`])
      expect(at("POST", other)).toBe(false);
    expect(at("GET", path)).toBe(false);
  });

  it("recognises its own request bodies", () => {
    expect(protocol.recognises({ ...wire.body({ said: [user], tools: [searchTool] }) })).toBe(true);
    for (const odd of [undefined, null, [], "text", {}, { messages: 1 }, { prompt: "a" }])
      expect(protocol.recognises(odd)).toBe(false);
  });

  const readIn = ({ bytes, contentType }: ReturnType<typeof rendered>, ...ends: readonly number[]) => {
    const reader = answerReader(protocol, contentType, undefined, wire.path);
    let from = 0;
    for (const end of ends) {
      reader.push(bytes.subarray(from, end));
      from = end;
    }
    return reader.end();
  };
  /** The positions of a cut by which something else is read. */
  const otherwise = (length: number, step: number, isSame: (at: number) => boolean) =>
    Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => i * step).filter((at) => !isSame(at));

  it.each([true, false])("an answer is the same wherever it is cut (as a stream: %s)", (stream) => {
    const came = rendered(answer, stream);
    const { length } = came.bytes;
    const whole = readIn(came, length);
    expect(whole?.step).toMatchObject({ text: answer.text, calls: args.map((one) => ({ args: one })) });
    expect(whole?.usage?.outputTokens).toBeGreaterThan(0);
    const json = JSON.stringify(whole);
    expect(otherwise(length, stream ? 1 : 7, (at) => JSON.stringify(readIn(came, at, length)) === json)).toEqual([]);
  });

  it("an answer that ends early is none, or the same one", () => {
    const came = rendered(answer, true);
    const { length } = came.bytes;
    expect(readIn(came, length / 2)).toBeUndefined();
    const either = [undefined, JSON.stringify(readIn(came, length)?.step)];
    expect(otherwise(length, 3, (end) => either.includes(JSON.stringify(readIn(came, end)?.step)))).toEqual([]);
  });

  it("a stream that is closed at any byte is a whole answer as far as it came", () => {
    const { bytes, contentType } = rendered(answer, true);
    for (let at = 0; at <= bytes.length; at += 3) {
      const reader = answerReader(protocol, contentType, undefined, wire.path);
      reader.push(bytes.subarray(0, at));
      if (reader.close() === undefined) continue;
      const closed = reader.end();
      expect(closed?.finishReason).toBeDefined();
      for (const call of closed?.step.calls ?? []) expect(() => JSON.parse(call.args)).not.toThrow();
    }
  });

  it("a stream is split into the same segments cut anywhere, which joined are the stream", () => {
    const { bytes } = rendered(answer, true);
    const split = (...pieces: readonly Uint8Array[]) => {
      const splitter = splitStream(protocol.decoder(wire.path), false);
      const segments: StreamSegment[] = [];
      for (const piece of pieces) splitter.push(piece, (segment) => segments.push(segment));
      splitter.rest((segment) => segments.push(segment));
      return segments.map(({ bytes: own, ...kind }) => ({ ...kind, text: Buffer.from(own).toString() }));
    };
    const whole = split(bytes);
    expect(whole.map(({ text }) => text).join("")).toBe(Buffer.from(bytes).toString());
    expect(whole.map(({ kind }) => kind)).toContain("calls");
    for (let at = 0; at <= bytes.length; at += 7)
      expect(split(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
  });

  it("reads what a request adds as the whole request tells it", () => {
    const turn = (id: string): readonly Said[] => [
      { who: "assistant", text: "I look.", calls: [{ id, tool: "search", args: '{"q":"é"}' }] },
      { who: "tool", id, text: `Rain — ${id}.` },
    ];
    const bodyOf = (said: readonly Said[]) =>
      JSON.stringify(wire.body({ system: "Be brief.", said, tools: [searchTool] }));
    const parse = (body: string) => protocol.parse(body, wire.path) ?? expect.fail("not understood");
    const [first, second] = [
      bodyOf([user, ...turn("call_a1b2c3d4e5f6")]),
      bodyOf([user, ...turn("call_a1b2c3d4e5f6"), ...turn("call_f6e5d4c3b2a1")]),
    ];
    const { delta } = protocol;
    const [before, after] = [first, second].map((body) => delta.comparable(bytesOf(body)));
    if (before === undefined || after === undefined) throw new Error("no bytes");
    const end = delta.endOfMessages(before, parse(first)) ?? expect.fail("no end");
    expect(Buffer.from(after.subarray(0, end))).toEqual(Buffer.from(before.subarray(0, end)));
    const to = after.length - (before.length - end);
    expect(delta.stepsBetween(after, end, to)).toEqual(parse(second).conversation.steps.slice(1));
    expect([...delta.newestCallIds(after)][0]).toBe(wire.namesCalls ? "call_f6e5d4c3b2a1" : undefined);
  });

  it("tells an error as a body, and as an event that ends a stream", () => {
    const failure = { code: "loop_detected", status: 400, message: "Enough." } as const;
    const body = protocol.error(failure, "body");
    expect(wire.heard(body.body, body.contentType).error).toMatchObject({ message: "Enough." });
    const event = protocol.error(failure, "event", wire.path);
    const [told, ...others] = eventsIn(bytesOf(event.body));
    expect(others).toEqual([]);
    expect(told && protocol.decoder(wire.path).decode(told)?.parts).toEqual([{ kind: "error" }]);
  });
}

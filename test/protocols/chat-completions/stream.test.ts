import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { splitStream, type StreamSegment, type StreamSplitter } from "../../../src/protocols/protocols.ts";

const { decoder, resume } = chatCompletions;

const event = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`;
const delta = (delta: object) => ({ id: "c2", model: "m2", choices: [{ index: 0, delta, finish_reason: null }] });
const call = (name: string) => delta({ tool_calls: [{ index: 0, id: "x", function: { name, arguments: "" } }] });

const told = (pieces: readonly StreamSegment[]) => pieces.map(({ kind, tools }) => [kind, ...tools].join(" "));
const take = (apart: StreamSplitter, text: string) => {
  const segments: StreamSegment[] = [];
  apart.push(Buffer.from(text), (segment) => segments.push(segment));
  return segments;
};
const push = (apart: StreamSplitter, ...chunks: readonly object[]) => take(apart, chunks.map(event).join(""));
const split = () => splitStream(decoder(), false);
/** A stream after these chunks. */
const stateAfter = (...chunks: readonly object[]) => {
  const apart = split();
  push(apart, ...chunks);
  return apart.state();
};
/** What goes on with it, whole or as far as its reader has it. */
const goingOn = (shown: ReturnType<typeof stateAfter> | undefined, whole: ReturnType<typeof stateAfter> | undefined) =>
  splitStream(resume(shown, whole), false);
const chunksIn = (pieces: readonly StreamSegment[]) =>
  pieces.map(({ bytes }) =>
    JSON.parse(
      Buffer.from(bytes)
        .toString()
        .replace(/^data: /, ""),
    ),
  );

describe("a stream that is split", () => {
  it.each([
    { name: "a role", chunk: delta({ role: "assistant", content: "" }), is: "frame" },
    { name: "nothing of a choice", chunk: { id: "c2", choices: [] }, is: "frame" },
    { name: "an error", chunk: { error: { message: "no" } }, is: "frame" },
    { name: "words", chunk: delta({ content: "a" }), is: "words" },
    { name: "words in parts", chunk: delta({ content: [{ type: "text", text: "a" }] }), is: "words" },
    { name: "a thought", chunk: delta({ reasoning_content: "a" }), is: "words" },
    { name: "a refusal", chunk: delta({ refusal: "a" }), is: "words" },
    { name: "a call", chunk: call("search"), is: "calls" },
    { name: "words with a call", chunk: delta({ content: "a", ...call("read").choices[0]?.delta }), is: "calls" },
    { name: "no calls", chunk: delta({ tool_calls: [], function_call: {} }), is: "frame" },
    { name: "an older call", chunk: delta({ function_call: { name: "search", arguments: "" } }), is: "calls" },
    { name: "its arguments", chunk: delta({ function_call: { arguments: "{" } }), is: "calls" },
    { name: "a custom call", chunk: delta({ tool_calls: [{ custom: { name: "shell" } }] }), is: "calls" },
  ])("tells $name by its kind", ({ chunk, is }) => {
    expect(told(push(split(), chunk))).toEqual([is]);
  });

  const input = delta({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] });
  const more = (name: string) => delta({ tool_calls: [{ index: 0, function: { name } }] });
  it.each([
    { name: "whole", chunks: [call("search"), input], is: ["calls", "calls search"] },
    { name: "in pieces", chunks: [call("send_"), more("email"), input], is: ["calls", "calls", "calls send_email"] },
    {
      name: "again and again",
      chunks: [call("search"), more("search"), input],
      is: ["calls", "frame", "calls search"],
    },
    {
      name: "at the end",
      chunks: [call("search"), { choices: [{ finish_reason: "tool_calls" }] }],
      is: ["calls", "frame search"],
    },
  ])("names a tool once its name is whole: told $name", ({ chunks, is }) => {
    expect(told(push(split(), ...chunks))).toEqual(is);
  });

  it("tells words as calls where the agent acts in words, but not its thoughts", () => {
    const apart = splitStream(decoder(), true);
    expect(told(push(apart, delta({ content: "a" }), delta({ reasoning_content: "a" })))).toEqual(["calls", "words"]);
  });

  it("tells comments as what keeps a connection alive, wherever they stand", () => {
    expect(told(take(split(), `: ping\n\n${event(delta({ content: "a" }))}: ping\n\n`))).toEqual([
      "keepalive",
      "words",
      "keepalive",
    ]);
  });

  it("takes no piece of an event that is too long for a comment", () => {
    const long = `data: {"a":"${"x".repeat(1024 * 1024)}`;
    const apart = split();
    expect(told(take(apart, long))).toEqual(["frame"]);
    expect(told(take(apart, ': ping"}\n\n: ping\n\n'))).toEqual(["frame", "keepalive"]);
  });

  it("tells what its last event is that lacks the blank line", () => {
    const apart = split();
    expect(take(apart, event(call("search")).trimEnd())).toEqual([]);
    const rest: StreamSegment[] = [];
    apart.rest((segment) => rest.push(segment));
    expect(told(rest)).toEqual(["calls"]);
  });
});

describe("a stream that goes on with another one", () => {
  const first = { ...delta({ content: "Well." }), id: "c1", model: "m1" };
  const silent = { ...delta({ reasoning_content: "Hm." }), id: "c1", model: "m1" };
  const counted = { id: "c1", choices: [], usage: { total_tokens: 5, detail: { cached: 1 } } };
  const usage = { total_tokens: 7, detail: { cached: 2, audio: 1 } };
  const begun = () => goingOn(stateAfter(first), stateAfter(first, call("search"), counted));

  it("has its id, no second role, and a paragraph of its own", () => {
    const chunks = chunksIn(
      push(begun(), delta({ role: "assistant", content: "" }), delta({ content: "It" }), delta({ content: " is" })),
    );
    expect(chunks.map(({ id, model }) => [id, model])).toEqual(Array(3).fill(["c1", "m1"]));
    expect(chunks.map(({ choices }) => choices[0].delta)).toEqual([
      { content: "" },
      { content: "\n\nIt" },
      { content: " is" },
    ]);
  });

  it("has the head of the first event that names it", () => {
    const apart = goingOn(stateAfter({ id: "", model: "", choices: [] }, first), undefined);
    expect(chunksIn(push(apart, delta({ content: "a" })))[0]).toMatchObject({ id: "c1", model: "m1" });
  });

  it("begins no paragraph where its reader has seen nothing said", () => {
    const apart = goingOn(stateAfter(silent), stateAfter(silent, call("search"), first));
    expect(chunksIn(push(apart, delta({ content: "It" })))[0].choices[0].delta.content).toBe("It");
  });

  it("counts what both have used, however often it counts", () => {
    const apart = begun();
    const chunks = chunksIn(push(apart, { choices: [], usage: { total_tokens: 1 } }, { choices: [], usage }));
    expect(chunks.map((chunk) => chunk.usage)).toEqual([
      { total_tokens: 6, detail: { cached: 1 } },
      { total_tokens: 12, detail: { cached: 3, audio: 1 } },
    ]);
  });

  it("keeps what it does not know, such as log probabilities", () => {
    const odd = { ...delta({ content: "It" }), service_tier: "flex" };
    expect(chunksIn(push(begun(), odd))[0]).toMatchObject({ service_tier: "flex" });
  });

  it("stays as it is, byte for byte, but for what was used, where nothing of the first was seen", () => {
    const apart = goingOn(undefined, stateAfter(first, call("search"), counted));
    const role = delta({ role: "assistant", content: "It" });
    expect(chunksIn(push(apart, role, { ...delta({}), usage }))).toEqual([
      role,
      { ...delta({}), usage: { total_tokens: 12, detail: { cached: 3, audio: 1 } } },
    ]);
    const spaced = 'data: {"id": "c2", "choices": [], "n": 12345678901234567890}\n\n';
    expect(Buffer.from(take(apart, spaced)[0]?.bytes ?? []).toString()).toBe(spaced);
  });

  it("can be gone on with itself: by then it has the first one's id and the tokens of both", () => {
    const second = begun();
    push(second, { ...call("search"), usage });
    const third = goingOn(second.state(), second.state());
    const [chunk] = chunksIn(push(third, { ...delta({ content: "a" }), id: "c3", usage: { total_tokens: 1 } }));
    expect(chunk).toMatchObject({ id: "c1", usage: { total_tokens: 13 } });
    expect(chunk.choices[0].delta.content).toBe("\n\na");
  });

  it("adds no usage of a stream that is not to be counted", () => {
    const apart = goingOn(stateAfter(first, counted), undefined);
    expect(chunksIn(push(apart, { choices: [], usage }))[0].usage).toEqual(usage);
  });

  it("ends its last event where that lacks the blank line", () => {
    const last = { ...first, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    const apart = goingOn(undefined, stateAfter(first));
    take(apart, event(last).trimEnd());
    const rest: StreamSegment[] = [];
    apart.rest((segment) => rest.push(segment));
    expect(Buffer.from(rest[0]?.bytes ?? []).toString()).toBe(event(last));
  });

  it("passes on what it does not understand", () => {
    const odd = ": note\n\ndata: not json\n\ndata: [DONE]\n\n";
    const passed = take(begun(), odd);
    expect(passed.map(({ bytes }) => Buffer.from(bytes).toString()).join("")).toBe(odd);
  });
});

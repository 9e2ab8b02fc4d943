import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import type { Begun, StreamSegment, SplitStream } from "../../../src/protocols/protocols.ts";

const { pieces, continuing } = chatCompletions;

const event = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`;
const delta = (delta: object) => ({ id: "c2", model: "m2", choices: [{ index: 0, delta, finish_reason: null }] });
const call = (name: string) => delta({ tool_calls: [{ index: 0, id: "x", function: { name, arguments: "" } }] });

const told = (pieces: readonly StreamSegment[]) => pieces.map(({ kind, tools }) => [kind, ...tools].join(" "));
const push = (apart: SplitStream, ...chunks: readonly object[]) => apart.push(Buffer.from(chunks.map(event).join("")));
const chunksIn = (pieces: readonly StreamSegment[]) =>
  pieces.map(({ bytes }) =>
    JSON.parse(
      Buffer.from(bytes)
        .toString()
        .replace(/^data: /, ""),
    ),
  );

describe("a stream that is taken apart", () => {
  it.each([
    { name: "a role", chunk: delta({ role: "assistant", content: "" }), is: "frame" },
    { name: "nothing of a choice", chunk: { id: "c2", choices: [] }, is: "frame" },
    { name: "an error", chunk: { error: { message: "no" } }, is: "frame" },
    { name: "words", chunk: delta({ content: "a" }), is: "words" },
    { name: "a thought", chunk: delta({ reasoning_content: "a" }), is: "words" },
    { name: "a call", chunk: call("search"), is: "calls search" },
    { name: "words with a call", chunk: delta({ content: "a", ...call("read").choices[0]?.delta }), is: "calls read" },
    { name: "no calls", chunk: delta({ tool_calls: [], function_call: {} }), is: "frame" },
    { name: "an older call", chunk: delta({ function_call: { name: "search", arguments: "" } }), is: "calls search" },
    { name: "its arguments", chunk: delta({ function_call: { arguments: "{" } }), is: "calls" },
    { name: "a custom call", chunk: delta({ tool_calls: [{ custom: { name: "shell" } }] }), is: "calls shell" },
  ])("tells $name by its kind", ({ chunk, is }) => {
    expect(told(push(pieces(false), chunk))).toEqual([is]);
  });

  it("tells what its last event is that lacks the blank line", () => {
    const apart = pieces(false);
    expect(apart.push(Buffer.from(event(call("search")).trimEnd()))).toEqual([]);
    expect(told(apart.rest())).toEqual(["calls search"]);
  });

  it("tells how far it has come: what it said, not what it thought or said between its calls", () => {
    const apart = pieces(false);
    push(apart, delta({ reasoning_content: "Hm." }));
    expect(apart.begun()).toMatchObject({ head: { id: "c2", model: "m2" }, spoke: false });
    push(apart, call("search"), delta({ content: "late" }));
    expect(apart.begun().spoke).toBe(false);
    const speaking = pieces(false);
    push(speaking, delta({ content: "It is" }), call("search"), { usage: { total_tokens: 3 } });
    expect(speaking.begun()).toMatchObject({ spoke: true, usage: { total_tokens: 3 } });
  });

  it("has the head of the first event that names it", () => {
    const apart = pieces(false);
    push(apart, { id: "", model: "", choices: [] }, delta({ content: "a" }));
    expect(apart.begun().head).toMatchObject({ id: "c2", model: "m2" });
  });
});

describe("a stream that goes on with another one", () => {
  const begun: Begun = {
    head: { id: "c1", model: "m1" },
    spoke: true,
    usage: { total_tokens: 5, detail: { cached: 1 } },
  };
  const usage = { total_tokens: 7, detail: { cached: 2, audio: 1 } };

  it("has its id, no second role, and a paragraph of its own", () => {
    const apart = continuing(begun, true, false);
    const chunks = chunksIn(
      push(apart, delta({ role: "assistant", content: "" }), delta({ content: "It" }), delta({ content: " is" })),
    );
    expect(chunks.map(({ id, model }) => [id, model])).toEqual(Array(3).fill(["c1", "m1"]));
    expect(chunks.map(({ choices }) => choices[0].delta)).toEqual([
      { content: "" },
      { content: "\n\nIt" },
      { content: " is" },
    ]);
  });

  it("begins no paragraph where nothing was said", () => {
    const apart = continuing({ ...begun, spoke: false }, true, false);
    expect(chunksIn(push(apart, delta({ content: "It" })))[0].choices[0].delta.content).toBe("It");
  });

  it("counts what both have used, however often it counts", () => {
    const apart = continuing(begun, true, false);
    const counted = chunksIn(push(apart, { choices: [], usage: { total_tokens: 1 } }, { choices: [], usage }));
    expect(counted.map((chunk) => chunk.usage)).toEqual([
      { total_tokens: 6, detail: { cached: 1 } },
      { total_tokens: 12, detail: { cached: 3, audio: 1 } },
    ]);
    expect(apart.begun().usage).toEqual(counted[1].usage);
  });

  it("stays as it is, but for what was used, where nothing of the first was seen", () => {
    const apart = continuing(begun, false, false);
    const role = delta({ role: "assistant", content: "It" });
    expect(chunksIn(push(apart, role, { ...delta({}), usage }))).toEqual([
      role,
      { ...delta({}), usage: { total_tokens: 12, detail: { cached: 3, audio: 1 } } },
    ]);
    expect(apart.begun().head).toMatchObject({ id: "c2" });
  });

  it("can be gone on with itself: by then it has the first one's id and the tokens of both", () => {
    const second = continuing(begun, true, false);
    push(second, { ...call("search"), usage });
    const third = continuing(second.begun(), true, false);
    const [chunk] = chunksIn(push(third, { ...delta({ content: "a" }), id: "c3", usage: { total_tokens: 1 } }));
    expect(chunk).toMatchObject({ id: "c1", usage: { total_tokens: 13 } });
    expect(chunk.choices[0].delta.content).toBe("\n\na");
  });

  it("passes on what it does not understand", () => {
    const odd = ": note\n\ndata: not json\n\ndata: [DONE]\n\n";
    const passed = continuing(begun, true, false).push(Buffer.from(odd));
    expect(passed.map(({ bytes }) => Buffer.from(bytes).toString()).join("")).toBe(odd);
  });
});

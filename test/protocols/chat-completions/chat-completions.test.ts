import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import {
  answerReader,
  splitStream,
  type StreamSegment,
  type StreamSplitter,
  type Edit,
} from "../../../src/protocols/protocols.ts";
import { ask, rewrite, said, called, result } from "./support.ts";
import fc from "fast-check";

const bytes = (text: string) => new TextEncoder().encode(text);
const chunk = (delta: unknown, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

it.each<[name: string, piece: string]>([
  ["much text", chunk({ content: "x".repeat(1_000_000) })],
  [
    "many calls",
    chunk({
      tool_calls: Array.from({ length: 20_000 }, (_, id) => ({ id: `${id}`, function: { name: "x".repeat(10) } })),
    }),
  ],
  ["one endless event", "x".repeat(1_000_000)],
])("an answer is given up above the bound: %s", (_, piece) => {
  const reader = answerReader(chatCompletions, "text/event-stream");
  for (const one of [...Array<string>(12).fill(piece), `\n\n${chunk({}, "stop")}`]) reader.push(bytes(one));
  expect(reader.end()).toBeUndefined();
});

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
const stateAfter = (...chunks: readonly object[]) => {
  const apart = split();
  push(apart, ...chunks);
  return apart.state();
};
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
  it.each<[name: string, chunk: object, is: string]>([
    ["a role", delta({ role: "assistant", content: "" }), "frame"],
    ["nothing of a choice", { id: "c2", choices: [] }, "frame"],
    ["an error", { error: { message: "no" } }, "frame"],
    ["words in parts", delta({ content: [{ type: "text", text: "a" }] }), "words"],
    ["a thought", delta({ reasoning_content: "a" }), "words"],
    ["a refusal", delta({ refusal: "a" }), "words"],
    ["words with a call", delta({ content: "a", ...call("read").choices[0]?.delta }), "calls"],
    ["no calls", delta({ tool_calls: [], function_call: {} }), "frame"],
    ["an older call's arguments", delta({ function_call: { arguments: "{" } }), "calls"],
    ["a custom call", delta({ tool_calls: [{ custom: { name: "shell" } }] }), "calls"],
  ])("tells %s by its kind", (_, chunk, is) => {
    expect(told(push(split(), chunk))).toEqual([is]);
  });

  const input = delta({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] });
  const more = (name: string) => delta({ tool_calls: [{ index: 0, function: { name } }] });
  const end = { choices: [{ finish_reason: "tool_calls" }] };
  it.each<[name: string, chunks: readonly object[], is: readonly string[]]>([
    ["in pieces", [call("send_"), more("email"), input], ["calls", "calls", "calls send_email"]],
    ["again and again", [call("search"), more("search"), input], ["calls", "frame", "calls search"]],
    ["at the end", [call("search"), end], ["calls", "frame search"]],
  ])("names a tool once its name is whole: told %s", (_, chunks, is) => {
    expect(told(push(split(), ...chunks))).toEqual(is);
  });

  it("tells words as calls where the agent acts in words, but not its thoughts", () => {
    const apart = splitStream(decoder(), true);
    expect(told(push(apart, delta({ content: "a" }), delta({ reasoning_content: "a" })))).toEqual(["calls", "words"]);
  });
});

describe("a stream that goes on with another one", () => {
  const first = { ...delta({ content: "Well." }), id: "c1", model: "m1" };
  const counted = { id: "c1", choices: [], usage: { total_tokens: 5, detail: { cached: 1 } } };
  const usage = { total_tokens: 7, detail: { cached: 2, audio: 1 } };
  const begun = () => goingOn(stateAfter(first), stateAfter(first, call("search"), counted));

  it("counts what both have used, however often it counts", () => {
    const apart = begun();
    const chunks = chunksIn(push(apart, { choices: [], usage: { total_tokens: 1 } }, { choices: [], usage }));
    expect(chunks.map((chunk) => chunk.usage)).toEqual([
      { total_tokens: 6, detail: { cached: 1 } },
      { total_tokens: 12, detail: { cached: 3, audio: 1 } },
    ]);
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

const note = (step: number, text: string): Edit => ({ kind: "note", step, text });
const preamble = (text: string): Edit => ({ kind: "preamble", text });

it("a preamble leaves a longer history the same bytes up to where the shorter one ended", () => {
  const message = fc.record({
    role: fc.constantFrom("system", "developer", "user", "assistant"),
    content: fc.oneof(fc.string({ unit: "binary" }), fc.constant(null)),
  });
  const some = fc.array(message, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(some, some, (messages, more) => {
      const shorter = [...messages, said("a")];
      const one = rewrite(JSON.stringify({ messages: shorter }), [preamble("\u0001unlikely")]);
      const other = rewrite(JSON.stringify({ messages: [...shorter, ...more] }), [preamble("\u0001unlikely")]);
      expect(other.startsWith(one.slice(0, -2))).toBe(true);
    }),
  );
});

const content = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constant(null),
  fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
);

const space = fc.constantFrom(0, 1, "\t");

it("for any body a note is one insertion, every byte around it as it was, and moves no step", () => {
  const talk = fc.record({ role: fc.constantFrom("user", "assistant", "tool"), content });
  fc.assert(
    fc.property(fc.array(talk, { minLength: 1, maxLength: 6 }), space, fc.nat(3), (messages, indent, at) => {
      const body = JSON.stringify({ seed: 1, messages, "2": 3 }, null, indent);
      const changed = rewrite(body, [note(at, 'N"\n')]);
      const isKnown = messages.filter(({ role }) => role === "assistant").length > at;
      expect(changed.length > body.length).toBe(isKnown);
      if (!body.includes("null")) expect(sharedEnds(body, changed)).toBeGreaterThanOrEqual(body.length);
      const count = (sent: string) => chatCompletions.parse(sent)?.conversation.steps.length;
      expect(count(changed)).toBe(count(body));
    }),
  );
});

function sharedEnds(one: string, other: string): number {
  let front = 0;
  while (front < one.length && one[front] === other[front]) front += 1;
  let back = 0;
  while (back < one.length && one.at(-1 - back) === other.at(-1 - back)) back += 1;
  return front + back;
}

describe("size", () => {
  it("bears a thousand parallel calls with one id, and with none", () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `${index}`);
    const answers = ids.map((text) => result("same", text));
    const stepFor = (name: string) =>
      ask([called(...ids.map((id): [string, string] => [name, `t${id}`])), ...answers]).conversation.steps[0];
    for (const name of ["same", ""]) expect(stepFor(name)?.calls.map(({ outcome }) => outcome?.text)).toEqual(ids);
  });

  it.each([
    { name: "content", message: '{"role":"user","content":§}' },
    { name: "arguments", message: '{"role":"assistant","tool_calls":[{"function":{"name":"x","arguments":§}}]}' },
    { name: "an unknown field", message: '{"role":"user","content":"x","y":§}' },
  ])("bears deep nesting in $name", ({ message }) => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const text = `{"messages":[${message.replace("§", deep)}]}`;
    expect(chatCompletions.parse(text)?.conversation).toBeDefined();
    expect(() => JSON.parse(rewrite(text, [{ kind: "finish", tool: undefined }]))).not.toThrow();
  });
});

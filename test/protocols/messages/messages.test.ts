import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import type { ParsedRequest, StreamPart, StreamState, PreviousTurn } from "../../../src/protocols/protocol.ts";
import type { SseEvent } from "../../../src/sse/sse.ts";
import { describe, expect, it } from "vitest";
import fc from "fast-check";

type Message = Readonly<Record<string, unknown>>;

const user = (...content: readonly unknown[]): Message => ({ role: "user", content });
const text = (words: string, more: Message = {}): Message => ({ type: "text", text: words, ...more });
const thinking = (words: string): Message => ({ type: "thinking", thinking: words, signature: `sig-${words}` });
const use = (id: string, name = "read", input: unknown = {}): Message => ({ type: "tool_use", id, name, input });
const result = (tool_use_id: string, content: unknown, more: Message = {}): Message => ({
  type: "tool_result",
  tool_use_id,
  content,
  ...more,
});
const mark = { cache_control: { type: "ephemeral" } };

function body(messages: readonly unknown[], more: Message = {}): string {
  return JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 100, messages, ...more });
}

function ask(messages: readonly unknown[], more: Message = {}): ParsedRequest {
  const found = protocol.parse(body(messages, more));
  if (found === undefined) throw new Error("not understood");
  return found;
}

function event(told: Message & { readonly type: string }): SseEvent {
  return { event: told.type, data: JSON.stringify(told) };
}

function eventsOf(blocks: readonly Message[], { id = "msg_1", usage = { input_tokens: 10, output_tokens: 1 } } = {}) {
  const message = { id, type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage };
  const delta = { stop_reason: "tool_use", stop_sequence: null };
  return [
    event({ type: "message_start", message }),
    ...blocks.flatMap(({ type, text, thinking, input, ...block }, index) => {
      const told = type === "tool_use" ? { partial_json: JSON.stringify(input) } : { text, thinking };
      const kind = type === "tool_use" ? "input_json" : type;
      return [
        event({ type: "content_block_start", index, content_block: { ...block, type, ...EMPTY[String(type)] } }),
        event({ type: "content_block_delta", index, delta: { type: `${kind}_delta`, ...told } }),
        event({ type: "content_block_stop", index }),
      ];
    }),
    event({ type: "message_delta", delta, usage: { output_tokens: 7 } }),
    event({ type: "message_stop" }),
  ];
}

const EMPTY: Readonly<Record<string, object>> = {
  text: { text: "" },
  thinking: { thinking: "" },
  tool_use: { input: {} },
};

function partsOf(events: readonly SseEvent[]): readonly StreamPart[] {
  const decoder = protocol.decoder();
  return events.flatMap((one) => decoder.decode(one)?.parts ?? []);
}

const kinds = (events: readonly SseEvent[]) => partsOf(events).map(({ kind }) => kind);

describe("a stream in parts", () => {
  it("cached input is input, and what was written to the cache is told apart", () => {
    const cache = { cache_creation_input_tokens: 100, cache_read_input_tokens: 1000 };
    const usage = { input_tokens: 10, output_tokens: 1, ...cache };
    expect(partsOf(eventsOf([], { usage })).findLast(({ kind }) => kind === "usage")).toEqual({
      kind: "usage",
      usage: { inputTokens: 1110, outputTokens: 7, cachedInputTokens: 1000, cacheWriteTokens: 100 },
    });
  });

  it.each([
    ["an error", event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }), ["error"]],
    ["an error that only its name tells", { event: "error", data: '{"error":{}}' }, ["error"]],
    ["what is new", event({ type: "message_weather", sunny: true }), []],
    ["a block of a new type", event({ type: "content_block_start", index: 0, content_block: { type: "weather" } }), []],
  ])("%s", (_, one, expected) => expect(kinds([one])).toEqual(expected));

  it("what is thought is told as it comes", () =>
    expect(partsOf(eventsOf([thinking("Hm.")]))).toContainEqual({ kind: "reasoning", text: "Hm." }));

  it.each(["", "{", "[]", "[DONE]"])("%j is no event", (data) => {
    expect(protocol.decoder().decode({ event: undefined, data })).toBeUndefined();
  });
});

describe("a second stream that goes on with the first", () => {
  /** @param count how many of the first one's events were shown; undefined: none */
  function goneOn(first: readonly SseEvent[], count: number | undefined, second: readonly SseEvent[]) {
    const decoder = protocol.decoder();
    const states: StreamState[] = [];
    for (const one of first) {
      states.push(decoder.state());
      decoder.decode(one);
    }
    const encoder = protocol.resume(count === undefined ? undefined : states[count], decoder.state());
    const told = second.flatMap((one) => encoder.decode(one)?.events ?? [one]).map(({ data }) => JSON.parse(data));
    return told.flatMap(({ type, index }) =>
      /start$|stop$/.test(type) && index !== undefined ? [`${type} ${index}`] : [],
    );
  }
  const callAt = (events: readonly SseEvent[]) => events.findIndex(({ data }) => data.includes('"tool_use"'));

  it("closes what the first one has left open", () => {
    const first = eventsOf([text("I look."), use("a")]);
    const [closed, begun] = goneOn(first, callAt(first) - 1, eventsOf([text("I stop."), use("b")], { id: "msg_2" }));
    expect([closed, begun]).toEqual(["content_block_stop 0", "content_block_start 1"]);
  });

  it("leaves its thoughts out where the first one's have been seen: the API takes them back only as they were", () => {
    const first = eventsOf([thinking("Hm hm"), text("I look."), use("a")]);
    const again = eventsOf([thinking("Again"), use("b")], { id: "msg_2" });
    const block = (index: number) => [`content_block_start ${index}`, `content_block_stop ${index}`];
    expect(goneOn(first, callAt(first), again)).toEqual(block(2));
    expect(goneOn(first, undefined, again)).toEqual([...block(0), ...block(1)]);
  });
});

it.each([
  [400, "invalid_request_error"],
  [413, "request_too_large"],
  [502, "api_error"],
  [504, "timeout_error"],
])("an error with status %i is of the type %s, which tells our code", (status, type) => {
  const { body } = protocol.error({ code: "loop_detected", status, message: "Over." }, "body");
  expect(JSON.parse(body)).toEqual({ type: "error", error: { type, message: "Over.", code: "loop_detected" } });
});

const { delta } = protocol;
const bytes = (sent: string) => new TextEncoder().encode(sent);
const plain = (sent: string) => new TextDecoder().decode(delta.comparable(bytes(sent)));

describe("without what moves", () => {
  it.each([
    ["a mark at the end of a block", '{"a":"b","cache_control":{"type":"ephemeral"}}', '{"a":"b"}'],
    ["a mark that holds longer", '{"a":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}', '{"a":"b"}'],
    ["a mark in front", '{"cache_control":{"type":"ephemeral"},"a":"b"}', '{"a":"b"}'],
    ["a mark in the middle", '{"a":"b", "cache_control" : {"type": "ephemeral"} ,"c":1}', '{"a":"b" ,"c":1}'],
    ["no mark after all", '{"a":"b","cache_control":null}', '{"a":"b"}'],
    ["a text alone", '{"content":[{"type":"text","text":"a \\"b\\""}]}', '{"content":"a \\"b\\""}'],
    [
      "a marked text alone",
      '{"content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}',
      '{"content":"a"}',
    ],
    [
      "two texts",
      '[{"type":"text","text":"a"},{"type":"text","text":"b"}]',
      '[{"type":"text","text":"a"},{"type":"text","text":"b"}]',
    ],
    ["words about a mark", '{"a":",\\"cache_control\\":{}"}', '{"a":",\\"cache_control\\":{}"}'],
    ["another thing", '{"a":1,"cache_control":{"type":"forever"}}', '{"a":1,"cache_control":{"type":"forever"}}'],
  ])("%s", (_, sent, expected) => expect(plain(sent)).toBe(expected));

  it("any JSON is still JSON, and says the same", () => {
    const block = fc.oneof(
      fc.string().map((words) => text(words)),
      fc.string().map((words) => text(words, mark)),
      fc.jsonValue(),
      fc.record({ type: fc.constant("tool_result"), content: fc.array(fc.string().map((words) => text(words))) }),
    );
    const message = fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.array(block) });
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const sent = body(messages);
        const request = protocol.parse(sent);
        const after = plain(sent);
        expect(() => JSON.parse(after)).not.toThrow();
        expect(protocol.parse(after)?.conversation).toEqual(request?.conversation);
      }),
    );
  });
});

const thread = { type: "continue", previous_message_id: "msg_7" };
const turn: PreviousTurn = { calls: [{ id: "toolu_a", tool: "bash", args: '{"command":"ls"}' }], text: "I look." };
const blocks = [result("toolu_a", "notes.txt"), text("Mind the date.")];
const sent = [user(...blocks)];

function continued(previous: PreviousTurn, task = "Look."): ParsedRequest {
  const request = ask(sent, { thread, tools: [] }).continuing?.(previous, task);
  if (request === undefined) throw new Error("it goes on from nothing");
  return request;
}

describe("a request of a thread that the API keeps", () => {
  it("goes on from the upstream's own answer, where its client knows another", () => {
    const request = continued({ ...turn, standIn: { answerId: "msg_8", items: "[]" } });
    expect(JSON.parse(protocol.rewrite(request, []))).toMatchObject({
      thread: { type: "continue", previous_message_id: "msg_8" },
      messages: sent,
    });
  });

  it("tells the upstream what we have said in its place", () => {
    const standIn = ask(sent, { thread }).standIn?.([{ id: "toolu_z", tool: "bash", args: "{}" }], {
      calls: [],
      text: "[unloop] Enough.",
      heard: [],
    });
    const request = continued({
      calls: [],
      text: "[unloop] Enough.",
      standIn: { answerId: "msg_8", items: standIn ?? "" },
    });
    const changed = JSON.parse(protocol.rewrite(request, [{ kind: "note", step: 0, text: "Stop." }]));
    expect(changed.messages).toMatchObject([
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_z" }] },
      { role: "assistant", content: [{ type: "text", text: "[unloop] Enough." }] },
      { role: "user", content: [{ content: "notes.txt\n\nStop." }, ...blocks.slice(1)] },
    ]);
    expect(request.conversation.steps).toHaveLength(1);
    expect(JSON.parse(request.standIn?.([], { calls: [], text: "Enough again.", heard: [] }) ?? "")).toEqual([
      { role: "assistant", content: [{ type: "text", text: "Enough again." }] },
    ]);
  });

  it("that carries its history goes on from nothing", () => {
    expect(ask([user(text("Go."))], { thread: { type: "create" } }).continuing).toBeUndefined();
  });
});

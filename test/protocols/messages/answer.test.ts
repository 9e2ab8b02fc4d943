import { describe, expect, it } from "vitest";
import { messages as protocol } from "../../../src/protocols/messages/messages.ts";
import type { StreamState } from "../../../src/protocols/protocol.ts";
import type { SseEvent } from "../../../src/sse/sse.ts";
import { event, eventsOf, partsOf, text, thinking, use } from "./support.ts";

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

  it.each(["", "{", "[]", "[DONE]"])("%j is no event", (data) => {
    expect(protocol.decoder().decode({ event: undefined, data })).toBeUndefined();
  });
});

function resumed(first: readonly SseEvent[], shownCount: number, second: readonly SseEvent[], seen = true) {
  const decoder = protocol.decoder();
  let shown: StreamState | undefined;
  for (const [index, one] of first.entries()) {
    decoder.decode(one);
    if (index === shownCount - 1) shown = decoder.state();
  }
  const encoder = protocol.resume(seen ? shown : undefined, decoder.state());
  const out = second.flatMap((one) => encoder.decode(one)?.events ?? [one]);
  return { events: [...(seen ? first.slice(0, shownCount) : []), ...out], encoder };
}

const told = (events: readonly SseEvent[]) => events.map(({ data }) => JSON.parse(data));
const indexes = (events: readonly SseEvent[]) =>
  told(events).flatMap(({ type, index }) => (type === "content_block_start" ? [index] : []));

describe("a second stream that goes on with the first", () => {
  const first = eventsOf([text("I look."), use("a")]);
  const shown = first.findIndex(({ data }) => data.includes('"tool_use"'));
  const second = eventsOf([text("I stop."), use("b")], { id: "msg_2", usage: { input_tokens: 30, output_tokens: 2 } });

  it("closes what the first one has left open", () => {
    const { events } = resumed(first, shown - 1, second);
    const types = told(events).map(({ type, index }) => `${type} ${index ?? ""}`);
    const at = types.indexOf("content_block_start 1");
    expect(types[at - 1]).toBe("content_block_stop 0");
  });

  it("leaves its thoughts out where the first one's have been seen: the API takes them back only as they were", () => {
    const thought = eventsOf([thinking("Hm hm"), text("I look."), use("a")]);
    const at = thought.findIndex(({ data }) => data.includes('"tool_use"'));
    const again = eventsOf([thinking("Again"), use("b")], { id: "msg_2" });
    const { events } = resumed(thought, at, again);
    expect(
      told(events)
        .map(({ content_block }) => content_block?.type)
        .filter(Boolean),
    ).toEqual(["thinking", "text", "tool_use"]);
    expect(indexes(events)).toEqual([0, 1, 2]);
    expect(indexes(resumed(thought, 0, again, false).events)).toEqual([0, 1]);
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

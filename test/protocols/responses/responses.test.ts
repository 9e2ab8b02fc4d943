import { expect, it, describe } from "vitest";
import { type ParsedRequest, segmentBytes, splitStream } from "../../../src/protocols/protocols.ts";
import { responses } from "../../../src/protocols/responses/responses.ts";
import { heldBack } from "../../support/builders/streams.ts";

function body(input: unknown, more: object = {}): string {
  return JSON.stringify({ model: "gpt-5", ...more, input });
}

function parsed(text: string): ParsedRequest {
  return responses.parse(text) ?? expect.fail("not understood");
}

const user = (content: unknown) => ({ role: "user", content });
const called = (call_id: string, name = "search", args = '{"q":"a"}') => ({
  type: "function_call",
  call_id,
  name,
  arguments: args,
});
const result = (call_id: string, output: unknown = "Rain.") => ({
  type: "function_call_output",
  call_id,
  output,
});
const searching = { type: "function", name: "search", parameters: { type: "object" }, strict: false };

const said = (type: string, more: object) => `data: ${JSON.stringify({ type: `response.${type}`, ...more })}\n\n`;
const added = said("output_item.added", { output_index: 0, item: { type: "message", id: "m", content: [] } });
const bytesOf = (text: string) => new TextEncoder().encode(text);
const EVENTS = 20_000;

function resumed(partOf: (index: number) => number): unknown {
  const first = splitStream(responses.decoder(), false);
  const begun = said("created", { response: { id: "r" }, sequence_number: 0 }) + added;
  first.push(bytesOf(begun), () => undefined);
  const place = (index: number) => ({ output_index: 0, content_index: partOf(index) });
  const deltas = Array.from({ length: EVENTS }, (_, at) => said("output_text.delta", { ...place(at), delta: "a" }));
  const bytes = bytesOf([added, ...deltas, said("output_text.done", place(EVENTS - 1))].join(""));
  const second = splitStream(responses.resume(first.state(), first.state()), false);
  const events = Buffer.from(segmentBytes(second, bytes)).toString();
  return JSON.parse(events.slice(events.lastIndexOf("data: ") + 6));
}

it.each([
  ["one part", () => 0, "a".repeat(EVENTS)],
  // Looked for among all others they would take a minute.
  ["very many parts", (index: number) => index, "a"],
])("goes on with a stream of %s", (_, partOf, text) => {
  expect(resumed(partOf)).toMatchObject({ output_index: 1, sequence_number: EVENTS + 3, text });
});

it.each([
  ["in_progress", undefined],
  ["completed", { text: "[]" }],
])("a search of the API's own that is %s came back with %j", (status, outcome) => {
  const search = { type: "file_search_call", id: "s", status, queries: ["a"], results: [[]] };
  expect(parsed(body([user("Go."), search])).conversation.steps[0]?.calls[0]?.outcome).toEqual(outcome);
});

const { delta } = responses;
/** As node hands bodies over: their slices share their memory. */
const bufferOf = (text: string) => Buffer.from(text);
const comparable = (text: string) => new TextDecoder().decode(delta.comparable(bufferOf(text)));

describe("what an agent says of itself", () => {
  const input = [user("Go."), called("c1"), result("c1")];
  const withMetadata = (metadata: unknown) =>
    JSON.stringify({ model: "gpt-5", input, tools: [searching], client_metadata: metadata });

  it("comes last and in another order each time, and is not compared", () => {
    const [one, other] = [
      { a: "1", b: '{"turn":"x"}' },
      { b: '{"turn":"x"}', a: "1" },
    ].map(withMetadata);
    expect(comparable(one ?? "")).toBe(comparable(other ?? ""));
    expect(comparable(one ?? "")).toBe(JSON.stringify({ model: "gpt-5", input, tools: [searching] }));
  });

  it("does not hide where the items end", () => {
    const text = withMetadata({ a: "1" });
    const end = delta.endOfMessages(delta.comparable(bufferOf(text)), parsed(text)) ?? 0;
    expect(comparable(text).slice(0, end)).toMatch(/"output":"Rain."\}$/);
    expect(comparable(text).slice(end)).toMatch(/^\],"tools"/);
  });

  it.each([
    { name: "is not the last member", text: `{"input":[],"client_metadata":{"a":"1"},"model":"gpt-5"}` },
    { name: "is told within a tool", text: `{"input":[],"tools":[{"x":1,"client_metadata":{"a":"1"}}]}` },
    { name: "is no list of texts", text: `{"input":[],"client_metadata":{"a":{"b":1}}}` },
    { name: "is spaced out", text: `{"input":[], "client_metadata": {"a":"1"}}` },
    { name: "stands in a text", text: JSON.stringify({ input: ',"client_metadata":{"a":"1"}}' }) },
  ])("is compared where it $name", ({ text }) => {
    expect(comparable(text)).toBe(text);
  });
});

describe("what a request adds is not read by itself where", () => {
  const before = body([user("Go."), called("c1"), result("c1")]);
  const added = (items: readonly unknown[]) => {
    const text = `${before.slice(0, -2)},${items.map((item) => JSON.stringify(item)).join(",")}]}`;
    const from = delta.endOfMessages(bufferOf(before), parsed(before)) ?? 0;
    return delta.stepsBetween(bufferOf(text), from, bufferOf(text).length - 2);
  };

  it.each([
    { name: "it goes on with what the model did not say", items: [user("More.")] },
    { name: "a result belongs to an earlier call", items: [called("c2"), result("c1")] },
    { name: "an instruction is among it", items: [called("c2"), result("c2"), { role: "developer", content: "x" }] },
    { name: "an item is of no known type", items: [called("c2"), { type: "item_reference", id: "x" }] },
  ])("$name", ({ items }) => {
    expect(added(items)).toBeUndefined();
  });

  it("the last item before it is the model's own, which it may go on with", () => {
    const text = body([user("Go."), called("c1"), result("c1"), called("c2")]);
    expect(delta.endOfMessages(bufferOf(text), parsed(text))).toBeUndefined();
  });
});

describe("a request that goes on from an answer", () => {
  const turn = { calls: [{ id: "c1", tool: "search", args: '{"q":"a"}' }], text: "I look." };

  it("has that answer's turn before what it tells", () => {
    const request = parsed(body([result("c1"), user("And Rome?")], { previous_response_id: "resp_1" }));
    expect(request.continuing?.(turn, "Paris?").conversation).toEqual({
      system: "",
      opening: ["Paris?"],
      steps: [{ ...turn, calls: [{ ...turn.calls[0], outcome: { text: "Rain." } }], heard: ["And Rome?"] }],
    });
  });

  it.each([
    { name: "a list", input: [result("c1")], last: '{"type":"function_call_output","call_id":"c1","output":"Rain."}' },
    { name: "a text", input: "And Rome?", last: '{"role":"user","content":"And Rome?"}' },
    { name: "nothing", input: [], last: '{"role":"assistant","content":"Done."}' },
  ])("says so in other words where the upstream knows another answer, before $name", ({ input, last }) => {
    const request = parsed(body(input, { previous_response_id: "resp_ours", big: 1 }));
    const items =
      request.standIn?.([{ id: "c0", tool: "search", args: "{}" }], { calls: [], text: "Done.", heard: [] }) ?? "";
    const going = request.continuing?.({ ...turn, standIn: { answerId: "resp_theirs", items } }, "");
    const sent = JSON.parse(going === undefined ? "" : responses.rewrite(going, []));
    expect(sent).toMatchObject({ model: "gpt-5", previous_response_id: "resp_theirs", big: 1 });
    expect(sent.input.slice(0, 2)).toMatchObject([
      { type: "function_call_output", call_id: "c0" },
      { role: "assistant" },
    ]);
    expect(JSON.stringify(sent.input.at(-1))).toBe(last);
  });
});

const item = (index: number, type: string, more: object, delta: object) => {
  const at = { output_index: index, item_id: `item_${index}` };
  const whole = { type, id: at.item_id, ...more };
  const [kind, part] = Object.entries(delta)[0] ?? [];
  return (
    said("output_item.added", { ...at, item: { ...whole, summary: [], content: [], arguments: "" } }) +
    said(`${kind}.delta`, { ...at, content_index: 0, summary_index: 0, delta: part }) +
    said("output_item.done", { ...at, item: whole })
  );
};
const thought = (index: number) =>
  item(index, "reasoning", { summary: [{ type: "summary_text", text: "Hm?" }] }, { reasoning_summary_text: "Hm?" });
const words = (index: number) =>
  item(index, "message", { content: [{ type: "output_text", text: "I tell." }] }, { output_text: "I tell." });
const call = (index: number) =>
  item(index, "function_call", { call_id: "c", name: "send", arguments: "{}" }, { function_call_arguments: "{}" });

it.each([
  { name: "a call", items: [thought(0), call(1)], shown: 0 },
  { name: "words and a call", items: [thought(0), words(1), thought(2), call(3)], shown: 2 },
])("a thought is kept with $name that it led to, since the API takes no thought back alone", ({ items, shown }) => {
  const all = [said("created", { response: { id: "r" } }), ...items];
  const stream = splitStream(responses.decoder(), false);
  const { passed, kept } = heldBack(stream, "text/event-stream", bytesOf(all.join("")));
  expect(passed.toString()).toBe(all.slice(0, shown && shown + 1).join(""));
  expect(`${passed}${kept}`).toBe(all.join(""));
});

it("an error that ends a stream is an event of this API, which its body is not", () => {
  const failure = { code: "upstream_timeout", status: 504, message: "It fell silent." } as const;
  expect(responses.error(failure, "event").body).toMatch(
    /^event: error\ndata: \{"type":"error","code":"upstream_timeout"/,
  );
});

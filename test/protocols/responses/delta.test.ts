import { describe, expect, it } from "vitest";
import { responses } from "../../../src/protocols/responses/responses.ts";
import { body, called, parsed, result, searching, user } from "./support.ts";

const { delta } = responses;
/** As node hands bodies over: their slices share their memory. */
const bytesOf = (text: string) => Buffer.from(text);
const comparable = (text: string) => new TextDecoder().decode(delta.comparable(bytesOf(text)));

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
    const end = delta.endOfMessages(delta.comparable(bytesOf(text)), parsed(text)) ?? 0;
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
    const from = delta.endOfMessages(bytesOf(before), parsed(before)) ?? 0;
    return delta.stepsBetween(bytesOf(text), from, bytesOf(text).length - 2);
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
    expect(delta.endOfMessages(bytesOf(text), parsed(text))).toBeUndefined();
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/protocols.ts";
import { called, type Message, user } from "../../support/builders/chat-history.ts";
import { labelledCases } from "../../support/builders/cases.ts";

const { parse, delta } = chatCompletions;
const encoder = new TextEncoder();

type Layout = (messages: readonly Message[]) => string;

const tools = [{ type: "function", function: { name: 'a]}"\\', parameters: { enum: ["[", "}", '"', "\\", "é"] } } }];

const layouts: readonly (readonly [string, Layout])[] = [
  ["messages last", (messages) => JSON.stringify({ model: "m", tools, messages })],
  ["messages first", (messages) => JSON.stringify({ messages, model: "m", tools, stream: true })],
  ["blanks around all", (messages) => `\r\n ${JSON.stringify({ messages })}\t\n`],
  ["odd members behind", (messages) => JSON.stringify({ messages, a: "]", b: [], c: '\\"],[{', d: { e: [[]] } })],
];

const turn = (id: string) => called(id, "search", '{"q":"\\"[{é\\\\"}', 'He said "[{]}" \\ – 東京 🙂\u2028');
const call = (id: string): Message => turn(id)[0] ?? {};
const result = (id: string): Message => turn(id)[1] ?? {};
const late = (id: string): Message => ({ ...result(id), content: "late" });
const said = (content: string): Message => ({ role: "assistant", content });
const told: readonly Message[] = [{ role: "system", content: 'Be "kind" ]}' }, user("Go"), call("c1"), result("c1")];

function added(earlier: string, later: string) {
  const [before, after] = [encoder.encode(earlier), encoder.encode(later)];
  const ask = parse(earlier);
  const from = ask && delta.endOfMessages(before, ask);
  if (from === undefined) throw new Error("The end of the messages was not found.");
  return delta.stepsBetween(after, from, after.length - (before.length - from));
}

const stepsIn = (body: string) => parse(body)?.conversation.steps ?? [];

describe.each(layouts)("a body with %s", (_, layout) => {
  it.each<readonly [string, readonly Message[]]>([
    ["several turns", [call("c2"), result("c2"), said("So far."), user("Go on."), call("c3"), result("c3")]],
    ["a message of an unknown role", [said("Done."), { role: "critic", content: "Hm." }]],
    [
      "a result with no id",
      [
        { role: "assistant", function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "x" },
      ],
    ],
  ])("tells the steps that are new as the whole body does: %s", (__, news) => {
    const [earlier, later] = [layout(told), layout([...told, ...news])];
    expect(added(earlier, later)).toEqual(stepsIn(later).slice(stepsIn(earlier).length));
  });

  it.each<readonly [string, readonly Message[]]>([
    ["a user who goes on", [user("And?"), call("c2"), result("c2")]],
    ["another result of an earlier call", [late("c1")]],
    ["a result of an earlier call behind the new one", [call("c2"), result("c1"), result("c2")]],
  ])("has to be read whole for %s", (__, news) => {
    expect(added(layout(told), layout([...told, ...news]))).toBeUndefined();
  });
});

const rest = "]}";
const body = (news: string) => encoder.encode(`{"messages":[{"role":"user","content":"x"}${news}${rest}`);
const from = body("").length - rest.length;
const between = (news: string | Uint8Array) => {
  const bytes = typeof news === "string" ? body(news) : news;
  return delta.stepsBetween(bytes, from, bytes.length - rest.length);
};

it.each([
  ["nothing", ""],
  ["no comma", '{"role":"assistant","content":"x"}'],
  ["a message cut short", ',{"role":"assistant"'],
  ["another member of the request", ',{"role":"assistant","content":"x"}],"x":[{}'],
  ["no message", ",7"],
])("between two offsets: %s is no news", (_, news) => {
  expect(between(news)).toBeUndefined();
});

it("a body tells its newest calls, however it is spaced, but none within a text", () => {
  const ids = (body: string) => [...delta.newestCallIds(encoder.encode(body))];
  expect(ids(JSON.stringify({ messages: [...told, call("c2"), result("c2")] }, null, 4))).toEqual(["c2", "c1"]);
  expect(ids(JSON.stringify({ messages: [...told, call('"'), result('"')] }))).toEqual(["c1"]);
  expect(ids(JSON.stringify({ messages: [user('"tool_call_id":"x"')] }))).toEqual([]);
});

it("agrees with the whole body on every recorded conversation, wherever it goes on, or says nothing", () => {
  const layout = fc.constantFrom(...layouts.map(([, one]) => one));
  const anyCase = fc.constantFrom(...labelledCases.filter(({ messages }) => messages.length > 3));
  let read = 0;
  fc.assert(
    fc.property(anyCase, layout, fc.nat(), fc.integer({ min: 1, max: 5 }), ({ messages }, lay, at, count) => {
      const from = 1 + (at % (messages.length - 1));
      const [earlier, later] = [lay(messages.slice(0, from)), lay(messages.slice(0, from + count))];
      const isSettled = stepsIn(earlier).every(({ calls }) => calls.every(({ outcome }) => outcome !== undefined));
      const steps = isSettled && messages.length > from ? added(earlier, later) : undefined;
      if (steps === undefined) return;
      read += 1;
      expect([...stepsIn(earlier), ...steps]).toEqual(stepsIn(later));
    }),
    { interruptAfterTimeLimit: 600_000 },
  );
  expect(read).toBeGreaterThan(10);
});

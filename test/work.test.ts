import { describe, expect, it } from "vitest";
import { canonicalForm, jsonIn, parseJsonText } from "../src/engine/fingerprint/canonical.ts";
import { chatCompletions } from "../src/protocols/chat-completions/chat-completions.ts";
import { carrierOf } from "../src/protocols/dialects/ends.ts";
import { historyOf } from "../src/protocols/dialects/history.ts";
import { jsonValue } from "../src/protocols/json/json.ts";
import { fillSchema, honestJson, satisfies } from "../src/protocols/schema-fill/schema-fill.ts";
import { mergeHistory, mergeInPieces } from "../src/session/session.ts";
import type { Step } from "../src/step.ts";
import { requestWork } from "../src/work.ts";
import { judgeWith } from "./support/builders/detection.ts";
import { ask, conversation, times, together } from "./support/builders/steps.ts";

function spent() {
  const work = requestWork();
  work.spend(1e9);
  return work;
}

const object = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
const act = "Action: look\nAction Input: {}\n";
const answers = (texts: readonly string[]) => texts.map((text) => ({ part: "assistant" as const, text, calls: [] }));

it("a part of the work is spent from the whole, and never more than the part", () => {
  const work = requestWork();
  expect(work.part(10).spend(11)).toBe(false);
  expect(work.isSpent()).toBe(false);
  expect(spent().part(10).spend(1)).toBe(false);
});

it("says from time to time that others come first", () => {
  const work = requestWork();
  work.part(3_000_000).spend(900_000);
  expect([work.isDue(), work.isDue(), work.spend(200_000), work.isDue(400_000)]).toEqual([true, false, true, true]);
});

it("others have their turn between two calls of one long step, and between two steps", () => {
  const text = JSON.stringify(Object.fromEntries(times(2_000, (i) => [`key ${i}`, i])));
  const calls = (each: number) => times(each, (i) => ({ tool: "look", args: `{"q":${i}}`, outcome: { text } }));
  const pausesIn = (steps: readonly Step[]) => {
    const pieces = mergeInPieces(undefined, { system: "", opening: [], steps }, judgeWith({ work: requestWork() }));
    let pauses = 0;
    while (pieces.next().done !== true) pauses += 1;
    return pauses;
  };
  const step = (each: number): Step => ({ text: "", heard: [], calls: calls(each) });
  expect([[step(12)], times(12, () => step(1))].map(pausesIn)).toEqual([4, 4]);
  expect(pausesIn(times(12, (i) => ({ ...step(0), text: `${i}` })))).toBe(0);
});

it.each([
  {
    what: "many calls",
    messages: [{ role: "assistant", tool_calls: Array(20_000).fill({ function: { name: "a" } }) }],
  },
  { what: "many messages", messages: Array(60_000).fill({ role: "assistant", content: "x" }) },
  { what: "many texts that act", messages: Array(40).fill({ role: "assistant", content: act.repeat(1_000) }) },
  {
    what: "texts of many marks",
    messages: Array(400).fill({ role: "assistant", content: "<tool_call>)".repeat(160) }),
  },
  { what: "long texts", messages: Array(90).fill({ role: "user", content: "\\n".repeat(60_000) }) },
])("others have their turn while a history of $what is read", ({ messages }) => {
  const work = requestWork();
  let [since, most] = [0, 0];
  const spend = (units: number) => {
    since += units;
    return work.spend(units);
  };
  for (const _ of chatCompletions.parseInPieces(JSON.stringify({ messages }), "", { ...work, spend })) {
    most = Math.max(most, since);
    since = 0;
  }
  expect(Math.max(most, since)).toBeLessThan(1_300_000);
});

it("marks of calls are paid for, also where none is one", () => {
  const work = requestWork();
  let paid = 0;
  const spend = (units: number) => {
    paid += units;
    return work.spend(units);
  };
  const messages = [{ role: "assistant", content: "<tool_call>)".repeat(160) }];
  chatCompletions.parse(JSON.stringify({ messages }), "", { ...work, spend });
  expect(paid).toBeGreaterThan(160 * 50);
});

it("an answer is read where its texts or its tokens' chances are long, and not where its parts are very many", () => {
  const words = 'so "it" says\n'.repeat(100_000);
  const choices = [{ index: 0, delta: { role: "assistant", content: words }, finish_reason: "stop" }];
  const read = (more: object) =>
    chatCompletions.decoder("").decode({ event: undefined, data: JSON.stringify({ id: "a", choices, ...more }) });
  expect(
    read({})
      ?.parts.map((part) => (part.kind === "text" ? part.text : ""))
      .join(""),
  ).toBe(words);
  const token = { token: " word", logprob: -0.12345678, bytes: [32, 119, 111, 114, 100] };
  expect(read({ logprobs: Array(2_000).fill({ ...token, top_logprobs: Array(5).fill(token) }) })).toBeDefined();
  expect(read({ more: times(80_000, (i) => ({ [`k${i}`]: 1 })) })).toBeUndefined();
});

describe("once the work of a request is spent", () => {
  it("a text is words, and a value none", () => {
    expect(historyOf(answers([act]), spent()).conversation.steps[0]?.calls).toEqual([]);
    expect([jsonValue("{}", spent()), parseJsonText("{}", spent()), jsonIn("{}", spent())]).toEqual(
      Array(3).fill(undefined),
    );
  });

  it("an end is plain words", () => {
    expect([fillSchema(object, "Over.", "badly", spent()), honestJson(object, "Over.", "badly", spent())]).toEqual([
      undefined,
      undefined,
    ]);
    expect(satisfies(object, { answer: "x" }, spent())).toBe(false);
  });

  it("what stands before is read as ever", () => {
    const { steps } = historyOf(
      answers([act, ...Array(1_500).fill("\n\n#Action:".repeat(200)), act]),
      requestWork(),
    ).conversation;
    expect([steps[0]?.calls.length, steps.at(-1)?.calls.length]).toEqual([1, 0]);
  });
});

it("a union of many branches is looked through once, whatever the first of them has", () => {
  const members = (count: number) => Object.fromEntries(times(count, (i) => [`k${i}`, { const: `${i}` }]));
  const branches = [members(10_000), ...times(999, () => members(1))].map((properties) => ({ properties }));
  const schema = { properties: { action: { anyOf: branches } } };
  const work = requestWork();
  expect([carrierOf(schema, "done", work), work.spend(6_000_000)]).toEqual([undefined, true]);
});

/** Turns of calls that are all answered in the same words, with other figures. */
const turns = (calls: number) =>
  Array.from({ length: 96 }, (_, turn) => ({
    text: "",
    heard: [],
    calls: Array.from({ length: calls }, (_, i) => ({
      ...{ tool: "look", args: JSON.stringify({ path: `src/${(7 * turn + i) % 29}.ts` }) },
      outcome: { text: Array.from({ length: 24 }, (_, at) => ((7 * turn + i) * at) % 17).join(" one ") },
    })),
  }));

it.each([1, 7])(
  "comparing the steps of a history is paid for from a part of the work, and tells where that was too little: %d calls in a turn",
  (calls) => {
    const work = requestWork();
    const told = { system: "", opening: ["go"], steps: turns(calls) };
    const { isPartial } = mergeHistory(undefined, told, judgeWith({ work }));
    expect([work.spend(1_500_000), work.spend(5_500_000), isPartial]).toEqual([true, false, calls > 1]);
  },
);

it("nothing looks at a value without work, by type", () => {
  const calls = () => [
    // @ts-expect-error a text that becomes a value
    jsonValue("{}"),
    // @ts-expect-error the same in the engine
    parseJsonText("{}"),
    // @ts-expect-error a value that nobody has paid for
    canonicalForm({} as unknown, requestWork()),
    // @ts-expect-error a result that may be JSON
    jsonIn("{}"),
    // @ts-expect-error texts that may be actions
    historyOf([]),
    // @ts-expect-error a schema to fill
    honestJson(object, "", "badly"),
    // @ts-expect-error a schema to check by
    satisfies(object, {}),
  ];
  expect(calls).toBeTypeOf("function");
});

it("is enough for a long history of parallel calls that is read at once, whose older steps are compared in part", () => {
  const work = requestWork();
  const hits = (turn: number, at: number) =>
    Array.from({ length: 25 }, (_, line) => `src/file${(7 * turn + line) % 50}.ts:${3 * turn + line + at}: some text`);
  const look = (turn: number) =>
    together(...times(6, (at) => ask("grep", { q: `${turn} ${at}` }, hits(turn, at).join("\n"))));
  const told = conversation([...times(87, look), ...times(8, () => look(500))]);
  const { now, isPartial } = mergeHistory(undefined, told, { ...judgeWith(), work });
  expect([now?.intervention.rung, isPartial, work.isSpent()]).toEqual(["short-circuit", true, false]);
});

it("is enough for twelve results of dense JSON at first sight", () => {
  const rows = times(700, (i) => ({ id: i, name: `user ${i}`, email: `u${i}@example.com`, active: true, score: i }));
  const steps = times(12, (i) => together(ask("look", { q: i }, JSON.stringify(rows))));
  const { tip, isPartial } = mergeHistory(undefined, conversation(steps), judgeWith({ work: requestWork() }));
  expect([tip.window.length, isPartial]).toEqual([12, false]);
});

import { describe, expect, it } from "vitest";
import type { Conversation } from "../../../src/step.ts";
import { memoryStores } from "../../../src/store/memory/memory.ts";
import type { Stores } from "../../../src/store/store.ts";
import type { Said } from "../../support/builders/evidence.ts";
import { asAnswered, exchange, nowOf, type Recorded } from "../../support/builders/run.ts";
import {
  call,
  conversation,
  heard,
  numbered,
  type Part,
  shortened,
  times,
  upTo,
  withIds,
  counted,
} from "../../support/builders/steps.ts";

const read = () => call("read", { path: "a" }, "the whole text of a");
const walk = (i: number) => call("read", { page: i }, `text of page ${i}`);
const task = (text: string, ...parts: readonly Part[]) => numbered(conversation([heard(text), ...parts]));
const looping = task("Fix a.", ...times(3, walk), ...times(6, read));

/** Sends a run request by request; each carries what `seen` makes of the history, and is answered with the next step. */
async function run(
  stores: Stores,
  told: Conversation,
  seen: (whole: Conversation, count: number) => Conversation = (whole) => whole,
  evidence: Said = {},
): Promise<readonly Recorded[]> {
  const all: Recorded[] = [];
  for (let count = 0; count <= told.steps.length; count++) {
    const next = told.steps[count];
    const answer = next === undefined ? {} : { answer: { id: `chatcmpl-${count}`, step: asAnswered(next) } };
    all.push(await exchange(stores, { said: evidence, about: seen(upTo(told, count), count), ...answer }));
  }
  return all;
}

function compacting(from: number, kept: number) {
  return (whole: Conversation, count: number): Conversation =>
    count < from
      ? whole
      : { ...whole, opening: ["Summary: page 0 to 2 were read."], steps: whole.steps.slice(from - kept) };
}

const story = [
  ...times(6, () => undefined),
  "nudge repeated-call x3 at 5",
  undefined,
  "force-done repeated-call x5 at 7",
  "short-circuit repeated-call x6 at 8",
];

it.each([
  { name: "derived", said: {}, from: 4, kept: 1 },
  { name: "shared", said: { body: { prompt_cache_key: "app" } }, from: 8, kept: 4 },
])(
  "a compacted history goes on at the same turn, $kept steps kept of $from, in a $name session",
  async ({ said, from, kept }) => {
    const all = await run(memoryStores(), looping, compacting(from, kept), said);
    expect(all.map(nowOf)).toEqual(story);
    expect(all.at(-1)?.followed.tip.total).toBe(9);
    expect(all.map(({ added }) => added)).toEqual([0, ...times(9, () => 1)]);
  },
);

describe("another run with the same call ids is not led astray", () => {
  it.each([
    { name: "counted from nought in each run", id: () => counted("call_") },
    { name: "always the same", id: () => () => "call_0" },
  ])("$name", async ({ id }) => {
    const stores = memoryStores();
    const [one, other] = [
      withIds(task("Fix a.", ...times(3, walk), ...times(6, read)), id()),
      withIds(task("Bを直して。", read(), walk(1), walk(2), read(), walk(3)), id()),
    ];
    await run(stores, one);
    const alone = await run(memoryStores(), other);
    const beside = await run(stores, other);
    expect(beside.map(({ followed }) => followed)).toEqual(alone.map(({ followed }) => followed));
    expect(beside.map(({ followed: { save } }) => save?.language)).toEqual(times(6, () => "ja"));
  });

  it("a session is not led into another one that the client names", async () => {
    const stores = memoryStores();
    const named = (id: string): Said => ({ headers: { "x-unloop-session": id } });
    await run(stores, upTo(looping, 7), undefined, named("run-7"));
    const short = compacting(7, 2)(upTo(looping, 7), 7);
    expect((await exchange(stores, { said: named("run-8"), about: short })).followed.tip.total).toBe(2);
    expect((await exchange(stores, { said: named("run-7"), about: short })).followed.tip.total).toBeGreaterThan(2);
  });
});

/* That a key, a session and a thread are another tenant's is told by `identify.test.ts`. */
describe("another tenant's run", () => {
  const told = task("Fix a.", ...times(6, read));
  const newest = shortened(told, 5);
  const by = (key: string, more: Said = {}): Said => ({ ...more, headers: { authorization: `Bearer ${key}` } });
  const totalOf = async (stores: Stores, key: string, about: Conversation, more?: Said) =>
    (await exchange(stores, { said: by(key, more), about })).followed.tip.total;

  it("finds nothing under the ids of this one's answers", async () => {
    const stores = memoryStores();
    await run(stores, told, undefined, by("a"));
    const [body, about] = [{ previous_response_id: "chatcmpl-5" }, { system: "", opening: [], steps: newest.steps }];
    expect([await totalOf(stores, "b", about, { body }), await totalOf(stores, "a", about, { body })]).toEqual([1, 6]);
  });

  it("cannot lead this one elsewhere by leaving a trail for its answers first", async () => {
    const stores = memoryStores();
    const answer = { id: "chatcmpl-5", step: asAnswered(told.steps[5] ?? expect.fail()) };
    await exchange(stores, { said: by("b"), about: upTo(told, 3), answer });
    await run(stores, told, undefined, by("a"));
    expect(await totalOf(stores, "a", { ...newest, opening: ["Summary."] })).toBe(6);
  });
});

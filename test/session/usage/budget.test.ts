import { expect, it } from "vitest";
import type { Conversation } from "../../../src/step.ts";
import { memoryStores } from "../../../src/store/memory/memory.ts";
import type { Stores } from "../../../src/store/store.ts";
import { defaultPolicy, judgeWith } from "../../support/builders/detection.ts";
import type { Said } from "../../support/builders/evidence.ts";
import { asAnswered, exchange, nowOf, type Recorded } from "../../support/builders/run.ts";
import { call, conversation, heard, numbered, times, upTo } from "../../support/builders/steps.ts";

const evaluation = judgeWith({
  policy: { ...defaultPolicy(), ladders: { "budget:steps": { nudge: 6, "force-done": 8, "short-circuit": 9 } } },
});
const agent = (name: string): Conversation =>
  numbered(conversation([heard(`${name}'s task.`), ...times(8, (i) => call("read", { [name]: i }, `page ${i}`))]));
const [ann, bob] = [agent("ann"), agent("bob")];
const named: Said = { headers: { "x-unloop-session": "run-7" } };

const ask = (stores: Stores, told: Conversation, count: number, said = named): Promise<Recorded> =>
  exchange(stores, { said, about: upTo(told, count) }, evaluation);

/** Both agents in turn, each request sent so often; what each led to, the last time it was sent. */
async function alternating(stores: Stores, rounds: number, sent = 1, said = named) {
  const story: (string | undefined)[] = [];
  for (let count = 1; count <= rounds; count++)
    for (const told of [ann, bob]) {
      for (let again = 1; again < sent; again++) await ask(stores, told, count, said);
      story.push(nowOf(await ask(stores, told, count, said)));
    }
  return story;
}

const together = [
  ...times(5, () => undefined),
  "nudge budget x6 at 2",
  "nudge budget x7 at 3",
  "force-done budget x8 at 3",
  "short-circuit budget x9 at 4",
  "short-circuit budget x10 at 4",
];

it("two sub-agents that alternate spend one budget, and each is told", async () => {
  expect(await alternating(memoryStores(), 5)).toEqual(together);
});

it("a retry is not counted twice", async () => {
  const stores = memoryStores();
  expect(await alternating(stores, 5, 3)).toEqual(together);
  const { identity } = await ask(stores, ann, 5);
  expect(await stores.counters.read(identity.key)).toEqual({ steps: 10 });
});

it("a nudge is told where it was due, not at a step that was over before", async () => {
  const stores = memoryStores();
  await alternating(stores, 3);
  const { followed } = await ask(stores, ann, 4);
  expect({ now: followed.now?.step, earlier: followed.earlier }).toEqual({ now: 3, earlier: [] });
});

it("a compacted history spends on, and nothing again", async () => {
  const stores = memoryStores();
  await alternating(stores, 3);
  const answer = { id: undefined, step: asAnswered(ann.steps[3] ?? call("read")) };
  await exchange(stores, { said: named, about: upTo(ann, 3), answer }, evaluation);
  const compacted = { ...ann, opening: ["Summary."], steps: ann.steps.slice(2, 4) };
  const { followed, added, identity } = await exchange(stores, { said: named, about: compacted }, evaluation);
  expect({ total: followed.tip.total, added, spent: await stores.counters.read(identity.key) }).toEqual({
    total: 4,
    added: 1,
    spent: { steps: 7 },
  });
});

it("sessions have budgets of their own", async () => {
  const stores = memoryStores();
  await alternating(stores, 5);
  const other: Said = { headers: { "x-unloop-session": "run-8" } };
  expect(await alternating(stores, 2, 1, other)).toEqual(times(4, () => undefined));
});

it("runs that share a cache key have budgets of their own", async () => {
  expect(await alternating(memoryStores(), 5, 1, { body: { prompt_cache_key: "app" } })).toEqual(
    times(10, () => undefined),
  );
});

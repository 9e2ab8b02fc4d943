import { expect, it } from "vitest";
import { memoryStores } from "../../src/index.ts";
import { type History, readHistory, takeIn, writtenHistory } from "../../src/goal-judge/goal-judge.ts";
import { savePlan } from "../../src/evaluation/judge/goal-plan.ts";
import type { ThreadKey } from "../../src/store/store.ts";
import { termsWith } from "../goal-judge/plan.ts";
import { call, conversation, upTo } from "../support/builders/steps.ts";

const key = "session.thread-plan" as ThreadKey;
const sessionTtlMs = 60_000;
const run = conversation([call("click", { element: "a" }, "Page a."), call("click", { element: "b" }, "Page b.")]);
const taking = (steps: number) => (known: History | undefined) => takeIn(known, upTo(run, steps), termsWith());

it("a plan that another request has kept meanwhile is gone on from, not replaced", async () => {
  const stores = memoryStores();
  await stores.sessions.write(key, writtenHistory(taking(1)(undefined)), 0, sessionTtlMs);
  const kept = await savePlan(key, { record: undefined, version: 0 }, taking(2), { stores, sessionTtlMs });
  expect(kept).toMatchObject({ version: 2, record: { taken: 2 } });
  const stored = await stores.sessions.read(key);
  expect(readHistory(stored?.json ?? "")).toEqual(kept.record);
});

it("a plan to which nothing is added is not written again", async () => {
  const stores = memoryStores();
  const kept = await savePlan(key, { record: undefined, version: 0 }, taking(2), { stores, sessionTtlMs });
  expect(await savePlan(key, kept, taking(2), { stores, sessionTtlMs })).toMatchObject({
    record: kept.record,
    version: 1,
  });
  expect((await stores.sessions.read(key))?.version).toBe(1);
});

it("of many that keep a plan at once none is lost", async () => {
  const stores = memoryStores();
  const found = { record: undefined, version: 0 };
  const all = [1, 2, 1, 2].map((steps) => savePlan(key, found, taking(steps), { stores, sessionTtlMs }));
  await Promise.all(all);
  expect(readHistory((await stores.sessions.read(key))?.json ?? "")?.taken).toBe(2);
});

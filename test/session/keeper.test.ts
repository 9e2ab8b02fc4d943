import { describe, expect, it } from "vitest";
import { follow, load, nothingKept, save } from "../../src/session/session.ts";
import type { Conversation } from "../../src/step.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { SessionStore, ThreadKey } from "../../src/store/store.ts";
import { judgeWith } from "../support/detection.ts";
import { call, conversation, numbered, shortened, times, upTo, withIds } from "../support/steps.ts";

const judge = judgeWith();
const thread = "thread" as ThreadKey;
const told = numbered(conversation(times(24, (i) => call("read", { page: i }, `text of page ${i}`))));

/** Load, follow, save: what the guard does around each request. */
async function request(store: SessionStore, about: Conversation): Promise<boolean> {
  const kept = await load(store, thread);
  return save(store, thread, kept, follow(kept.ledger, about, judge), { conversation: about, judge, ttlMs: 60_000 });
}

const totalIn = async (store: SessionStore) => (await load(store, thread)).ledger?.total;

it("saves all but the last step, which may still change", async () => {
  const store = memoryStore();
  expect(await request(store, upTo(told, 5))).toBe(true);
  expect(await totalIn(store)).toBe(4);
});

it("does not write when nothing is new", async () => {
  const store = memoryStore();
  await request(store, told);
  await request(store, told);
  expect((await store.read(thread))?.version).toBe(1);
});

describe("twenty writers at once", () => {
  it("leave the longest history, whoever is first", async () => {
    for (const order of [(i: number) => i + 2, (i: number) => 21 - i, (i: number) => ((i * 7) % 20) + 2]) {
      const store = memoryStore();
      const saved = await Promise.all(times(20, (i) => request(store, upTo(told, order(i)))));
      expect(saved.every(Boolean)).toBe(true);
      expect(await totalIn(store)).toBe(20);
    }
  });

  it("lose none of each other's steps where each has its own", async () => {
    const store = memoryStore();
    const own = (i: number) => withIds(shortened(told, 22), ids(`w${i}-`));
    await Promise.all(times(20, (i) => request(store, own(i))));
    // Two steps each, the very last of them not counted yet.
    expect(await totalIn(store)).toBe(39);
  });
});

it("a slow old request does not replace what a newer one has saved", async () => {
  const store = memoryStore();
  const slow = await load(store, thread);
  await request(store, upTo(told, 12));
  const old = upTo(told, 5);
  const saved = await save(store, thread, slow, follow(slow.ledger, old, judge), {
    conversation: old,
    judge,
    ttlMs: 60_000,
  });
  expect(saved).toBe(true);
  expect(await totalIn(store)).toBe(11);
});

it("gives up, and says so, when it never wins", async () => {
  const store: SessionStore = { ...memoryStore(), write: async () => false };
  expect(await request(store, told)).toBe(false);
});

describe("a record that cannot be read", () => {
  it.each(["garbage", "{", '{"schema":999}', '{"schema":1}', "null"])("is none, and is replaced: %j", async (json) => {
    const store = memoryStore();
    await store.write(thread, json, 0, 60_000);
    expect((await load(store, thread)).ledger).toBeUndefined();
    expect(await request(store, upTo(told, 5))).toBe(true);
    expect(await totalIn(store)).toBe(4);
  });
});

describe("a store that fails", () => {
  const down = async () => {
    throw new Error("the store is down");
  };

  it("fails the load", async () => {
    await expect(load({ ...memoryStore(), read: down }, thread)).rejects.toThrow("the store is down");
  });

  it("fails the save", async () => {
    const store: SessionStore = { ...memoryStore(), write: down };
    await expect(request(store, told)).rejects.toThrow("the store is down");
  });

  it("and the history alone is judged meanwhile", () => {
    expect(follow(nothingKept.ledger, told, judge).total).toBe(24);
  });
});

function ids(prefix: string): () => string {
  let next = 0;
  return () => `${prefix}${next++}`;
}

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import type { DurableObjectState } from "@cloudflare/workers-types";
import { afterEach, describe, expect, it, vi } from "vitest";
import { durableObjectStores } from "../../../src/store/durable-object/durable-object.ts";
import { partsOf, type SessionKey, type ThreadKey } from "../../../src/store/store.ts";
import { storesContract } from "../../contracts/stores.ts";
import { ownObjects } from "../../worker/seams/bindings.ts";

const TTL_MS = 10_000;
const { sessions, counters, journal } = durableObjectStores(ownObjects, { name: "keeping", journalCapacity: 3 });

const newKey = () => `${crypto.randomUUID()}.main` as ThreadKey;
const objectOf = (key: ThreadKey) => ownObjects.THREADS.getByName(partsOf(key).session);

/** All that an object has on disk: its records, and when its alarm rings. */
function keptBy(key: ThreadKey) {
  return runInDurableObject(objectOf(key), async (_, { storage }: DurableObjectState) => ({
    records: [...storage.kv.list()].length,
    alarm: await storage.getAlarm(),
  }));
}

function passes(ms: number): void {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
}

afterEach(() => {
  vi.useRealTimers();
});

storesContract("Durable Objects", async (name, journalCapacity) => ({
  stores: durableObjectStores(ownObjects, { name, journalCapacity }),
  advance: async (ms) => passes(ms),
}));

describe("the object of a session's threads", () => {
  it("has nothing on disk when it was only asked, or refused a writer", async () => {
    const key = newKey();
    await sessions.read(key);
    await sessions.write(key, "stale", 7, TTL_MS);
    expect(await keptBy(key)).toEqual({ records: 0, alarm: null });
  });

  it("is woken when it has expired, and has nothing on disk then", async () => {
    const key = newKey();
    const start = Date.now();
    await sessions.write(key, "{}", 0, TTL_MS);
    const { alarm } = await keptBy(key);
    expect(alarm).toBeGreaterThanOrEqual(start + TTL_MS);
    passes(TTL_MS + 100);
    expect(await runDurableObjectAlarm(objectOf(key))).toBe(true);
    expect(await keptBy(key)).toEqual({ records: 0, alarm: null });
  });

  it("puts its alarm off when it rings before the last write has expired", async () => {
    const key = newKey();
    await sessions.write(key, "1", 0, TTL_MS);
    passes(TTL_MS * 0.6);
    const written = Date.now();
    await sessions.write(key, "2", 1, TTL_MS);
    passes(TTL_MS * 0.6);
    expect(await runDurableObjectAlarm(objectOf(key))).toBe(true);
    const { alarm } = await keptBy(key);
    expect(alarm).toBeGreaterThanOrEqual(written + TTL_MS);
    expect(await sessions.read(key)).toEqual({ json: "2", version: 2 });
  });
});

it("an object that was evicted goes on where it was: thread, sums and journal", async () => {
  const key = newKey();
  const session = crypto.randomUUID() as SessionKey;
  await sessions.write(key, "{}", 0, TTL_MS);
  await counters.add(session, { steps: 2 }, TTL_MS);
  for (const entry of ["a", "b"]) await journal.append(entry);
  await abortAllDurableObjects();
  expect(await sessions.write(key, "{1}", 1, TTL_MS)).toBe(true);
  expect(await counters.add(session, { steps: 1 }, TTL_MS)).toEqual({ steps: 3 });
  for (const entry of ["c", "d"]) await journal.append(entry);
  expect(await sessions.read(key)).toEqual({ json: "{1}", version: 2 });
  expect((await journal.page(10)).map(({ entry }) => entry)).toEqual(["d", "c", "b"]);
});

it("an object that fails is a store that is not there, told without what was to be kept", async () => {
  const failing = { getByName: () => ({ run: () => Promise.reject(new Error("Object is overloaded.")) }) };
  const stores = durableObjectStores({ ...ownObjects, THREADS: failing as unknown as typeof ownObjects.THREADS });
  await expect(stores.sessions.write(newKey(), "private", 0, TTL_MS)).rejects.toMatchObject({
    code: "store_unavailable",
    message: "A Durable Object failed: Object is overloaded.",
  });
});

it("objects that have a place are asked for there, each of them", async () => {
  const asked: unknown[] = [];
  const failing = (jurisdiction?: string): unknown => ({
    jurisdiction: failing,
    getByName: (_: string, options: object) => {
      asked.push({ jurisdiction, ...options });
      throw new Error("not there");
    },
  });
  const names = ["THREADS", "JOURNAL", "DIRECTORY"];
  const namespaces = Object.fromEntries(names.map((name) => [name, failing()])) as unknown as typeof ownObjects;
  const stores = durableObjectStores(namespaces, { jurisdiction: "eu", locationHint: "weur" });
  const session = "s" as SessionKey;
  const commands = [stores.sessions.read(newKey()), stores.counters.read(session), stores.journal.page(1)];
  await Promise.allSettled([...commands, stores.directory.find(session), stores.directives.read()]);
  expect(asked).toEqual([...names, "THREADS", "THREADS"].map(() => ({ jurisdiction: "eu", locationHint: "weur" })));
});

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { UnloopError } from "../../../src/errors.ts";
import { memoryStores } from "../../../src/store/memory/memory.ts";
import { resilient } from "../../../src/store/resilient/resilient.ts";
import type { SessionKey, Stored, Stores, ThreadKey } from "../../../src/store/store.ts";
import { storesContract } from "../../contracts/stores.ts";

storesContract("memory behind resilient", async (_prefix, journalCapacity) => {
  let time = 1_000;
  const stores = resilient(memoryStores({ now: () => time, journalCapacity }));
  return {
    stores,
    async advance(ms) {
      time += ms;
    },
  };
});

const key = "s.t" as ThreadKey;
const session = "s" as SessionKey;

interface Answer {
  resolve(stored?: Stored): void;
  reject(error: Error): void;
}

function rig(options: Parameters<typeof resilient>[1] = {}) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  // A timer of no time takes a millisecond.
  const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms + 1);
  const asked: Answer[] = [];
  const changes: string[] = [];
  const memory = memoryStores();
  const sessions = {
    ...memory.sessions,
    read: () => new Promise<Stored | undefined>((resolve, reject) => asked.push({ resolve, reject })),
  };
  const onChange = (state: string, reason: string) => changes.push(`${state}: ${reason}`);
  const stores: Stores = resilient({ ...memory, sessions }, { onChange, ...options });
  const read = () =>
    stores.sessions.read(key).then(
      (stored) => stored?.json ?? "nothing",
      (error: unknown) => (error instanceof UnloopError ? `${error.code}: ${error.message}` : String(error)),
    );
  const failTimes = async (times: number) => {
    for (let i = 0; i < times; i += 1) {
      const reading = read();
      asked.at(-1)?.reject(new Error("connection lost"));
      await reading;
    }
  };
  return { advance, asked, changes, memory, stores, read, failTimes };
}

const leftAlone = "store_unavailable: The store is left alone for a while, since it failed repeatedly.";

describe("resilient stores", () => {
  it("do not wait longer than the deadline, and ignore what comes later", async () => {
    const { asked, advance, read, changes } = rig();
    const [reading, other] = [read(), read()];
    await advance(50);
    expect(await reading).toBe("store_unavailable: The store did not answer within 50 ms.");
    expect(await other).toContain("did not answer");
    asked[0]?.resolve({ json: "late", version: 1 });
    // Nobody waits for this one any more; were it unhandled, the test run would end with it.
    asked[1]?.reject(new Error("late"));
    await advance(1_000);
    expect(changes).toEqual([]);
  });

  it("give what no exchange waits for longer, and do not count it where it is late", async () => {
    const { advance, changes, memory, stores } = rig({ isBeside: true });
    const listings: ((page: []) => void)[] = [];
    memory.directory.page = () => new Promise((resolve) => listings.push(resolve));
    const listed = stores.directory.page(10);
    await advance(1_999);
    listings[0]?.([]);
    expect(await listed).toEqual([]);
    for (let i = 0; i < 6; i += 1) {
      const late = stores.directory.page(10).catch((error: unknown) => String(error));
      await advance(2_000);
      expect(await late).toContain("did not answer within 2000 ms");
    }
    expect(changes).toEqual([]);
    memory.directory.page = () => Promise.reject(new Error("connection lost"));
    for (let i = 0; i < 5; i += 1) await expect(stores.directory.page(10)).rejects.toThrow("The store failed.");
    expect(changes).toEqual(["open: Error"]);
  });

  it("leave the stores alone after five failures in a row, all three of them", async () => {
    const { asked, failTimes, changes, read, stores } = rig();
    await failTimes(5);
    expect(changes).toEqual(["open: Error"]);
    expect(await read()).toBe(leftAlone);
    const others = [stores.counters.read(session), stores.journal.append("{}"), stores.sessions.write(key, "{}", 0, 1)];
    for (const one of others) await expect(one).rejects.toMatchObject({ code: "store_unavailable" });
    expect(asked).toHaveLength(5);
  });

  it("come back with the first command that is answered after a pause", async () => {
    const { asked, advance, failTimes, changes, read } = rig();
    await failTimes(5);
    await advance(1_000);
    const [probe, beside] = [read(), read()];
    expect(await beside).toBe(leftAlone);
    asked[5]?.resolve({ json: "{}", version: 1 });
    expect(await probe).toBe("{}");
    const after = read();
    asked[6]?.resolve();
    expect(await after).toBe("nothing");
    expect(changes).toEqual(["open: Error", "closed: it answers again"]);
  });

  it("count failures in a row alone, and believe no answer to what was asked before they were left", async () => {
    const { asked, failTimes, changes, read } = rig();
    const early = read();
    await failTimes(4);
    const well = read();
    asked.at(-1)?.resolve();
    expect(await well).toBe("nothing");
    await failTimes(4);
    expect(changes).toEqual([]);
    await failTimes(1);
    asked[0]?.resolve({ json: "{}", version: 1 });
    expect(await early).toBe("{}");
    expect(await read()).toBe(leftAlone);
    expect(changes).toEqual(["open: Error"]);
  });

  it("do not take a refusal for a failure, nor for a sign of life", async () => {
    const { asked, advance, failTimes, changes, stores, read } = rig();
    const refused = () => stores.sessions.write(key, "x".repeat(2 ** 20), 0, 1_000);
    for (let i = 0; i < 10; i += 1) await expect(refused()).rejects.toMatchObject({ code: "record_refused" });
    expect(changes).toEqual([]);
    await failTimes(5);
    await advance(1_000);
    await expect(refused()).rejects.toMatchObject({ code: "record_refused" });
    expect(changes).toHaveLength(1);
    const probe = read();
    asked[5]?.resolve();
    expect(await probe).toBe("nothing");
  });
});

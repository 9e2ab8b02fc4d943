import { describe, expect, it, vi } from "vitest";
import { activity, countName, periodKey } from "../../src/activity/activity.ts";
import { memoryStores } from "../../src/store/memory/memory.ts";
import type { SessionKey } from "../../src/store/store.ts";

const KEY = "session" as SessionKey;
const AT = 1_000_000;

function gathered() {
  const stores = memoryStores();
  const note = vi.spyOn(stores.directory, "note");
  const told = activity({
    stores,
    ttlMs: () => 60_000,
    gatherMs: 60_000,
    outlive: undefined,
    now: () => AT,
    inBackground: (run) => run().catch(() => undefined),
  });
  const change = (verdict: string) => ({
    at: AT * 1_000,
    set: { verdict },
    first: { firstSeenAt: verdict },
    add: { requests: 1 },
  });
  for (const verdict of ["ok", "nudge"]) void told.note(KEY, change(verdict), { exchanges: 1 });
  return { told, note };
}

describe("activity that is gathered", () => {
  it("tells the directory of a busy session once", async () => {
    const { told, note } = gathered();
    expect(note).not.toHaveBeenCalled();
    await told.flush();
    await told.flush();
    expect(note).toHaveBeenCalledTimes(1);
  });

  it("is told of each session and summed up, although the directory refuses one of them", async () => {
    const { told, note } = gathered();
    const others = Array.from({ length: 120 }, (_, i) => `other-${i}` as SessionKey);
    const change = { at: AT * 1_000, set: {}, first: {}, add: {} };
    for (const key of others) void told.note(key, change, { exchanges: 1 });
    note.mockRejectedValueOnce(new Error("refused"));
    await told.flush();
    const { entries } = await told.readers.directory.page(200);
    expect(entries.map(({ key }) => key).sort()).toEqual([...others].sort());
    expect(await told.readers.counters.read(periodKey("hour", AT))).toEqual({ exchanges: 122 });
  });

  it("sums up so many tools a day, and all else that happens, whatever clients call theirs", async () => {
    const { told } = gathered();
    const change = { at: AT * 1_000, set: {}, first: {}, add: {} };
    const tool = (name: string) => countName({ kind: "tools", tool: name, detector: "repeated-call" });
    for (let i = 0; i < 1_200; i++) {
      void told.note(KEY, change, { exchanges: 1, [tool(`made-up-${i}`)]: 1 });
      if (i % 100 === 0) await told.flush();
    }
    const sums = await told.readers.counters.read(periodKey("day", AT));
    expect(sums.exchanges).toBe(1_202);
    expect(sums[tool("made-up-0")]).toBe(1);
    expect(Object.keys(sums).length).toBeLessThanOrEqual(501);
  });

  it("is known to those who read here, at once", async () => {
    const { told } = gathered();
    const entry = {
      key: KEY,
      at: AT * 1_000,
      fields: { firstSeenAt: "ok", verdict: "nudge" },
      sums: { requests: 2 },
    };
    expect(await told.readers.directory.find(KEY)).toEqual(entry);
    expect(await told.readers.counters.read(periodKey("hour", AT))).toEqual({ exchanges: 2 });
  });
});

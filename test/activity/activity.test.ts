import { describe, expect, it, vi } from "vitest";
import { activity } from "../../src/activity/activity.ts";
import { memoryStores } from "../../src/store/memory/memory.ts";
import type { SessionKey } from "../../src/store/store.ts";

const KEY = "session" as SessionKey;
const AT = 1_000_000;

function gathered() {
  const stores = memoryStores();
  const note = vi.spyOn(stores.directory, "note");
  const told = activity({
    directory: stores.directory,
    ttlMs: () => 60_000,
    gatherMs: 60_000,
    outlive: undefined,
    inBackground: (run) => run().catch(() => undefined),
  });
  const change = (verdict: string) => ({
    at: AT * 1_000,
    set: { verdict },
    first: { firstSeenAt: verdict },
    add: { requests: 1 },
  });
  for (const verdict of ["ok", "nudge"]) void told.note(KEY, change(verdict));
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

  it("is told of each session, although the directory refuses one of them", async () => {
    const { told, note } = gathered();
    const others = Array.from({ length: 120 }, (_, i) => `other-${i}` as SessionKey);
    const change = { at: AT * 1_000, set: {}, first: {}, add: {} };
    for (const key of others) void told.note(key, change);
    note.mockRejectedValueOnce(new Error("refused"));
    await told.flush();
    const entries = await told.directory.page(200);
    expect(entries.map(({ key }) => key).sort()).toEqual([...others].sort());
  });
});

import { describe, expect, it, vi } from "vitest";
import { activity, stateOfThreads, stateText, stateTimes } from "../../src/activity/activity.ts";
import { memoryStores } from "../../src/store/memory/memory.ts";
import type { SessionKey, ThreadKey } from "../../src/store/store.ts";

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

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

it.each([
  { name: "its only thread's", threads: [stateText("running", NOW)], is: "running" },
  {
    name: "the most pressing of its threads",
    threads: [stateText("done", NOW), stateText("looping", NOW - MINUTE), stateText("running", NOW)],
    is: "looping",
  },
  {
    name: "not that of a thread that was left long ago",
    threads: [stateText("ended", NOW - 11 * MINUTE), stateText("running", NOW)],
    is: "running",
  },
  { name: "running where nothing is known", threads: [], is: "running" },
])("a session's state is $name", ({ threads, is }) => {
  expect(stateOfThreads(threads, NOW, NOW).state).toBe(is);
});

it.each([
  ["running", "idle"],
  ["recovered", "idle"],
  ["ended", "ended"],
  ["cut", "cut"],
] as const)("a run that was %s ten minutes ago is %s now", (state, later) => {
  expect(stateOfThreads([stateText(state, NOW)], NOW, NOW + 10 * MINUTE).state).toBe(later);
});

it("a state goes on from its first exchange, and begins anew after another", () => {
  const [times, thread] = [stateTimes(), "session.thread" as ThreadKey];
  const seen = (["running", "looping", "looping", "running", "running"] as const).map((state, at) =>
    times.since(thread, state, at),
  );
  expect(seen).toEqual([0, 1, 1, 3, 3]);
});

import { readLedger } from "../../../src/session/session.ts";
import { describe, expect, it } from "vitest";
import { memoryStores, type SessionStore, type Stores } from "../../../src/index.ts";
import { call, go, guarded, opening, result, walk } from "./walk.ts";

type Write = SessionStore["write"];

/** A shared store that carries commands out as they come, and answers writes only when it is told to. */
function late(carryOut: (write: Write) => Write = (write) => write) {
  const { sessions, ...others } = memoryStores();
  const known: number[] = [];
  const refused: number[] = [];
  const counts = { reads: 0 };
  const held: (() => void)[] = [];
  let isLate = false;
  const stores: Stores = {
    ...others,
    isShared: true,
    sessions: {
      ...sessions,
      read(key) {
        counts.reads += 1;
        return sessions.read(key);
      },
      async write(key, json, ...how) {
        const { total, pending } = readLedger(json) ?? {};
        const steps = total === undefined ? undefined : total + (pending === undefined ? 0 : 1);
        const done = carryOut(sessions.write)(key, json, ...how);
        if (steps !== undefined) ((await done.catch(() => false)) ? known : refused).push(steps);
        if (isLate) await new Promise<void>((resolve) => held.push(resolve));
        return done;
      },
    },
  };
  return {
    stores,
    known,
    refused,
    counts,
    hold() {
      isLate = true;
    },
    async release() {
      isLate = false;
      for (const answer of held.splice(0)) answer();
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const stuck = (from: number) => [
  ...opening,
  ...walk(0, from),
  ...Array.from({ length: 3 }, () => [call(from), result(from)]).flat(),
];

describe("a healthy run whose store answers later than the next request comes", () => {
  it.each([0, 2])("is read by its new messages, and each of them written: from turn %i on", async (from) => {
    const { stores, known, refused, counts, hold, release } = late();
    const rig = guarded({ stores, storeDeadlineMs: 60_000 });
    await go(rig, 0, from);
    hold();
    await go(rig, from, 2);
    const before = counts.reads;
    await go(rig, 2, 20);
    expect([counts.reads, known, refused]).toEqual([before, Array.from({ length: 19 }, (_, i) => i + 1), []]);
    await release();
    expect(await rig.ask(stuck(19), call(19))).toMatchObject({ verdict: "nudge", count: "3" });
  });

  it.each([
    { what: "the same steps", lead: 0, isPlain: true },
    { what: "more steps", lead: 2, isPlain: true },
    { what: "what no history tells", lead: 0, isPlain: false },
  ])("is read whole once another process has left $what", async ({ lead, isPlain }) => {
    /** Just before the fifth step is written, that other process writes what it knows. */
    const { stores, known, refused, counts } = late((write) => async (key, json, version, ttlMs, plain) => {
      if (plain?.length === 5 && refused.length === 0) {
        const other = isPlain ? { ...plain, length: 5 + lead } : undefined;
        const there = await stores.sessions.read(key);
        await write(key, json, there?.version ?? 0, ttlMs, other);
      }
      return write(key, json, version, ttlMs, plain);
    });
    const rig = guarded({ stores, storeDeadlineMs: 60_000 });
    await go(rig, 0, 6);
    expect([known.at(-1), refused]).toEqual([4, [5]]);
    const before = counts.reads;
    await go(rig, 6, 7);
    expect(counts.reads).toBeGreaterThan(before);
    expect(known.at(-1)).toBe(6);
    expect(await rig.ask(stuck(6), call(6))).toMatchObject({ verdict: "nudge", count: "3" });
  });

  it("is read by its new messages though the write of its first steps has failed", async () => {
    let fails = true;
    const { stores, known, counts } = late((write) => (key, json, ...more) => {
      const isHit = fails && readLedger(json)?.total === 0 && readLedger(json)?.pending !== undefined;
      fails &&= !isHit;
      return isHit ? Promise.reject(new Error("down")) : write(key, json, ...more);
    });
    const rig = guarded({ stores, storeDeadlineMs: 60_000 });
    await go(rig, 0, 2);
    const before = counts.reads;
    await go(rig, 2, 5);
    expect([counts.reads, known.at(-1)]).toEqual([before, 4]);
    expect(await rig.ask(stuck(5), call(5))).toMatchObject({ verdict: "nudge", count: "3" });
  });
});

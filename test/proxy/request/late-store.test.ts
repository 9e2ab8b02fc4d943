import { readLedger } from "../../../src/session/session.ts";
import { describe, expect, it } from "vitest";
import { type Guard, guardOf, memoryStores, type SessionStore, type Stores } from "../../../src/index.ts";
import { call, go, guarded, opening, result, walk } from "./walk.ts";

type Write = SessionStore["write"];

/** A shared store that carries commands out as they come, and answers writes only when it is told to. */
function late(carryOut: (write: Write, known: readonly number[]) => Write = (write) => write) {
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
        const done = carryOut(sessions.write, known)(key, json, ...how);
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
  it.each([
    { name: "from its first turn on", from: 0, meanwhile: [1] },
    { name: "from its third turn on", from: 2, meanwhile: [1, 9] },
  ])("is read by its new messages, and the newest one written when it answers: $name", async ({ from, meanwhile }) => {
    const { stores, known, refused, counts, hold, release } = late();
    let guard: Guard | undefined;
    const rig = guarded({ stores, storeDeadlineMs: 60_000 }, (options) => {
      guard = guardOf(options);
      return guard;
    });
    await go(rig, 0, from);
    hold();
    await go(rig, from, 2);
    const before = counts.reads;
    await go(rig, 2, 20);
    expect([counts.reads, known, refused]).toEqual([before, meanwhile, []]);
    await release();
    await guard?.settle();
    expect([known, refused]).toEqual([[...meanwhile, 19], []]);
    expect(await rig.ask(stuck(19), call(19))).toMatchObject({ verdict: "nudge", count: "3" });
  });

  it.each([
    { name: "of its first steps", total: 1, isReadWhole: true },
    // What was merged is cached for the turns that have come meanwhile.
    { name: "of eight turns", total: 9, isReadWhole: false },
  ])(
    "is joined with what another process has left where the write $name is too late",
    async ({ total, isReadWhole }) => {
      /** Just before it, that other process writes what was known so far once more. */
      const { stores, known, refused, counts, hold, release } = late(
        (write) =>
          async (key, json, version, ttlMs, ...marks) => {
            const { total: counted, pending } = readLedger(json) ?? {};
            const isHit = counted === total - 1 && pending !== undefined && refused.length === 0;
            const other = isHit ? await stores.sessions.read(key) : undefined;
            if (isHit) await write(key, other?.json ?? "{}", version, ttlMs);
            return write(key, json, version, ttlMs, ...marks);
          },
      );
      const rig = guarded({ stores, storeDeadlineMs: 60_000 });
      await go(rig, 0, total);
      hold();
      await go(rig, total, total + 4);
      expect([known.at(-1), refused]).toEqual([total === 1 ? undefined : 1, [total]]);
      await release();
      // The exchange whose write was refused says it again; what has come after it is told by the next request.
      expect(known.at(-1)).toBe(total);
      const before = counts.reads;
      await go(rig, total + 4, total + 5);
      expect(counts.reads > before).toBe(isReadWhole);
      expect(known.at(-1)).toBe(total + 4);
      expect(await rig.ask(stuck(total + 4), call(total + 4))).toMatchObject({ verdict: "nudge", count: "3" });
    },
  );

  it("is read whole again after the write of its first steps has failed", async () => {
    let fails = true;
    const { stores, known, counts, hold, release } = late((write) => (key, json, ...more) => {
      const isHit = fails && readLedger(json)?.total === 0 && readLedger(json)?.pending !== undefined;
      fails &&= !isHit;
      return isHit ? Promise.reject(new Error("down")) : write(key, json, ...more);
    });
    const rig = guarded({ stores, storeDeadlineMs: 60_000 });
    hold();
    await go(rig, 0, 2);
    const before = counts.reads;
    await go(rig, 2, 5);
    expect(counts.reads).toBe(before);
    await release();
    await go(rig, 5, 6);
    expect(counts.reads).toBeGreaterThan(before);
    expect(known.at(-1)).toBe(5);
    expect(await rig.ask(stuck(5), call(5))).toMatchObject({ verdict: "nudge", count: "3" });
  });
});

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { memoryStores, type SessionStore, type Stores, type ThreadKey } from "../../../src/index.ts";
import { ledgerReach, readLedger } from "../../../src/session/session.ts";
import { allCases } from "../../support/builders/cases.ts";
import { standard } from "../guard-rig.ts";
import {
  call,
  counted,
  type Fields,
  go,
  guarded,
  type Message,
  opening,
  type Rig,
  result,
  shared,
  walk,
} from "./walk.ts";

/** The same with call ids as providers make them. */
function withOwnIds(messages: readonly Message[]): readonly Message[] {
  const json = JSON.stringify(messages);
  const own = (id: string) => `call_${createHash("sha256").update(json).update(id).digest("hex").slice(0, 24)}`;
  return JSON.parse(json, (name, value) => ((name === "id" || name === "tool_call_id") && value ? own(value) : value));
}

/** A guard that knows nothing but what is saved: each of its requests comes to a new process. */
const forgetful = (stores: Stores = memoryStores()): Pick<Rig, "ask"> => ({
  ask: (...request) => guarded({ stores }).ask(...request),
});

const stuck = (from: number, times = 3): readonly Message[] => [
  ...opening,
  ...walk(0, from),
  ...Array.from({ length: times }, () => [call(from), result(from)]).flat(),
];

describe("a guard that remembers where the last request ended", () => {
  it("says of every request of every conversation what one says that reads them whole, and reads less", async () => {
    const { counts, stores } = counted();
    const reading = counted();
    const [remembering, whole] = [guarded({ stores }), forgetful(reading.stores)];
    for (const one of allCases) {
      const { id } = one;
      const messages = withOwnIds(one.messages);
      for (const [i, message] of messages.entries()) {
        if (message.role !== "assistant" || i === 0) continue;
        const asked = [messages.slice(0, i), message, {}, { authorization: `Bearer ${id}` }] as const;
        expect([id, i, await remembering.ask(...asked)]).toEqual([id, i, await whole.ask(...asked)]);
      }
    }
    expect(counts.reads).toBeLessThan(reading.counts.reads / 1.5);
  });

  it("goes on from the first answer of a run where that has call ids of its own", async () => {
    const { counts, stores } = counted();
    const rig = guarded({ stores });
    const run = withOwnIds([...opening, ...walk(0, 4)]);
    const turn = (at: number) => [run.slice(0, at), run[at] ?? {}] as const;
    await rig.ask(...turn(2));
    const before = counts.reads;
    for (const at of [4, 6]) expect(await rig.ask(...turn(at))).toMatchObject({ verdict: "ok" });
    expect(counts.reads).toBe(before);
    // Another run that begins alike is none of its.
    await rig.ask(...turn(2));
    expect(counts.reads).toBeGreaterThan(before);
  });

  it("asks the store for nothing as long as a run is healthy, tells it of every turn, and finds it there when it loops", async () => {
    const { counts, stores } = counted();
    const { known, stores: telling } = shared(stores);
    const rig = guarded({ stores: telling });
    await go(rig, 0, 3);
    const before = counts.reads;
    await go(rig, 3, 12);
    expect(counts.reads).toBe(before);
    expect(known).toEqual(Array.from({ length: 11 }, (_, i) => i + 1));
    expect(await rig.ask(stuck(11), call(11))).toMatchObject({ verdict: "nudge", count: "3" });
    expect(counts.reads).toBeGreaterThan(before);
  });

  it.each<readonly [string, readonly Message[], object, Fields]>([
    ["a changed beginning", [{ role: "system", content: "You READ." }, ...opening.slice(1), ...walk(0, 6)], {}, {}],
    ["other options", [...opening, ...walk(0, 6)], { temperature: 1 }, {}],
    ["another tenant with the same history", [...opening, ...walk(0, 6)], {}, { authorization: "Bearer sk-2" }],
    ["another session by its header", [...opening, ...walk(0, 6)], {}, { "x-session-id": "other" }],
    ["a sub-agent by its header", [...opening, ...walk(0, 6)], {}, { "x-openai-subagent": "review" }],
    ["a user who has spoken meanwhile", [...opening, ...walk(0, 5), { role: "user", content: "And?" }], {}, {}],
    ["a shortened history", [{ role: "user", content: "Summary." }, ...walk(3, 6)], {}, {}],
    ["an earlier turn once more", [...opening, ...walk(0, 4)], {}, {}],
    ["the same request again", [...opening, ...walk(0, 5)], {}, {}],
  ])("reads the whole of %s", async (_, messages, more, headers) => {
    const { counts, stores } = counted();
    const rig = guarded({ stores });
    await go(rig, 0, 6);
    const before = counts.reads;
    expect(await rig.ask(messages, call(9), more, headers)).toMatchObject({ verdict: "ok" });
    expect(counts.reads).toBeGreaterThan(before);
  });

  it("does without it under a policy with a budget, and counts every step", async () => {
    const rig = guarded({ policy: { ...standard(), budget: { steps: 8 } } });
    expect((await go(rig, 0, 9)).at(6)).toMatchObject({ verdict: "nudge", detector: "budget" });
  });
});

describe("processes that share a store", () => {
  it("join what each has seen of a run", async () => {
    const stores = { ...memoryStores(), isShared: true };
    const [rigs, whole] = [[guarded({ stores }), guarded({ stores })], forgetful()];
    const again = (i: number): readonly Message[] => {
      const { tool_calls: [made] = [] } = call(4) as { readonly tool_calls?: readonly object[] };
      return [
        { ...call(4), tool_calls: [{ ...made, id: `again${i}` }] },
        { ...result(4), tool_call_id: `again${i}` },
      ];
    };
    const run = withOwnIds([...opening, ...walk(0, 4), ...[0, 1, 2].flatMap(again), call(9)]);
    const told: object[] = [];
    for (const [turn, who] of [..."01101001"].entries()) {
      const asked = [run.slice(0, 2 + 2 * turn), run[2 + 2 * turn] ?? {}] as const;
      told.push((await rigs[Number(who)]?.ask(...asked)) ?? {});
      expect([turn, told.at(-1)]).toEqual([turn, await whole.ask(...asked)]);
    }
    expect(told).toContainEqual(expect.objectContaining({ verdict: "nudge" }));
  });

  it("leave what others have written in place, and go on from that", async () => {
    const stores = { ...memoryStores(), isShared: true };
    const [one, other] = [guarded({ stores }), guarded({ stores })];
    for (const [rig, from, to] of [
      [one, 0, 5],
      [other, 5, 6],
      [one, 6, 8],
      [other, 8, 9],
    ] as const)
      await go(rig, from, to);
    expect(await one.ask(stuck(8), call(8))).toMatchObject({ verdict: "nudge" });
    const after = [...stuck(8), call(20), result(20)];
    expect(await other.ask(after, call(21))).toMatchObject({ verdict: "ok", sticky: "1" });
  });

  it("read a run by its new messages where they take turns", async () => {
    const { counts, stores } = counted();
    const rigs = [0, 1].map(() => guarded({ stores: { ...stores, isShared: true } }));
    await go(rigs[0] ?? expect.fail("no rig"), 0, 1);
    const readsOf: number[] = [];
    for (let i = 1; i < 9; i++) {
      const before = counts.reads;
      await go(rigs[i % 2] ?? expect.fail("no rig"), i, i + 1);
      readsOf.push(counts.reads - before);
    }
    expect(readsOf.slice(-4)).toEqual([0, 0, 0, 0]);
  });
});

/** A shared store that carries commands out as they come, and answers writes only when it is told to. */
function late(carryOut: (write: SessionStore["write"]) => SessionStore["write"] = (write) => write) {
  const { counts, stores } = counted({ isShared: true });
  const { sessions } = stores;
  const known: number[] = [];
  const refused: number[] = [];
  const held: (() => void)[] = [];
  let isLate = false;
  const write: SessionStore["write"] = async (key, json, ...how) => {
    const ledger = readLedger(json);
    const done = carryOut(sessions.write)(key, json, ...how);
    if (ledger !== undefined) ((await done.catch(() => false)) ? known : refused).push(ledgerReach(ledger));
    if (isLate) await new Promise<void>((resolve) => held.push(resolve));
    return done;
  };
  return {
    ...{ known, refused, counts, stores: { ...stores, sessions: { ...sessions, write } } },
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

describe("a healthy run whose store", () => {
  it("answers later than the next request comes is read by its new messages, and each of them is written", async () => {
    const { stores, known, refused, counts, hold, release } = late();
    const rig = guarded({ stores, storeDeadlineMs: 60_000 });
    hold();
    await go(rig, 0, 2);
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
  ])("has got $what from another process is read whole", async ({ lead, isPlain }) => {
    /** Just before the fifth step is written, that other process writes what it knows. */
    const { stores, known, refused, counts } = late((write) => async (key, json, version, ttlMs, plain) => {
      if (plain?.length === 5 && refused.length === 0) {
        const there = await stores.sessions.read(key);
        await write(key, json, there?.version ?? 0, ttlMs, isPlain ? { ...plain, length: 5 + lead } : undefined);
      }
      return write(key, json, version, ttlMs, plain);
    });
    const rig = guarded({ stores, storeDeadlineMs: 60_000 });
    await go(rig, 0, 6);
    expect([known.at(-1), refused]).toEqual([4, [5]]);
    const before = counts.reads;
    await go(rig, 6, 7);
    expect(counts.reads).toBeGreaterThan(before);
    expect(await rig.ask(stuck(6), call(6))).toMatchObject({ verdict: "nudge", count: "3" });
  });

  it("fails for some turns is told with the next one, and anew of what it has forgotten", async () => {
    let fails = false;
    let thread: ThreadKey | undefined;
    const { stores, known } = late((write) => (key, json, ...more) => {
      if (readLedger(json) !== undefined) thread = key;
      return fails ? Promise.reject(new Error("down")) : write(key, json, ...more);
    });
    const rig = guarded({ stores });
    await go(rig, 0, 8);
    fails = true;
    await go(rig, 8, 10);
    fails = false;
    await go(rig, 10, 11);
    expect(known.slice(-2)).toEqual([7, 10]);
    await stores.sessions.remove(thread ?? expect.fail("nothing was written"));
    await go(rig, 11, 12);
    expect(known.at(-1)).toBe(11);
    expect(await rig.ask(stuck(11), call(11))).toMatchObject({ verdict: "nudge", count: "3" });
  });
});

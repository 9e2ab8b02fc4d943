import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readLedger } from "../../../src/session/session.ts";
import { memoryStores, type SessionStore, type ThreadKey } from "../../../src/index.ts";
import { allCases } from "../../support/builders/cases.ts";
import { standard } from "../guard-rig.ts";
import {
  call,
  counted,
  type Fields,
  go,
  guarded,
  longOpening,
  type Message,
  opening,
  type Rig,
  result,
  shared,
  walk,
} from "./walk.ts";

const callsOf = ({ tool_calls: [made] = [] }: { tool_calls?: readonly object[] }, i: number) => [
  { ...made, id: `again${i}` },
];
const resultOf = (i: number): Message => ({ ...result(4), tool_call_id: `again${i}` });

/** The same with call ids as providers make them. */
function withOwnIds(messages: readonly Message[]): readonly Message[] {
  const json = JSON.stringify(messages);
  const own = (id: string) => `call_${createHash("sha256").update(json).update(id).digest("hex").slice(0, 24)}`;
  return JSON.parse(json, (name, value) => ((name === "id" || name === "tool_call_id") && value ? own(value) : value));
}

describe("a guard that remembers where the last request ended", () => {
  it.each([
    { ids: "call ids as they are", told: (messages: readonly Message[]) => messages },
    { ids: "call ids that no other run has", told: withOwnIds },
  ])("says of every request of every conversation what one says that reads them whole: $ids", async ({ told }) => {
    const { counts, stores } = counted();
    const reading = counted();
    const remembering = guarded({ stores });
    const whole = guarded({ stores: reading.stores, threadCacheSteps: 0 });
    for (const one of allCases) {
      const { id } = one;
      const messages = told(one.messages);
      for (const [i, message] of messages.entries()) {
        if (message.role !== "assistant" || i === 0) continue;
        const asked = [messages.slice(0, i), message, {}, { authorization: `Bearer ${id}` }] as const;
        expect([id, i, await remembering.ask(...asked)]).toEqual([id, i, await whole.ask(...asked)]);
      }
    }
    expect(remembering.asked.map(({ body }) => body)).toEqual(whole.asked.map(({ body }) => body));
    expect(counts.reads).toBeLessThan(reading.counts.reads / 1.5);
  });

  it("goes on from the first answer of a run where that has call ids of its own", async () => {
    const { counts, stores } = counted();
    const rig = guarded({ stores });
    const run = withOwnIds([...opening, ...walk(0, 4)]);
    const turns = [2, 4, 6].map((at) => [run.slice(0, at), run[at] ?? {}] as const);
    await rig.ask(...(turns[0] ?? expect.fail("no turn")));
    const before = counts.reads;
    for (const turn of turns.slice(1)) expect(await rig.ask(...turn)).toMatchObject({ verdict: "ok" });
    expect(counts.reads).toBe(before);
    // Another run that begins alike is none of its.
    await rig.ask(...(turns[0] ?? expect.fail("no turn")));
    expect(counts.reads).toBeGreaterThan(before);
  });

  it("asks the store for nothing as long as a run is healthy, and finds it there when it loops", async () => {
    const { counts, stores } = counted();
    const rig = guarded({ stores });
    await go(rig, 0, 3);
    const before = counts.reads;
    await go(rig, 3, 12);
    expect(counts.reads).toBe(before);
    const stuck = [...opening, ...walk(0, 12), call(11), result(11), call(11), result(11)];
    const verdict = await rig.ask(stuck, call(11));
    expect(verdict).toMatchObject({ verdict: "nudge", count: "3" });
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
  ])("reads the whole of %s, to the same result", async (_, messages, more, headers) => {
    const { counts, stores } = counted();
    const rigs = [guarded({ stores }), guarded({ threadCacheSteps: 0 })];
    for (const rig of rigs) await go(rig, 0, 6);
    const before = counts.reads;
    const [remembering, whole] = await Promise.all(rigs.map((rig) => rig.ask(messages, call(9), more, headers)));
    expect(counts.reads).toBeGreaterThan(before);
    expect(remembering).toEqual(whole);
  });

  it.each(["01101001", "01010101", "00010111"])(
    "is joined with what another process has seen of a run: turns %s",
    async (who) => {
      const stores = { ...memoryStores(), isShared: true };
      const rigs = [guarded({ stores }), guarded({ stores })];
      const whole = guarded({ threadCacheSteps: 0 });
      const stuck = (i: number): readonly Message[] => [{ ...call(4), tool_calls: callsOf(call(4), i) }, resultOf(i)];
      const run = withOwnIds([...opening, ...walk(0, 4), ...[0, 1, 2].flatMap(stuck), call(9)]);
      const told: object[] = [];
      for (const [turn, guard] of [...who].entries()) {
        const asked = [run.slice(0, 2 + 2 * turn), run[2 + 2 * turn] ?? {}] as const;
        const here = (await rigs[Number(guard)]?.ask(...asked)) ?? {};
        expect([turn, here]).toEqual([turn, await whole.ask(...asked)]);
        told.push(here);
      }
      expect(told).toContainEqual(expect.objectContaining({ verdict: "nudge" }));
    },
  );

  it("leaves what others have written to a shared store in place, and goes on from that", async () => {
    const stores = { ...memoryStores(), isShared: true };
    const [one, other] = [guarded({ stores }), guarded({ stores })];
    await go(one, 0, 5);
    await go(other, 5, 6);
    await go(one, 6, 8);
    await go(other, 8, 9);
    const stuck = [...opening, ...walk(0, 8), call(8), result(8), call(8), result(8), call(8), result(8)];
    expect(await one.ask(stuck, call(8))).toMatchObject({ verdict: "nudge" });
    expect(await other.ask([...stuck, call(20), result(20)], call(21))).toMatchObject({ verdict: "ok", sticky: "1" });
  });

  it("tells the store of every turn of a healthy run, and of none twice", async () => {
    const { known, stores } = shared();
    await go(guarded({ stores }), 0, 20);
    expect(known).toEqual(Array.from({ length: 19 }, (_, i) => i + 1));
  });

  it.each([2, 3])(
    "is read by its new messages by each of %i processes that take turns, beside other runs that begin alike",
    async (count) => {
      const { counts, stores } = counted();
      const rigs = Array.from({ length: count }, () => guarded({ stores: { ...stores, isShared: true } }));
      const whole = guarded({ threadCacheSteps: 0 });
      const named = (run: string) => {
        const rename = (message: Message) => JSON.parse(JSON.stringify(message).replaceAll(/"c(\d+)"/g, `"${run}-$1"`));
        return async (rig: Rig, i: number) =>
          rig.ask([...longOpening, ...walk(0, i).map(rename)], rename(call(i)), {}, { "x-session-id": run });
      };
      const runs = ["5f0c2b7e9d14", "7a1d3c8e0f25"].map(named);
      const readsOf: number[] = [];
      for (let i = 0; i < 16; i++)
        for (const ask of runs) {
          const before = counts.reads;
          expect([i, await ask(rigs[i % count] ?? whole, i)]).toEqual([i, await ask(whole, i)]);
          readsOf.push(counts.reads - before);
        }
      // A request that is read whole takes two reads at least.
      expect(readsOf.slice(-2 * count)).toEqual(Array.from({ length: 2 * count }, () => 0));
    },
  );

  it("tells the store with the next turn what it did not take, and anew what it has forgotten", async () => {
    const { known, stores } = shared();
    let fails = false;
    let thread: ThreadKey | undefined;
    const write: SessionStore["write"] = (key, json, ...more) => {
      if (readLedger(json) !== undefined) thread = key;
      return fails ? Promise.reject(new Error("down")) : stores.sessions.write(key, json, ...more);
    };
    const rig = guarded({ stores: { ...stores, sessions: { ...stores.sessions, write } } });
    await go(rig, 0, 8);
    fails = true;
    await go(rig, 8, 10);
    fails = false;
    await go(rig, 10, 11);
    expect(known.slice(-2)).toEqual([7, 10]);
    await stores.sessions.remove(thread ?? expect.fail("nothing was written"));
    await go(rig, 11, 12);
    expect(known.at(-1)).toBe(11);
    const stuck = [...opening, ...walk(0, 11), call(11), result(11), call(11), result(11), call(11), result(11)];
    expect(await rig.ask(stuck, call(11))).toMatchObject({ verdict: "nudge", count: "3" });
  });

  it.each([1, 3, 7])(
    "is followed by a process that knows nothing of the last %i turns, to the same result",
    async (last) => {
      const { stores } = shared();
      const [one, other, whole] = [guarded({ stores }), guarded({ stores }), guarded({ threadCacheSteps: 0 })];
      const stuck = (times: number) => [
        ...walk(0, 1 + last),
        ...Array.from({ length: times }, () => [call("x"), result("x")]).flat(),
      ];
      await go(one, 0, 2 + last);
      await go(whole, 0, 2 + last);
      for (let times = 1; times < 6; times++) {
        const asked = [[...opening, ...stuck(times)], call("x")] as const;
        expect([times, await other.ask(...asked)]).toEqual([times, await whole.ask(...asked)]);
      }
    },
  );

  it("saves a run that has to make room, and takes it up again", async () => {
    const { stores } = counted();
    const rig = guarded({ stores, threadCacheSteps: 16 });
    const tenants = ["a", "b", "c"].map((name) => ({ authorization: `Bearer ${name}` }));
    for (let i = 0; i < 7; i++) for (const tenant of tenants) await go(rig, i, i + 1, opening, tenant);
    const stuck = [...opening, ...walk(0, 6), call(6), result(6), call(6), result(6), call(6), result(6)];
    for (const tenant of tenants) expect(await rig.ask(stuck, call(6), {}, tenant)).toMatchObject({ count: "3" });
  });

  it("does without it under a policy with a budget, and counts every step", async () => {
    const rig = guarded({ policy: { ...standard(), budget: { steps: 8 } } });
    const told = await go(rig, 0, 9);
    expect(told.at(6)).toMatchObject({ verdict: "nudge", detector: "budget" });
  });
});

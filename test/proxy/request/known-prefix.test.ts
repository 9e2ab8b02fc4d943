import { describe, expect, it } from "vitest";
import { memoryStores, type SessionStore, type ThreadKey } from "../../../src/index.ts";
import { readLedger } from "../../../src/session/session.ts";
import { type Message, repeated, user } from "../../support/builders/chat-history.ts";
import { call, go, guarded, opening, result, shared, walk } from "./walk.ts";

const stuckAt = (page: number): readonly Message[] => [
  ...opening,
  ...walk(0, page),
  ...repeated(3, () => [call(page), result(page)]),
];
const found = { verdict: "nudge", count: "3" };

describe("a healthy run", () => {
  it("asks the store for nothing, tells it of every turn once, and is found there when it loops", async () => {
    const { known, counts, stores } = shared();
    const rig = guarded({ stores });
    await go(rig, 0, 3);
    const before = counts.reads;
    await go(rig, 3, 12);
    expect(counts.reads).toBe(before);
    expect(known).toEqual(Array.from({ length: 11 }, (_, i) => i + 1));
    expect(await guarded({ stores }).ask(stuckAt(11), call(11))).toMatchObject(found);
  });

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
    expect(await rig.ask(stuckAt(11), call(11))).toMatchObject(found);
  });

  it.each<readonly [name: string, messages: readonly Message[], headers: Readonly<Record<string, string>>]>([
    ["a changed beginning", [{ role: "system", content: "You READ." }, ...opening.slice(1), ...walk(0, 6)], {}],
    ["another tenant with the same history", [...opening, ...walk(0, 6)], { authorization: "Bearer sk-2" }],
    ["another session by its header", [...opening, ...walk(0, 6)], { "x-session-id": "other" }],
    ["a user who has spoken meanwhile", [...opening, ...walk(0, 5), user("And?")], {}],
    ["a shortened history", [user("Summary."), ...walk(3, 6)], {}],
    ["an earlier turn once more", [...opening, ...walk(0, 4)], {}],
    ["the same request again", [...opening, ...walk(0, 5)], {}],
  ])("does not stand for %s, which is read whole", async (_, messages, headers) => {
    const { counts, stores } = shared();
    const rig = guarded({ stores });
    await go(rig, 0, 6);
    const before = counts.reads;
    expect(await rig.ask(messages, call(9), {}, headers)).toMatchObject({ verdict: "ok" });
    expect(counts.reads).toBeGreaterThan(before);
  });
});

describe("a run that several processes see", () => {
  it.each(["01101001", "00010111"])("is stopped at its turn, whoever sees which: %s", async (who) => {
    const stores = { ...memoryStores(), isShared: true };
    const rigs = [guarded({ stores }), guarded({ stores })];
    const run = [...opening, ...walk(0, 4), ...stuckAt(4).slice(-6), call(9)];
    const verdicts: unknown[] = [];
    for (const [turn, guard] of [...who].entries())
      verdicts.push((await rigs[Number(guard)]?.ask(run.slice(0, 2 + 2 * turn), run[2 + 2 * turn] ?? {}))?.verdict);
    expect(verdicts.join(" ")).toBe("ok ok ok ok ok ok nudge ok");
  });

  it("keeps what others have written, and goes on from the longer record", async () => {
    const stores = { ...memoryStores(), isShared: true };
    const [one, other] = [guarded({ stores }), guarded({ stores })];
    await go(one, 0, 5);
    await go(other, 5, 6);
    await go(one, 6, 8);
    await go(other, 8, 9);
    const stuck = stuckAt(8);
    expect(await one.ask(stuck, call(8))).toMatchObject({ verdict: "nudge" });
    expect(await other.ask([...stuck, call(20), result(20)], call(21))).toMatchObject({ verdict: "ok", sticky: "1" });
  });
});

it("a request that is read by what it adds, then whole, has one work for both", async () => {
  const labels: Message = { role: "assistant", content: "\n\n#Action:".repeat(5_000) };
  const dear = [labels, labels, labels, labels, user("go on")];
  const added = [...walk(3, 4), ...dear, ...repeated(3, () => [call(9), result(9)])];
  const verdicts = [0, 3].map(async (from) => {
    const rig = guarded();
    await go(rig, 0, from);
    if (from > 0) await rig.ask([...opening, ...walk(0, 3)], call(3));
    return (await rig.ask([...opening, ...walk(0, 3), ...added], call(9))).verdict;
  });
  expect(await Promise.all(verdicts)).toEqual(["nudge", "unguarded"]);
});

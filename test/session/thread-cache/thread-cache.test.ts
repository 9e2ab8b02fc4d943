import { describe, expect, it } from "vitest";
import {
  advance,
  behind,
  type Bookmark,
  type Bookmarks,
  bookmarksIn,
  emptyLedger,
  readLedger,
} from "../../../src/session/session.ts";
import { memoryStore } from "../../../src/store/memory/memory.ts";
import type { SessionKey, ThreadKey } from "../../../src/store/store.ts";
import { defaultPolicy, judgeWith } from "../../support/detection.ts";
import { call, conversation, times } from "../../support/steps.ts";

const judge = judgeWith();
const ttlMs = 60_000;

/** A bookmark of a run of so many steps. */
function bookmark(name: string, steps: number, more: Partial<Bookmark> = {}): Bookmark {
  const told = conversation(times(steps, (i) => call("read", { page: i }, `text of page ${i}`)));
  const tip = told.steps.reduce((ledger, step) => advance(ledger, step, judge), emptyLedger(told, judge));
  return {
    callHints: [`call ${name} ${steps}`],
    headHint: `head ${name}`,
    ending: { length: steps, sum: 0, since: 0, ends: 0, restLength: 2, restSum: 0 },
    identity: {
      session: name,
      source: "derived",
      isGiven: false,
      key: name as SessionKey,
      thread: `${name}.t` as ThreadKey,
      tenant: "t",
    },
    policy: defaultPolicy(),
    save: tip,
    tip,
    version: 0,
    unsaved: 1,
    roams: false,
    alias: `${name}${steps}.alias` as ThreadKey,
    savedAlias: undefined,
    terms: "",
    streams: false,
    asksForRepetition: false,
    repeatsIds: false,
    ...more,
  };
}

/** Bookmarks with room for so many steps, on a clock of their own. */
function shelf(maxSteps = 1_000) {
  const clock = { now: 0 };
  return { clock, bookmarks: bookmarksIn({ maxSteps, ttlMs, now: () => clock.now }) };
}

const byCall = (bookmarks: Bookmarks, call: string) => bookmarks.find({ call, head: "" })?.bookmark;
const byHead = (bookmarks: Bookmarks, head: string) => bookmarks.find({ call: undefined, head })?.bookmark;

describe("bookmarks", () => {
  it("are found by the newest answer's calls, or by how the request begins", () => {
    const { bookmarks } = shelf();
    const one = bookmark("a", 3);
    bookmarks.put(one);
    expect(bookmarks.find({ call: "call a 3", head: "head a" })).toEqual({ bookmark: one, byCall: true });
    expect(bookmarks.find({ call: "call of nobody", head: "head a" })).toEqual({ bookmark: one, byCall: false });
    expect(bookmarks.find({ call: undefined, head: "head b" })).toBeUndefined();
  });

  it("take the place of their thread's older one, under all its names", () => {
    const { bookmarks } = shelf();
    const [older, newer] = [bookmark("a", 3), bookmark("a", 4)];
    bookmarks.put(older);
    bookmarks.put(newer);
    expect([byCall(bookmarks, "call a 3"), byHead(bookmarks, "head a")]).toEqual([undefined, newer]);
    expect([bookmarks.isNewest(older), bookmarks.isNewest(newer)]).toEqual([false, true]);
    expect(bookmarks.take("a3.alias" as ThreadKey)).toBeUndefined();
  });

  it("are taken by their thread or its alias, and are gone then", () => {
    const { bookmarks } = shelf();
    const [a, b] = [bookmark("a", 3), bookmark("b", 3)];
    for (const one of [a, b]) bookmarks.put(one);
    expect(bookmarks.take("a.t" as ThreadKey)).toBe(a);
    expect(bookmarks.take("b3.alias" as ThreadKey)).toBe(b);
    expect(["a", "b"].map((name) => byHead(bookmarks, `head ${name}`))).toEqual([undefined, undefined]);
  });

  it("make room when there are too many steps, the least recently used first, and tell which are not saved", () => {
    const { bookmarks } = shelf(50);
    const [a, b, c] = [bookmark("a", 12), bookmark("b", 12, { unsaved: 0 }), bookmark("c", 12)];
    expect([a, b, c].map((one) => bookmarks.put(one))).toEqual([[], [], []]);
    expect(bookmarks.put(bookmark("a", 13))).toEqual([]);
    // Now b is the oldest, and saved.
    expect(bookmarks.put(bookmark("d", 14))).toEqual([c]);
    expect(["a", "b", "c", "d"].map((name) => byHead(bookmarks, `head ${name}`)?.identity.session)).toEqual([
      "a",
      undefined,
      undefined,
      "d",
    ]);
  });

  it("know when the store has them, unless another has come after", () => {
    const { bookmarks } = shelf();
    const [older, newer] = [bookmark("a", 3), bookmark("a", 4)];
    bookmarks.put(older);
    bookmarks.put(newer);
    bookmarks.noteSaved(older, 7);
    expect(byHead(bookmarks, "head a")).toBe(newer);
    bookmarks.noteSaved(newer, 8);
    expect(byHead(bookmarks, "head a")).toMatchObject({ version: 8, unsaved: 0, savedAlias: newer.alias });
    expect(bookmarks.takeUnsaved()).toEqual([]);
  });

  it("give up all that the store does not have, but for what is overdue", () => {
    const { bookmarks, clock } = shelf();
    bookmarks.put(bookmark("a", 3));
    clock.now = ttlMs / 2;
    bookmarks.put(bookmark("b", 3));
    bookmarks.put(bookmark("c", 3, { unsaved: 0 }));
    clock.now = ttlMs;
    expect(bookmarks.takeUnsaved().map(({ identity }) => identity.session)).toEqual(["b"]);
    expect(["a", "b", "c"].map((name) => byHead(bookmarks, `head ${name}`)?.identity.session)).toEqual([
      undefined,
      undefined,
      "c",
    ]);
  });

  it("are forgotten when a store would have forgotten them", () => {
    const { bookmarks, clock } = shelf();
    bookmarks.put(bookmark("a", 3));
    clock.now = ttlMs;
    expect(byHead(bookmarks, "head a")).toBeUndefined();
    expect(bookmarks.take("a.t" as ThreadKey)).toBeUndefined();
    bookmarks.put(bookmark("b", 3));
    clock.now = 2 * ttlMs;
    expect(bookmarks.put(bookmark("c", 3))).toEqual([]);
  });
});

describe("a store behind bookmarks", () => {
  it.each<readonly [string, Partial<Bookmark>, boolean]>([
    ["puts away first what it is asked for", {}, true],
    ["has it already where it is saved", { unsaved: 0 }, false],
  ])("%s", async (_, more, isThere) => {
    const { bookmarks } = shelf();
    const store = memoryStore();
    const one = bookmark("a", 3, more);
    bookmarks.put(one);
    const found = await behind(bookmarks, store, ttlMs).read(one.identity.thread);
    expect(found && readLedger(found.json)).toEqual(isThere ? one.save : undefined);
    expect(byHead(bookmarks, "head a")).toBeUndefined();
  });

  it("leads to the thread by its alias", async () => {
    const { bookmarks } = shelf();
    bookmarks.put(bookmark("a", 3));
    const found = await behind(bookmarks, memoryStore(), ttlMs).read("a3.alias" as ThreadKey);
    expect(JSON.parse(found?.json ?? "{}")).toMatchObject({ thread: "a.t" });
  });

  it("puts away a thread that the store has forgotten, and none that it knows newer", async () => {
    for (const [version, isOurs] of [
      [7, true],
      [3, false],
    ] as const) {
      const { bookmarks } = shelf();
      const store = memoryStore();
      const one = bookmark("a", 3, { version });
      if (!isOurs) await store.write(one.identity.thread, "newer", 0, ttlMs);
      bookmarks.put(one);
      const write = behind(bookmarks, store, ttlMs).write(one.identity.thread, "mine", 1, ttlMs);
      expect([version, await write]).toEqual([version, true]);
    }
  });
});

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryStores, type Stores, type UnloopOptions } from "../../src/index.ts";
import { fallbackProtocol as chatCompletions } from "../../src/protocols/protocols.ts";
import { looping } from "../support/agents/scripts.ts";
import { agent, type Turn, verdictsOf } from "./agent.ts";
import { type GuardRig, guardBefore, guardRig, post, storesWith } from "./guard-rig.ts";

const secretText = "db-password-in-an-error";
const broken = (): never => {
  throw new Error(secretText);
};
const rejecting = () => Promise.reject(new Error(secretText));
const never = () => new Promise<never>(() => undefined);

const throwing = { debug: broken, info: broken, warn: broken, error: broken };
const throwingMeter = {
  exchange: broken,
  intervention: broken,
  spent: broken,
  failed: broken,
  storeFailed: broken,
  judged: broken,
};

const linesOf = ({ logged }: GuardRig, name: string) => logged.filter(({ event }) => event === name);

/** A guard whose stores fail as a whole, as the test says; `asked` counts the commands that reached them meanwhile. */
async function failingRig(options: Partial<UnloopOptions> = {}) {
  let failing = false;
  let asked = 0;
  const changes: boolean[] = [];
  const command =
    <Given extends unknown[], Gave>(inner: (...given: Given) => Promise<Gave>) =>
    async (...given: Given): Promise<Gave> => {
      if (!failing) return inner(...given);
      asked += 1;
      return rejecting();
    };
  const { sessions, counters, journal, directory, ...others } = memoryStores();
  const stores: Stores = {
    ...others,
    sessions: { ...sessions, read: command(sessions.read), write: command(sessions.write) },
    counters: { add: command(counters.add), read: command(counters.read) },
    directory: { ...directory, note: command(directory.note) },
    journal: { ...journal, append: command(journal.append), page: command(journal.page) },
  };
  const onStoreChange = (up: boolean) => changes.push(up);
  const rig = await guardRig(looping("nothing"), { stores, onStoreChange, ...options });
  const fail = (fails: boolean) => {
    failing = fails;
  };
  return { rig, changes, asked: () => asked, fail };
}

function expectUntouched(turns: readonly Turn[]): void {
  expect(turns.map((turn) => turn.received[0]?.bytes.toString())).toEqual(turns.map((turn) => turn.sent));
  expect(turns.map((turn) => turn.text)).toEqual(turns.map((turn) => turn.received[0]?.answer.toString()));
}

const soundDecoder = chatCompletions.decoder;

describe("traffic goes on, and the history alone is judged, with a store that", () => {
  const degraded = ["degraded", "degraded", "degraded", "nudge", "degraded", "force-done", "short-circuit"];

  it.each([
    { name: "rejects reads", parts: { read: rejecting } },
    { name: "never answers at all", parts: { read: never, write: never } },
  ])("$name", async ({ parts }) => {
    const rig = await guardRig(looping("nothing"), { stores: storesWith(parts), storeDeadlineMs: 5 });
    const turns = await agent(rig).turns(7);
    expect(verdictsOf(turns)).toEqual(degraded);
    expectUntouched(turns.slice(0, 3));
    expect(linesOf(rig, "store-failed").length).toBeGreaterThan(0);
    expect(new Set(linesOf(rig, "store-failed").map(({ level }) => level))).toEqual(new Set(["debug"]));
    expect(JSON.stringify(rig.logged)).not.toContain(secretText);
  });

  it.each([
    { name: "rejects writes", parts: { write: rejecting }, says: "store-failed" },
    { name: "always has another writer win", parts: { write: async () => false }, says: "save-given-up" },
  ])("$name", async ({ parts, says }) => {
    const rig = await guardRig(looping("nothing"), { stores: storesWith(parts), storeDeadlineMs: 5 });
    const turns = await agent(rig).turns(7);
    // The store may be given up on the way; what the history shows is caught all the same.
    const verdicts = verdictsOf(turns).map((verdict) => (verdict === "degraded" ? "ok" : verdict));
    expect(verdicts).toEqual(["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"]);
    await vi.waitFor(() => expect(linesOf(rig, says)).not.toEqual([]));
  });
});

describe("a store that goes on failing", () => {
  it("is left alone after five failures in a row, which is told once, and is told once when it is back", async () => {
    const { rig, fail, asked, changes } = await failingRig();
    fail(true);
    await agent(rig).turns(7);
    await agent(rig).turns(7);
    // Of either breaker those that were under way at the fifth failure, and now and then a probe; not five for each of 14 requests.
    expect(asked()).toBeLessThan(40);
    expect(linesOf(rig, "store-lost")).toEqual([{ level: "warn", event: "store-lost", reason: "Error" }]);
    expect(linesOf(rig, "store-back")).toEqual([]);
    expect(changes).toEqual([false]);
    fail(false);
    await vi.waitFor(async () => expect(verdictsOf([await agent(rig).turn()])).toEqual(["ok"]), { timeout: 20_000 });
    expect(linesOf(rig, "store-lost")).toHaveLength(1);
    expect(linesOf(rig, "store-back")).toEqual([{ level: "info", event: "store-back" }]);
    expect(changes).toEqual([false, true]);
    expect(JSON.stringify(rig.logged)).not.toContain(secretText);
  });
});

describe("a request passes unguarded, byte for byte, when", () => {
  it.each(["parse", "rewrite", "reply"] as const)("the protocol's %s throws", async (part) => {
    const spy = vi.spyOn(chatCompletions, part).mockImplementation(broken);
    onTestFinished(() => spy.mockRestore());
    const rig = await guardRig(looping("nothing"));
    const turns = await agent(rig).turns(7);
    expect(verdictsOf(turns)).toContain("unguarded");
    expect(turns.map(({ status }) => status)).toEqual(Array(7).fill(200));
    for (const turn of turns.filter(({ headers }) => headers.get("x-unloop-verdict") === "unguarded"))
      expect(turn.received[0]?.bytes.toString()).toBe(turn.sent);
  });

  it.each([
    { name: "when it is made", part: "decoder", reader: broken, extra: { stream: true } },
    {
      name: "at a piece",
      part: "decoder",
      reader: () => ({ ...soundDecoder(), decode: broken, state: broken }),
      extra: { stream: true },
    },
    { name: "at the end", part: "decoder", reader: () => ({ ...soundDecoder(), decode: broken }), extra: {} },
  ] as const)("an answer is unhurt whose reader throws $name", async ({ part, reader, extra }) => {
    const spy = vi.spyOn(chatCompletions, part).mockImplementation(reader);
    onTestFinished(() => spy.mockRestore());
    const rig = await guardRig(looping("nothing"));
    const turns = await agent({ ...rig, extra }).turns(7);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"]);
    expect(turns.slice(0, 6).map(({ text }) => text)).toEqual(
      rig.upstream.requests.map(({ answer }) => String(answer)),
    );
  });
});

describe("a log or a meter that throws", () => {
  it("stops nothing", async () => {
    const told = { log: throwing, meter: throwingMeter };
    const rig = await guardRig(looping("nothing"), {
      ...told,
      stores: storesWith({ read: rejecting, write: rejecting }),
    });
    expect((await agent(rig).turns(7)).map(({ status }) => status)).toEqual(Array(7).fill(200));
    const unreachable = await guardBefore("http://127.0.0.1:1", told);
    expect((await post(unreachable.url, '{"messages":[{"role":"user","content":"hi"}]}')).status).toBe(502);
  });
});

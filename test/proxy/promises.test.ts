import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fallbackProtocol as chatCompletions } from "../../src/protocols/protocols.ts";
import { looping } from "../support/agents/scripts.ts";
import { storesVia } from "../support/builders/stores.ts";
import {
  agent,
  isUntouched,
  verdictsOf,
  climb,
  type GuardRig,
  guardBefore,
  guardRig,
  post,
  storesWith,
} from "./guard-rig.ts";

const secretText = "db-password-in-an-error";
const broken = (): never => {
  throw new Error(secretText);
};
const rejecting = () => Promise.reject(new Error(secretText));
const never = () => new Promise<never>(() => undefined);
const linesOf = ({ logged }: GuardRig, name: string) => logged.filter(({ event }) => event === name);

describe("traffic goes on, and the history alone is judged, with a store that", () => {
  it.each([
    { name: "rejects reads", parts: { read: rejecting } },
    { name: "never answers at all", parts: { read: never, write: never } },
  ])("$name", async ({ parts }) => {
    const rig = await guardRig(looping("nothing"), { stores: storesWith(parts), storeDeadlineMs: 5 });
    const turns = await agent(rig).turns(7);
    expect(verdictsOf(turns)).toEqual(climb.map((verdict) => (verdict === "ok" ? "degraded" : verdict)));
    expect(isUntouched(turns.slice(0, 3))).toBe(true);
    expect(new Set(linesOf(rig, "store-failed").map(({ level }) => level))).toEqual(new Set(["debug"]));
    expect(JSON.stringify(rig.logged)).not.toContain(secretText);
  });

  it.each([
    { name: "rejects writes", parts: { write: rejecting }, says: "store-failed" },
    { name: "always has another writer win", parts: { write: async () => false }, says: "save-given-up" },
  ])("$name", async ({ parts, says }) => {
    const rig = await guardRig(looping("nothing"), { stores: storesWith(parts), storeDeadlineMs: 5 });
    // The store may be given up on the way; what the history shows is caught all the same.
    const verdicts = verdictsOf(await agent(rig).turns(7)).map((verdict) => (verdict === "degraded" ? "ok" : verdict));
    expect(verdicts).toEqual(climb);
    await vi.waitFor(() => expect(linesOf(rig, says)).not.toEqual([]));
  });
});

it("a store that goes on failing is left alone after five failures in a row, which is told once, and once when it is back", async () => {
  let fails = false;
  let asked = 0;
  const stores = storesVia((own) => {
    if (!fails) return own();
    asked += 1;
    return rejecting();
  });
  const changes: boolean[] = [];
  const onStoreChange = (up: boolean) => changes.push(up);
  const rig = await guardRig(looping("nothing"), { stores, onStoreChange });
  fails = true;
  for (let run = 0; run < 2; run++) await agent(rig).turns(7);
  // Of either breaker those that were under way at the fifth failure, and now and then a probe; not five for each of 14 requests.
  expect(asked).toBeLessThan(40);
  const lost = [{ level: "warn", event: "store-lost", reason: "Error" }];
  expect([linesOf(rig, "store-lost"), linesOf(rig, "store-back"), changes]).toEqual([lost, [], [false]]);
  fails = false;
  await vi.waitFor(async () => expect(verdictsOf([await agent(rig).turn()])).toEqual(["ok"]), { timeout: 20_000 });
  const back = [{ level: "info", event: "store-back" }];
  expect([linesOf(rig, "store-lost"), linesOf(rig, "store-back"), changes]).toEqual([lost, back, [false, true]]);
  expect(JSON.stringify(rig.logged)).not.toContain(secretText);
});

it.each(["parseInPieces", "rewrite", "reply"] as const)(
  "a request passes unguarded, byte for byte, when the protocol's %s throws",
  async (part) => {
    const spy = vi.spyOn(chatCompletions, part).mockImplementation(broken);
    onTestFinished(() => spy.mockRestore());
    const turns = await agent(await guardRig(looping("nothing"))).turns(7);
    const unguarded = turns.filter(({ headers }) => headers.get("x-unloop-verdict") === "unguarded");
    expect(unguarded).not.toEqual([]);
    expect(turns.map(({ status }) => status)).toEqual(Array(7).fill(200));
    for (const { received, sent } of unguarded) expect(received[0]?.bytes.toString()).toBe(sent);
  },
);

const { decoder } = chatCompletions;

it.each([
  { name: "when it is made", reader: broken, extra: { stream: true } },
  { name: "at a piece", reader: () => ({ ...decoder(), decode: broken, state: broken }), extra: { stream: true } },
  { name: "at the end", reader: () => ({ ...decoder(), decode: broken }), extra: {} },
])("an answer is unhurt whose reader throws $name", async ({ reader, extra }) => {
  const spy = vi.spyOn(chatCompletions, "decoder").mockImplementation(reader);
  onTestFinished(() => spy.mockRestore());
  const rig = await guardRig(looping("nothing"));
  const turns = await agent({ ...rig, extra }).turns(7);
  expect(verdictsOf(turns)).toEqual(climb);
  const answers = rig.upstream.requests.map(({ answer }) => String(answer));
  expect(turns.slice(0, 6).map(({ text }) => text)).toEqual(answers);
});

it("a log or a meter that throws stops nothing", async () => {
  const thrower = new Proxy({}, { get: () => broken });
  const told = { log: thrower, meter: thrower } as Parameters<typeof guardBefore>[1];
  const stores = storesWith({ read: rejecting, write: rejecting });
  const rig = await guardRig(looping("nothing"), { ...told, stores });
  expect((await agent(rig).turns(7)).map(({ status }) => status)).toEqual(Array(7).fill(200));
  const unreachable = await guardBefore("http://127.0.0.1:1", told);
  expect((await post(unreachable.url, '{"messages":[{"role":"user","content":"hi"}]}')).status).toBe(502);
});

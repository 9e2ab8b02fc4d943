import { describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryStore, type Policy, type SessionStore } from "../../src/index.ts";
import { fallbackProtocol as chatCompletions } from "../../src/protocols/protocols.ts";
import { looping } from "../support/scripts.ts";
import { agent, type Turn, verdictsOf } from "./agent.ts";
import { guardBefore, guardRig, post, standard } from "./guard-rig.ts";

const secretText = "db-password-in-an-error";
const broken = (): never => {
  throw new Error(secretText);
};
const rejecting = () => Promise.reject(new Error(secretText));
const never = () => new Promise<never>(() => undefined);

function storeWith(parts: Partial<SessionStore>): SessionStore {
  return { ...memoryStore(), ...parts };
}

function expectUntouched(turns: readonly Turn[]): void {
  expect(turns.map((turn) => turn.received[0]?.bytes.toString())).toEqual(turns.map((turn) => turn.sent));
  expect(turns.map((turn) => turn.text)).toEqual(turns.map((turn) => turn.received[0]?.answer.toString()));
}

describe("traffic goes on, and the history alone is judged, with a store that", () => {
  const degraded = ["degraded", "degraded", "degraded", "nudge", "degraded", "force-done", "short-circuit"];

  it.each([
    { name: "rejects reads", parts: { read: rejecting } },
    { name: "throws on reads", parts: { read: broken } },
    { name: "never answers reads", parts: { read: never } },
    { name: "rejects everything", parts: { read: rejecting, write: rejecting } },
    { name: "throws on everything", parts: { read: broken, write: broken } },
    { name: "never answers at all", parts: { read: never, write: never } },
  ])("$name", async ({ parts }) => {
    const rig = await guardRig(looping("nothing"), { store: storeWith(parts), storeTimeoutMs: 5 });
    const turns = await agent(rig).turns(7);
    expect(verdictsOf(turns)).toEqual(degraded);
    expectUntouched(turns.slice(0, 3));
    expect(rig.logged.filter(({ event }) => event === "store-failed").length).toBeGreaterThan(0);
    expect(JSON.stringify(rig.logged)).not.toContain(secretText);
  });

  it.each([
    { name: "rejects writes", parts: { write: rejecting } },
    { name: "throws on writes", parts: { write: broken } },
    { name: "never answers writes", parts: { write: never } },
    { name: "always has another writer win", parts: { write: async () => false } },
  ])("$name", async ({ parts }) => {
    const rig = await guardRig(looping("nothing"), { store: storeWith(parts), storeTimeoutMs: 5 });
    const turns = await agent(rig).turns(7);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"]);
    const complaint = () => rig.logged.some(({ event }) => event === "store-failed" || event === "save-given-up");
    await vi.waitFor(() => expect(complaint()).toBe(true));
  });

  it.each(["", "no JSON", "null", "[]", '{"schema":0}', '{"schema":1}', '{"schema":1,"window":[null],"total":"x"}'])(
    "gives back what is no ledger: %s",
    async (json) => {
      const read = async () => ({ json, version: 1 });
      const rig = await guardRig(looping("nothing"), { store: storeWith({ read }) });
      const turns = await agent(rig).turns(3);
      expect(turns.map(({ status }) => status)).toEqual([200, 200, 200]);
      expectUntouched(turns);
    },
  );

  it("the verdict says so only as long as the store fails", async () => {
    const store = memoryStore();
    let down = true;
    const read: SessionStore["read"] = (key) => (down ? rejecting() : store.read(key));
    const rig = await guardRig(looping("nothing"), { store: { ...store, read } });
    const run = agent(rig);
    const turns = [await run.turn(), await run.turn()];
    down = false;
    turns.push(await run.turn(), await run.turn(), await run.turn());
    expect(verdictsOf(turns)).toEqual(["degraded", "degraded", "ok", "nudge", "ok"]);
  });
});

describe("a request passes unguarded, byte for byte, when", () => {
  const broke = { ladders: { get: broken } } satisfies Record<string, PropertyDescriptor>;

  it("the policy throws", async () => {
    const policy: Policy = Object.defineProperties({ ...standard() }, broke);
    const rig = await guardRig(looping("nothing"), { policy });
    const turns = await agent(rig).turns(7);
    expect(new Set(verdictsOf(turns).slice(3))).toEqual(new Set(["unguarded"]));
    expectUntouched(turns);
    expect(rig.logged.filter(({ event }) => event === "guard-failed")).not.toEqual([]);
    expect(JSON.stringify(rig.logged)).not.toContain(secretText);
  });

  it.each(["read", "rewrite", "reply"] as const)("the protocol's %s throws", async (part) => {
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
    { name: "when it is made", fold: broken },
    { name: "at a piece", fold: () => ({ push: broken, end: () => undefined }) },
    { name: "at the end", fold: () => ({ push: () => undefined, end: broken }) },
  ])("not even the answer is hurt when what reads it throws $name", async ({ fold }) => {
    const spy = vi.spyOn(chatCompletions, "fold").mockImplementation(fold);
    onTestFinished(() => spy.mockRestore());
    const rig = await guardRig(looping("nothing"));
    const turns = await agent(rig).turns(7);
    expect(verdictsOf(turns)).toEqual(["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"]);
    expect(turns.slice(0, 6).map(({ text }) => text)).toEqual(
      rig.upstream.requests.map(({ answer }) => String(answer)),
    );
  });

  it.each([
    "",
    " ",
    "null",
    "1",
    '"messages"',
    "[]",
    "{}",
    '{"messages":null}',
    '{"messages":{}}',
    '{"messages":[]}',
    '{"messages":[1,null,"x",[]]}',
    '{"messages":[{"role":"narrator"}]}',
    '{"messages":[{"role":"user","content":"x"}]',
    "model=gpt-4o&messages=hello",
    "--x\r\ncontent-disposition: form-data; name=a\r\n\r\nb\r\n--x--",
  ])("its body is %j", async (body) => {
    const rig = await guardRig(looping("nothing"));
    const given = await post(rig.url, body);
    expect(given.headers.get("x-unloop-verdict")).toBe("unguarded");
    expect(rig.upstream.requests.map(({ bytes }) => bytes.toString())).toEqual([body]);
    expect(given.text).toBe(rig.upstream.requests[0]?.answer.toString());
  });
});

describe("a log that throws", () => {
  it("stops nothing", async () => {
    const log = { info: broken, warn: broken, error: broken };
    const rig = await guardRig(looping("nothing"), { log, store: storeWith({ read: rejecting, write: rejecting }) });
    expect((await agent(rig).turns(7)).map(({ status }) => status)).toEqual(Array(7).fill(200));
    const unreachable = await guardBefore("http://127.0.0.1:1", { log });
    expect((await post(unreachable.url, '{"messages":[{"role":"user","content":"hi"}]}')).status).toBe(502);
  });
});

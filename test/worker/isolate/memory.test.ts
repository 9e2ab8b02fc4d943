import { abortAllDurableObjects } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { durableObjectStores } from "../../../src/store/durable-object/durable-object.ts";
import { readLedger } from "../../../src/session/session.ts";
import type { SessionStore, ThreadKey } from "../../../src/store/store.ts";
import { guardRig, post } from "../../proxy/guard-rig.ts";
import { looping } from "../../support/agents/scripts.ts";
import { deployedObjects, deployedWorker, ownObjects, replicaWorker } from "../seams/bindings.ts";
import { shortRun, urlOf } from "./short-run.ts";

const climb = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];

describe("a run that only the guard's memory shows to be a loop", () => {
  it("goes on where it was after all objects were evicted in the middle of it", async () => {
    const stores = durableObjectStores(ownObjects, { name: "eviction" });
    const { url, logged } = await guardRig(looping("nothing"), { stores, storeDeadlineMs: 5_000 });
    const evicting = async (turn: number) => {
      // What is still being written would be lost with its object, as with a machine that dies.
      await expect.poll(() => logged.filter(({ event }) => event === "recorded").length).toBe(turn);
      if (turn === 2 || turn === 5) await abortAllDurableObjects();
      return url;
    };
    expect(await shortRun(7, "evicted", evicting)).toEqual(climb);
  });

  it("is one run for two isolates that share the objects", async () => {
    const [one, other] = [urlOf(deployedWorker), urlOf(replicaWorker)];
    const alone = await shortRun(7, "alone", () => one);
    expect(alone).toContain("nudge");
    expect(await shortRun(7, "shared", (turn) => (turn % 2 === 0 ? one : other))).toEqual(alone);
  });

  it.each([
    { name: "session", session: (turn: number) => `apart-${turn}`, key: () => "sk-test" },
    { name: "key", session: () => "apart", key: (turn: number) => `sk-${turn}` },
  ])("is none when each request is of another $name", async ({ session, key }) => {
    const url = urlOf(deployedWorker);
    const verdicts = [0, 1, 2, 3].map((turn) => shortRun(1, session(turn), () => url, key(turn)));
    expect((await Promise.all(verdicts)).flat()).toEqual(["ok", "ok", "ok", "ok"]);
  });
});

describe("fifty exchanges of one thread at once", () => {
  /** The first `steps` turns of a run in which each call and each outcome is another. */
  const history = (steps: number) => {
    const turns = Array.from({ length: steps }, (_, i) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `call-${i}`, type: "function", function: { name: "read", arguments: `{"page":${i}}` } }],
      },
      { role: "tool", tool_call_id: `call-${i}`, content: `The words of page ${i}.` },
    ]);
    return JSON.stringify({ model: "m", messages: [{ role: "user", content: "Read it all." }, ...turns.flat()] });
  };

  /** How many steps the thread's record counts, after these requests at once. */
  async function stepsAfter(bodies: readonly string[]): Promise<number> {
    const stores = durableObjectStores(deployedObjects, { name: "fifty" });
    const written = new Set<ThreadKey>();
    const sessions: SessionStore = {
      ...stores.sessions,
      write(key, ...rest) {
        if (!key.endsWith("alias")) written.add(key);
        return stores.sessions.write(key, ...rest);
      },
    };
    const rig = await guardRig(() => ({ kind: "text", text: "Next." }), {
      stores: { ...stores, sessions },
      storeDeadlineMs: 20_000,
    });
    const headers = { "x-unloop-session": crypto.randomUUID() };
    const given = await Promise.all(bodies.map((body) => post(rig.url, body, headers)));
    expect(new Set(given.map(({ status }) => status))).toEqual(new Set([200]));
    await expect.poll(() => rig.logged.filter(({ event }) => event === "recorded").length).toBe(bodies.length);
    const [thread, ...others] = written;
    expect(others).toEqual([]);
    const record = thread === undefined ? undefined : await stores.sessions.read(thread);
    return readLedger(record?.json ?? "")?.total ?? 0;
  }

  it("lose nothing: the record knows as much as after the longest history alone", async () => {
    const bodies = Array.from({ length: 50 }, (_, i) => history(((i * 7) % 50) + 1));
    const alone = await stepsAfter([history(50)]);
    expect(alone).toBeGreaterThan(40);
    expect(await stepsAfter(bodies)).toBe(alone);
  });
});

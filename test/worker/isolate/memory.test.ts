import { abortAllDurableObjects } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { durableObjectStores } from "../../../src/store/durable-object/durable-object.ts";
import { climb, guardRig } from "../../proxy/guard-rig.ts";
import { looping } from "../../support/agents/scripts.ts";
import { deployedWorker, ownObjects, replicaWorker } from "../seams/bindings.ts";
import { shortRun, urlOf } from "./short-run.ts";

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
    expect(await shortRun("evicted", evicting)).toEqual(climb);
  });

  it("is one run for two isolates that share the objects", async () => {
    const [one, other] = [urlOf(deployedWorker), urlOf(replicaWorker)];
    const alone = await shortRun("alone", () => one);
    expect(alone).toContain("nudge");
    expect(await shortRun("shared", (turn) => (turn % 2 === 0 ? one : other))).toEqual(alone);
  });
});

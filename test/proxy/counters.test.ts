import { describe, expect, it, vi } from "vitest";
import { memoryStores } from "../../src/index.ts";
import { agent, guardRig } from "./guard-rig.ts";

describe("how far a loop has got", () => {
  async function acting(...targets: readonly string[]) {
    const stores = memoryStores();
    const args = (index: number) => JSON.stringify({ target: targets[index], value: "x" });
    const rig = await guardRig(
      (_, index) => ({ kind: "calls", calls: [{ tool: "type", args: args(Math.min(index, targets.length - 1)) }] }),
      { policy: "web-actions", stores },
    );
    const lines = () => rig.logged.filter(({ event }) => event === "exchange");
    const result = () => "a form, and a button";
    await agent({ ...rig, headers: { "x-unloop-session": "run" }, result }).turns(targets.length);
    await vi.waitFor(() => expect(lines()).toHaveLength(targets.length));
    const entries = async () => (await stores.journal.page(20)).map(({ entry }) => JSON.parse(entry));
    const types = async () => (await entries()).map(({ type }) => type);
    const counters = lines().map(({ counter }) => {
      const { count, of, rung } = Object(counter);
      return counter === undefined ? "" : `${count}/${of} ${rung}`;
    });
    return { ...rig, lines: lines(), entries, types, counters };
  }

  it("is in the log and in the journal before anything is done, and without a text", async () => {
    const { lines, logged, entries, types, counters } = await acting("#a", "#a", "#a");
    expect(counters).toEqual(["", "", "2/3 short-circuit"]);
    expect(lines.map(({ verdict }) => verdict)).toEqual(["ok", "ok", "short-circuit"]);
    const loop = { detector: "repeated-call", count: 2, of: 3, repeats: "1/2" };
    const facts = { ...loop, tools: ["type"], rung: "short-circuit" };
    expect(lines[2]).toMatchObject({ counter: facts, repeats: "2/2" });
    const warning = { level: "warn", session: "run", step: 1, loop: expect.any(String), ...facts };
    expect(logged.filter(({ event }) => event === "loop-warning")).toMatchObject([warning]);
    await expect.poll(types).toEqual(["intervention", "warning"]);
    const told = await entries();
    expect(told[1]).toMatchObject({ ...facts, session: "run", step: 1, policy: "web-actions" });
    expect(JSON.stringify([lines, told])).not.toContain("a button");
  });

  it("starts afresh, and is told as a near miss, where the run takes another way", async () => {
    const { entries, types, counters } = await acting("#a", "#a", "#b", "#c", "#d");
    expect(counters).toEqual(["", "", "2/3 short-circuit", "", ""]);
    await expect.poll(types).toEqual(["near-miss", "warning"]);
    expect(await entries()).toMatchObject([{ step: 1 }, { step: 1 }]);
  });
});

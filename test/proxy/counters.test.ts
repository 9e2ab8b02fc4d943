import { describe, expect, it, vi } from "vitest";
import { memoryStores } from "../../src/index.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { agent } from "./agent.ts";
import { guardRig } from "./guard-rig.ts";

/** One call for each turn, by its argument. */
const calling =
  (tool: string, turns: readonly string[]) =>
  (_: unknown, index: number): ScriptedAnswer => ({
    kind: "calls",
    calls: [{ tool, args: JSON.stringify({ target: turns[Math.min(index, turns.length - 1)], value: "x" }) }],
  });

type Facts = Readonly<Record<string, unknown>>;
const entriesIn = async (stores: ReturnType<typeof memoryStores>): Promise<readonly Facts[]> =>
  (await stores.journal.page(20)).map(({ entry }) => JSON.parse(entry));

describe("how far a loop has got", () => {
  async function acting(policy: string, turns: readonly string[], result: string) {
    const stores = memoryStores();
    const rig = await guardRig(calling("type", turns), { policy, stores });
    const run = agent({ ...rig, headers: { "x-unloop-session": "run" }, result: () => result });
    await run.turns(turns.length);
    await vi.waitFor(() => expect(rig.logged.filter(({ event }) => event === "exchange")).toHaveLength(turns.length));
    const lines = rig.logged.filter(({ event }) => event === "exchange");
    const warnings = () => rig.logged.filter(({ event }) => event === "loop-warning");
    return { lines, warnings, entries: () => entriesIn(stores), counters: lines.map((line) => countOf(line.counter)) };
  }

  const typesOf = (entries: () => Promise<readonly Facts[]>) => async () => (await entries()).map(({ type }) => type);
  const countOf = (counter: unknown) => {
    const { count, of, rung } = (counter ?? {}) as Facts;
    return counter === undefined ? "" : `${count}/${of} ${rung}`;
  };

  it("is in the log and in the journal before anything is done, and without a text", async () => {
    const { lines, entries, counters, warnings } = await acting(
      "web-actions",
      ["#a", "#a", "#a"],
      "a form, and a button",
    );
    expect(counters).toEqual(["", "", "2/3 short-circuit"]);
    expect(lines.map(({ verdict }) => verdict)).toEqual(["ok", "ok", "short-circuit"]);
    const facts = {
      detector: "repeated-call",
      count: 2,
      of: 3,
      repeats: "1/2",
      tools: ["type"],
      rung: "short-circuit",
    };
    expect(lines[2]?.counter).toMatchObject(facts);
    expect(lines[2]?.repeats).toBe("2/2");
    expect(warnings()).toMatchObject([{ level: "warn", session: "run", step: 1, loop: expect.any(String), ...facts }]);
    await expect.poll(typesOf(entries)).toEqual(["intervention", "warning"]);
    const told = await entries();
    expect(told[1]).toMatchObject({ ...facts, session: "run", step: 1, policy: "web-actions" });
    expect(JSON.stringify([lines, told])).not.toContain("a button");
  });

  it("starts afresh, and is told as a near miss, where the run takes another way", async () => {
    const { entries, counters } = await acting("web-actions", ["#a", "#a", "#b", "#c", "#d"], "a form, and a button");
    expect(counters).toEqual(["", "", "2/3 short-circuit", "", ""]);
    await expect.poll(typesOf(entries)).toEqual(["near-miss", "warning"]);
    expect(await entries()).toMatchObject([{ step: 1 }, { step: 1 }]);
  });
});

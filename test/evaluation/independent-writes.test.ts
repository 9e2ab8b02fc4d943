import { describe, expect, it } from "vitest";
import { noMeter } from "../../src/evaluation/evaluation.ts";
import { type Meter, policyFrom, type Totals } from "../../src/index.ts";
import { called, type Message, repeated } from "../support/builders/chat-history.ts";
import { storesVia } from "../support/builders/stores.ts";
import { guarded, opening } from "../proxy/request/walk.ts";

const lap = (i: number) => called(`c${i}`, "read", { page: 1 }, "On page 1 stands a word.");
const looping = (rounds: number) => [...opening, ...repeated(rounds, lap)];
const again = (i: number): Message => lap(i)[0] ?? {};

interface Failing {
  readonly journal?: (tried: number) => boolean;
  readonly write?: (json: string) => boolean;
}

function endedLoop({ journal = () => false, write = () => false }: Failing) {
  const tried: string[] = [];
  const counted: Totals[] = [];
  const failures = { store: 0 };
  const stores = storesVia((own, command, [first, second]) => {
    if (command === "counters.add" && "inputTokens" in Object(second)) counted.push(Object(second));
    if (command === "journal.append") tried.push(JSON.parse(String(first)).type);
    const fails =
      (command === "journal.append" && journal(tried.length)) ||
      (command === "sessions.write" && write(String(second)));
    return fails ? Promise.reject(new Error("down")) : own();
  });
  const meter: Meter = { ...noMeter, storeFailed: () => void failures.store++ };
  const policy = policyFrom({ extends: "web-actions", budget: { tokens: 1_000_000 } });
  const { ask } = guarded({ stores, meter, policy });
  return {
    tried,
    counted,
    failures,
    async run() {
      await ask(looping(1), again(1));
      counted.length = 0;
      // Its request is one step from the end, and its answer would be that step.
      return ask(looping(2), again(2));
    },
  };
}

describe("of what an exchange leaves in the stores", () => {
  it("each entry of the journal is tried where another one fails, and each failure is counted", async () => {
    const one = endedLoop({ journal: (tried) => tried === 1 });
    expect(await one.run()).toMatchObject({ verdict: "short-circuit" });
    expect(one.tried).toEqual(["warning", "intervention"]);
    const both = endedLoop({ journal: () => true });
    await both.run();
    expect(both.failures.store).toBe(2);
  });

  it.each<Failing & { name: string }>([
    { name: "the journal", journal: () => true },
    { name: "the thread's record", write: (json) => json.includes('"window"') },
  ])("what was used up is counted where $name fails", async ({ name: _, ...failing }) => {
    const loop = endedLoop(failing);
    await loop.run();
    expect(loop.counted).toMatchObject([{ inputTokens: expect.any(Number) }]);
  });
});

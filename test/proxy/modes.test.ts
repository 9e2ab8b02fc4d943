import { describe, expect, it } from "vitest";
import { looping } from "../support/agents/scripts.ts";
import { type AgentOptions, agent, type Turn, verdictsOf } from "./agent.ts";
import { guardRig, standard, verdictOf } from "./guard-rig.ts";
import type { UnloopOptions } from "../../src/index.ts";

async function run(options: Partial<UnloopOptions>, asks: Partial<AgentOptions> = {}) {
  const rig = await guardRig(looping("nothing"), options);
  return { ...rig, turns: await agent({ ...rig, ...asks }).turns(7) };
}

function expectUntouched(turns: readonly Turn[]): void {
  expect(turns.map((turn) => turn.received[0]?.bytes.toString())).toEqual(turns.map((turn) => turn.sent));
  expect(turns.map((turn) => turn.text)).toEqual(turns.map((turn) => turn.received[0]?.answer.toString()));
}

const asked = (mode: string) => ({ headers: { "x-unloop-mode": mode } });
const enforced = ["ok", "ok", "ok", "nudge", "ok", "force-done", "short-circuit"];
const observed = ["ok", "ok", "ok", "observe:nudge", "ok", "observe:force-done", "observe:short-circuit"];

describe("a mode", () => {
  it("observe says what it would do and touches no byte", async () => {
    const { turns } = await run({ mode: "observe" });
    expect(verdictsOf(turns)).toEqual(observed);
    expectUntouched(turns);
    expect(turns[3]?.headers.get("x-unloop-detector")).toBe("repeated-call");
  });

  it("off says nothing and touches no byte", async () => {
    const { turns, logged } = await run({ mode: "off" }, { extra: { stream: true } });
    for (const { headers } of turns) {
      expect(verdictOf(headers)).toEqual({});
      expect(headers.has("server-timing")).toBe(false);
    }
    expectUntouched(turns);
    expect(logged).toEqual([]);
  });
});

describe("a client's own choice of mode", () => {
  it.each([
    { name: "counts where the operator allows it", may: true, asks: "observe", verdicts: observed },
    { name: "is ignored where the operator does not", may: false, asks: "observe", verdicts: enforced },
    { name: "may not turn the guard off where not", may: false, asks: "off", verdicts: enforced },
  ])("$name", async ({ may, asks, verdicts }) => {
    const { turns } = await run({ allowClientOverrides: may }, asked(asks));
    expect(verdictsOf(turns)).toEqual(verdicts);
  });
});

/** The default policy as it is: it acts on answers too. */
const wholly = ["ok", "ok", "nudge", "ok", "short-circuit", "short-circuit", "short-circuit"];

describe("a client's own choice of policy", () => {
  const blind = { ...standard(), ladders: {} };
  const asks = (policy: string) => ({ headers: { "x-unloop-policy": policy } });

  it.each([
    { name: "counts where the operator allows it", may: true, named: "default", verdicts: wholly },
    { name: "is ignored where the operator does not", may: false, named: "default", verdicts: Array(7).fill("ok") },
  ])("$name", async ({ may, named, verdicts }) => {
    const { turns } = await run({ policy: blind, allowClientOverrides: may }, asks(named));
    expect(verdictsOf(turns)).toEqual(verdicts);
  });
});

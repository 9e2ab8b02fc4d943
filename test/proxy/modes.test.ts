import { describe, expect, it } from "vitest";
import type { UnloopOptions } from "../../src/index.ts";
import { looping } from "../support/agents/scripts.ts";
import { agent, isUntouched, verdictsOf, climb, guardRig, post, standard, verdictOf } from "./guard-rig.ts";

async function run(options: Partial<UnloopOptions>, headers: Readonly<Record<string, string>> = {}, extra = {}) {
  const rig = await guardRig(looping("nothing"), options);
  return { ...rig, turns: await agent({ ...rig, headers, extra }).turns(7) };
}

const observed = climb.map((verdict) => (verdict === "ok" ? verdict : `observe:${verdict}`));

describe("a mode", () => {
  it("observe says what it would do and touches no byte", async () => {
    const { turns } = await run({ mode: "observe" });
    expect([verdictsOf(turns), isUntouched(turns)]).toEqual([observed, true]);
    expect(turns[3]?.headers.get("x-unloop-detector")).toBe("repeated-call");
  });

  it("off says nothing and touches no byte", async () => {
    const { turns, logged } = await run({ mode: "off" }, {}, { stream: true });
    for (const { headers } of turns) expect([verdictOf(headers), headers.has("server-timing")]).toEqual([{}, false]);
    expect([isUntouched(turns), logged]).toEqual([true, []]);
  });
});

const blind = { policy: { ...standard(), ladders: {} } };
const wholly = ["ok", "ok", "nudge", "ok", "short-circuit", "short-circuit", "short-circuit"];

it.each([
  { may: true, asks: { "x-unloop-mode": "observe" }, verdicts: observed },
  { may: false, asks: { "x-unloop-mode": "off" }, verdicts: climb },
  { may: true, asks: { "x-unloop-policy": "default" }, options: blind, verdicts: wholly },
  { may: false, asks: { "x-unloop-policy": "default" }, options: blind, verdicts: Array(7).fill("ok") },
])(
  "a client's own choice counts where the operator allows it ($may): $asks",
  async ({ may, asks, options, verdicts }) => {
    const { turns } = await run({ ...options, allowClientOverrides: may }, asks as never);
    expect(verdictsOf(turns)).toEqual(verdicts);
  },
);

describe("every guarded answer says", () => {
  it("what was done to it, by which detector, at which count, and in which session", async () => {
    const { turns } = await run({}, { "x-unloop-session": "run-1" });
    const named = { "x-unloop-session": "run-1", "x-unloop-session-source": "header:x-unloop-session" };
    const ok = { ...named, "x-unloop-verdict": "ok" };
    const found = (count: number) => ({ "x-unloop-detector": "repeated-call", "x-unloop-count": String(count) });
    expect(turns.map(({ headers }) => verdictOf(headers))).toEqual([
      ok,
      ok,
      ok,
      { ...named, ...found(3), "x-unloop-verdict": "nudge" },
      { ...ok, "x-unloop-sticky": "1" },
      { ...named, ...found(5), "x-unloop-verdict": "force-done", "x-unloop-sticky": "1" },
      { ...named, ...found(6), "x-unloop-verdict": "short-circuit" },
    ]);
  });

  it("the guard's verdict and not one that the upstream makes up", async () => {
    const fields = { "content-type": "application/json", "x-unloop-verdict": "short-circuit", "x-unloop-session": "x" };
    const rig = await guardRig(() => ({ kind: "raw", status: 200, fields, pieces: ["{}"], ending: "end" }));
    const { headers } = await post(rig.url, '{"messages":[{"role":"user","content":"hi"}]}');
    expect(headers.get("x-unloop-verdict")).toBe("ok");
    expect(headers.get("x-unloop-session")).not.toBe("x");
  });
});

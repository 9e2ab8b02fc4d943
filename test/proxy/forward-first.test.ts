import { describe, expect, it } from "vitest";
import { noMeter } from "../../src/proxy/proxy.ts";
import { healthy, looping } from "../support/agents/scripts.ts";
import { agent, type AgentOptions } from "./agent.ts";
import { guardRig, requestsOnly } from "./guard-rig.ts";

/** An agent before a guard that tells which of its requests were sent before they were judged. */
async function played(turns: number, script: Parameters<typeof guardRig>[0], options: Partial<AgentOptions> = {}) {
  const first: string[] = [];
  const meter = { ...noMeter, forwardedFirst: (outcome: string) => void first.push(outcome) };
  const rig = await guardRig(script, { policy: requestsOnly(), meter });
  const told = await agent({ ...rig, ...options }).turns(turns);
  return { first, told, upstream: rig.upstream };
}

describe("forward first", () => {
  it("is what becomes of a healthy run's requests once it is known", async () => {
    let call = 0;
    const { first, told } = await played(8, healthy(8), { result: () => WORDS[call++] });
    expect(first).toEqual(Array(7).fill("kept"));
    expect(told.map(({ headers }) => headers.get("x-unloop-verdict"))).toEqual(Array(8).fill("ok"));
    expect(told.map(({ received }) => received.map(({ bytes }) => bytes.toString()))).toEqual(
      told.map(({ sent }) => [sent]),
    );
  });

  it("ends where two results are alike, since a third may be told of", async () => {
    const { first } = await played(8, healthy(8), { result: () => "No results." });
    expect(first.length).toBeLessThan(3);
    expect(first).not.toContain("withdrawn");
  });

  it("is not done for a run that repeats a call, and none of its requests goes upstream twice", async () => {
    const { first, told, upstream } = await played(6, looping("nothing"));
    expect(first).not.toContain("withdrawn");
    expect(told.map(({ headers }) => headers.get("x-unloop-verdict"))).toContain("nudge");
    expect(upstream.requests.length).toBe(told.filter(({ received }) => received.length > 0).length);
  });
});

/** Results in words of their own each. */
const WORDS = [
  "The invoice was paid in March.",
  "No such customer: try the archive instead.",
  "Twelve parcels wait at the depot of Lyon.",
  "A contract ends when its supplier says so.",
  "Refunds take longer over holidays, as a rule.",
  "Our warehouse closes early today.",
  "Nobody has asked about quotas since.",
  "Rain in the morning, sun after noon.",
];

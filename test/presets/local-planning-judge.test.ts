import { describe, expect, it } from "vitest";
import { nodeTransport } from "../../src/transport/node.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import {
  callNamed,
  doing,
  eventually,
  fine,
  type JudgeScript,
  pageOf,
  planRig,
  play,
  pursue,
  steps,
  tools,
  verdicts,
} from "./planner.ts";

const raw = (status: number, ending: "end" | "cut" | "hang", ...pieces: readonly string[]): ScriptedAnswer => ({
  ...{ kind: "raw", status, fields: { "content-type": "application/json" }, pieces, ending },
});

/** All that the model was sent, byte for byte. */
const sent = (rig: { readonly upstream: { readonly requests: readonly { readonly bytes: Buffer }[] } }) =>
  rig.upstream.requests.map(({ bytes }) => bytes.toString());

describe("a judge that is no help changes nothing", () => {
  it.each([
    {
      name: "answers nonsense",
      judge: () => ({ kind: "text", text: "Rather near, I should say." }),
      outcome: "unparsable",
    },
    { name: "answers by another scale", judge: () => ({ distance: 85 }), outcome: "unparsable" },
    { name: "answers without end", judge: () => raw(200, "end", "x".repeat(300_000), "y"), outcome: "failed" },
    { name: "answers 500", judge: () => ({ kind: "error", status: 500, message: "down" }), outcome: "refused" },
    { name: "answers 429", judge: () => ({ kind: "error", status: 429, message: "later" }), outcome: "refused" },
    { name: "breaks off", judge: () => raw(200, "cut", '{"choices": ['), outcome: "failed" },
  ] satisfies readonly { name: string; judge: JudgeScript; outcome: string }[])(
    "a judge that $name changes nothing",
    async ({ judge, outcome }) => {
      const without = await play({ options: { judge: undefined } });
      const { rig, taken } = await play({ judge });
      expect(sent(rig)).toEqual(sent(without.rig));
      expect(verdicts(taken)).toEqual(verdicts(without.taken));
      expect(rig.judged.map((one) => one.outcome)).toEqual(Array(5).fill(outcome));
      expect(rig.logged.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
    },
  );

  it("a judge that is not there changes nothing", async () => {
    const without = await play({ options: { judge: undefined } });
    const { rig, taken } = await play({ options: { judge: { upstream: "http://127.0.0.1:1", model: "small" } } });
    expect(sent(rig)).toEqual(sent(without.rig));
    expect(verdicts(taken)).toEqual(verdicts(without.taken));
  });

  it("a judge that hangs changes nothing: its one question ends with the guard", async () => {
    const without = await play({ options: { judge: undefined } });
    const transport = nodeTransport();
    const rig = await planRig(doing(...steps), { judge: () => raw(200, "hang", '{"choices"'), options: { transport } });
    const taken = await pursue({ ...rig, settled: async () => undefined }, { tools, turns: 9, result: pageOf });
    expect(sent(rig)).toEqual(sent(without.rig));
    expect(verdicts(taken)).toEqual(verdicts(without.taken));
    expect(rig.judge.requests.map(({ aborted }) => aborted)).toEqual([false]);
    expect(rig.judged).toEqual([]);
    await transport.close();
    await eventually(() => expect(rig.judge.requests[0]?.aborted).toBe(true));
    await rig.settled();
    // The newest of those that waited is tried, too.
    expect(new Set(rig.judged.map(({ outcome }) => outcome))).toEqual(new Set(["failed"]));
  });

  it("a judge whose time is over changes nothing, and is asked again about the next step", async () => {
    const judge: JudgeScript = (_, index) =>
      index === 0 ? raw(200, "hang", " ") : { distance: 4, distance_before: 1 };
    const rig = await planRig(doing("click a", "click b", "done"), { judge });
    const options = { judge: { upstream: rig.judge.url, model: "small", timeoutMs: 500 } };
    const impatient = await planRig(doing("click a", "click b", "done"), { options });
    await pursue(
      {
        ...impatient,
        settled: async () => eventually(() => expect(impatient.judged.length).toBe(rig.judge.requests.length)),
      },
      { tools, turns: 5, result: pageOf },
    );
    expect(impatient.judged.map(({ outcome }) => outcome)).toEqual(["failed", "scored"]);
  });
});

describe("the judge is asked", () => {
  it("the judge is asked at its own address, with its own key and never the agent's", async () => {
    const { rig } = await play({ judge: fine });
    for (const { fields, target } of rig.judge.requests) {
      expect([target, fields.authorization]).toEqual(["/v1/chat/completions", "Bearer sk-judge"]);
      expect(JSON.stringify(fields)).not.toContain("sk-client");
    }
  });

  it.each([
    { name: "after every step", policy: {}, count: 5 },
    { name: "after every other step", policy: { judge: { every: 2 } }, count: 3 },
    { name: "no more often than a session may", policy: { judge: { maxCalls: 2 } }, count: 2 },
    { name: "never, where the policy has no judge", policy: { judge: null }, count: 0 },
  ])("$name", async ({ policy, count }) => {
    const { rig } = await play({ judge: fine, policy });
    expect(rig.judge.requests).toHaveLength(count);
  });

  it("sooner where a loop is near", async () => {
    const policy = { judge: { every: 100 }, ladders: { "repeated-call": { nudge: 3 } } };
    const rig = await planRig(doing("click a", "click b", "click b", "done"), { judge: fine, policy });
    await pursue(rig, { tools, turns: 5, result: pageOf });
    // The first question sets the measure; after two equal calls a third would be a loop.
    expect(rig.judge.requests).toHaveLength(2);
  });

  it("the judge is asked without a schema, once its endpoint has refused one", async () => {
    const judge: JudgeScript = (_, index) =>
      index === 0 ? { kind: "error", status: 400, message: "no schemas here" } : fine("", index);
    const { rig } = await play({ judge });
    const formats = rig.judge.requests.map(({ json }) => Object.hasOwn(Object(json), "response_format"));
    expect(formats).toEqual([true, false, false, false, false]);
    expect(rig.judged.map(({ outcome }) => outcome)).toEqual(["refused", "scored", "scored", "scored", "scored"]);
  });

  it("about no more than eight threads at a time", async () => {
    const judge: JudgeScript = () => raw(200, "hang", " ");
    const rig = await planRig(doing("click a", "click b", "click c", "done"), { judge });
    const upstream = rig.judge.url;
    const narrow = await planRig((_, index) => callNamed(`click ${index}`, index), {
      options: { judge: { upstream, model: "small" } },
    });
    const patient = { ...narrow, settled: async () => undefined };
    for (let i = 0; i < 9; i++) await pursue(patient, { tools, turns: 3, result: pageOf, task: `Task ${i}.` });
    expect(rig.judge.requests).toHaveLength(8);
  });
});

import { expect, it } from "vitest";
import { guardRig, post, standard, storesWith } from "../proxy/guard-rig.ts";
import { type DialectAgent, dialectRun, runDialect } from "../support/agents/dialect-agent.ts";
import { ANSWER, healthy, looping } from "../support/agents/dialect-scripts.ts";
import type { Script } from "../support/servers/upstream.ts";

const policy = standard();

/** What harnesses say to an end that they do not take, none of which is anybody's word. */
const unheard = [
  "Observation: Invalid format: missing 'Action:' after 'Thought:'. Follow the format.",
  "Observation: Page of the same: rain in the morning, sun after noon.",
  "Your last response could not be parsed. Respond in the required format.",
  "Error in code parsing: make sure to provide correct code blobs.",
  "Analyze the tool result, then go on.",
];

/** Several runs, and what goes on between them. */
export function dialectRuns(agent: DialectAgent): void {
  const nudged = [...Array(agent.nudgedAt - 1).fill("ok"), "nudge"];

  it("is judged as a run of its own when the same task is begun again", async () => {
    let script: Script = looping(agent, false);
    let before = 0;
    const rig = await guardRig((request, index) => script(request, index - before), { policy });
    expect((await runDialect(rig, agent)).verdicts.at(-1)).toBe("short-circuit");
    for (let again = 0; again < 2; again += 1) {
      script = healthy(agent);
      before = rig.upstream.requests.length;
      expect((await runDialect(rig, agent)).verdicts).toEqual(Array(9).fill("ok"));
    }
  });

  it("is judged alone while another run of another task goes on beside it", async () => {
    const rig = await guardRig(looping(agent, false), { policy });
    const runs = ["What is the weather?", "Who won the match?"].map((task) => dialectRun(rig.url, agent, { task }));
    for (let turn = 0; turn < agent.nudgedAt; turn += 1) for (const { step } of runs) await step();
    expect(runs.map(({ result }) => result().verdicts)).toEqual([nudged, nudged]);
  });

  it("is not held to what a healthy run of the same task does beside it", async () => {
    const rig = await guardRig(
      (request, index) =>
        index % 2 === 0 ? looping(agent, false)(request, index) : healthy(agent)(request, (index - 1) / 2),
      { policy: { ...policy, intercept: "off" } },
    );
    const runs = [dialectRun(rig.url, agent), dialectRun(rig.url, agent)];
    for (let turn = 0; turn < 4; turn += 1) for (const { step } of runs) await step();
    expect(runs[1]?.result().verdicts).toEqual(Array(4).fill("ok"));
  });

  it("is caught though its client forgets its oldest steps", async () => {
    const rig = await guardRig(looping(agent, false), { policy });
    const run = await runDialect(rig, agent, {
      fields: { "x-unloop-session": "short" },
      edit: (told) => (agent.isPrompt ? told : [...told.slice(0, 2), ...told.slice(2).slice(-4)]),
    });
    expect(run.verdicts.slice(0, agent.nudgedAt + 1)).toContain("nudge");
  });

  it("is caught without a store, by what its history tells", async () => {
    const down = () => Promise.reject(new Error("the store is down"));
    const rig = await guardRig(looping(agent, false), { policy, stores: storesWith({ read: down, write: down }) });
    const { verdicts } = await runDialect(rig, agent);
    // Where only results are told there is nothing to go by.
    expect(verdicts.includes("nudge")).toBe(agent.isUntold !== true);
    expect(verdicts[0]).toBe("degraded");
  });

  it("goes on behind an error of the upstream as if it had not been", async () => {
    const failing: Script = (request, index) =>
      index === 1 ? { kind: "error", status: 500, message: "No." } : looping(agent, false)(request, index);
    const rig = await guardRig(failing, { policy });
    const run = dialectRun(rig.url, agent);
    for (let turn = 0; turn <= agent.nudgedAt; turn += 1) await run.step();
    expect(run.result().statuses.slice(0, 3)).toEqual([200, 500, 200]);
    expect(run.result().verdicts).toContain("nudge");
  });

  it("is only watched in observe mode", async () => {
    const rig = await guardRig(looping(agent, false), { policy, mode: "observe" });
    const { verdicts } = await runDialect(rig, agent, { limit: 8 });
    expect(verdicts.filter((verdict) => verdict?.startsWith("observe:")).length).toBeGreaterThan(0);
    expect(rig.upstream.requests.every(({ bytes }) => !String(bytes).includes("[unloop]"))).toBe(true);
  });

  // A prompt that tells results alone begins a new run behind an end.
  it.runIf(agent.isUntold !== true)("costs nothing upstream where it goes on after its end", async () => {
    const rig = await guardRig(looping(agent, false), { policy });
    const { next, verdicts } = await runDialect(rig, agent);
    expect(verdicts.at(-1)).toBe("short-circuit");
    const before = rig.upstream.requests.length;
    const { messages, ...rest } = JSON.parse(next);
    const asks = agent.isPrompt
      ? [messages]
      : unheard.map((content) => [...messages.slice(0, -1), { role: "user", content }]);
    for (const told of asks) {
      const given = await post(rig.url, JSON.stringify({ ...rest, messages: told }));
      expect([told.at(-1), given.headers.get("x-unloop-verdict")]).toEqual([told.at(-1), "short-circuit"]);
    }
    expect(rig.upstream.requests).toHaveLength(before);
  });

  it.runIf(agent.isPrompt !== true)("is heard again when a person says something new", async () => {
    let script: Script = looping(agent, false);
    const rig = await guardRig((request, index) => script(request, index), { policy });
    const { next } = await runDialect(rig, agent);
    script = () => agent.final(ANSWER);
    const { messages, ...rest } = JSON.parse(next);
    const more = [
      ...messages,
      { role: "assistant", content: "I was stopped." },
      { role: "user", content: "Never mind the weather. Book a table in Rome for two." },
    ];
    const given = await post(rig.url, JSON.stringify({ ...rest, messages: more }));
    expect(given.headers.get("x-unloop-verdict")).toBe("ok");
  });
}

import { expect, it } from "vitest";
import { guardRig, standard } from "../proxy/guard-rig.ts";
import { type DialectAgent, runDialect } from "../support/agents/dialect-agent.ts";
import { ANSWER, looping } from "../support/agents/dialect-scripts.ts";
import type { Script } from "../support/servers/upstream.ts";

const policy = standard();
const stopped = /^This run was stopped because it was going in circles\./;
const ways = [
  { kind: "JSON", stream: false },
  { kind: "an event stream", stream: true },
];

/** How a run ends, and who says so. */
export function dialectEndings(agent: DialectAgent): void {
  const nudged = [...Array(agent.nudgedAt - 1).fill("ok"), "nudge"];

  it.each(ways)("finds its way out of a loop by one note, answered with $kind", async ({ stream }) => {
    const run = await runDialect(await guardRig(looping(agent, true), { policy }), agent, { stream });
    expect(run.verdicts.slice(0, agent.nudgedAt)).toEqual(nudged);
    expect(run.answer).toBe(ANSWER);
  });

  it.each(ways)("accepts the end of a loop in which it heeds nothing, answered with $kind", async ({ stream }) => {
    const { verdicts, answer } = await runDialect(await guardRig(looping(agent, false), { policy }), agent, { stream });
    expect(verdicts.at(-1)).toBe("short-circuit");
    expect(verdicts.length).toBeLessThanOrEqual(8);
    expect(answer).toMatch(stopped);
    expect(answer).not.toContain("Page of");
  });

  /** Goes on until it is told to finish, and gives this answer then. */
  const heedingAtLast =
    (answer: string): Script =>
    ({ bytes }) => {
      const notes = String(bytes).split("[unloop]");
      const isToldToFinish = notes.length > 2 && /no longer available|only tool/.test(notes.at(-1) ?? "");
      return isToldToFinish ? agent.final(answer) : agent.call("the same");
    };

  it("ends by its own form when it is told to finish, and does", async () => {
    const rig = await guardRig(heedingAtLast(ANSWER), { policy: { ...policy, intercept: "off" } });
    const { verdicts, answer } = await runDialect(rig, agent);
    expect(verdicts.at(-1)).toBe("force-done");
    expect(answer).toBe(ANSWER);
  });

  it("is shown no form that can be copied, and an answer that is a placeholder all the same is none", async () => {
    const rig = await guardRig(heedingAtLast("<your answer>"), { policy });
    const { answer } = await runDialect(rig, agent);
    expect(answer).toMatch(stopped);
    const notes = rig.upstream.requests.flatMap(({ bytes }) => String(bytes).split("[unloop]").slice(1));
    expect(notes.filter((note) => /<(your|what|the)\b/.test(note))).toEqual([]);
  });

  it("is ended with an error that nobody sends again, where the policy says so", async () => {
    const rig = await guardRig(looping(agent, false), { policy: { ...policy, finalResponse: "error" } });
    const { statuses, verdicts } = await runDialect(rig, agent);
    expect(statuses.at(-1)).toBe(400);
    expect(verdicts.at(-1)).toBe("short-circuit");
  });

  it("is told more where the policy says so", async () => {
    const rig = await guardRig(looping(agent, false), { policy: { ...policy, finalText: "reason" } });
    expect((await runDialect(rig, agent)).answer).toMatch(/times|again/);
  });

  it("is told the end in the language of its task", async () => {
    const rig = await guardRig(looping(agent, false), { policy });
    const { answer } = await runDialect(rig, agent, { task: "ローマの天気を調べて、教えてください。" });
    expect(answer).toMatch(/\p{Script=Hiragana}/u);
    expect(answer).not.toMatch(stopped);
  });

  it.runIf(agent.correction !== undefined)(
    "gets the model's own answer in its form, where that keeps giving one in another",
    async () => {
      const rig = await guardRig(() => ({ kind: "text", text: ANSWER }), { policy });
      const { answer, verdicts } = await runDialect(rig, agent);
      expect(answer).toBe(ANSWER);
      expect(verdicts.at(-1)).toBe("short-circuit");
    },
  );

  it.runIf(agent.correction !== undefined)(
    "is caught though it is reminded of its form between its turns",
    async () => {
      const rig = await guardRig(
        (_, index) => (index % 3 === 2 ? { kind: "text", text: "Hm, let me see." } : agent.call("the same")),
        { policy },
      );
      expect((await runDialect(rig, agent)).verdicts).toContain("nudge");
    },
  );
}

import { describe, expect, it } from "vitest";
import { guardRig, post, standard } from "../../proxy/guard-rig.ts";
import { type DialectAgent, outcomeOf, runDialect, type TakenStep } from "../../support/agents/dialect-agent.ts";
import { agents } from "../../support/agents/dialect-agents.ts";
import { ANSWER, healthy, looping } from "../../support/agents/dialect-scripts.ts";
import type { Script } from "../../support/servers/upstream.ts";

const policy = standard();
const news = ["rain", "sun", "snow", "hail", "fog", "storm", "frost", "heat", "wind"];
const oks = (count: number) => Array(count).fill("ok");
const stopped = /^This run was stopped because it was going in circles\./;

const stepsOf = (agent: DialectAgent, count: number, query: (index: number) => string): readonly TakenStep[] =>
  Array.from({ length: count }, (_, index) => {
    const answer = agent.call(query(index));
    return { said: "text" in answer ? (answer.text ?? "") : "", query: query(index), outcome: outcomeOf(query(index)) };
  });

describe.each(agents)("an agent that speaks $name", (agent) => {
  it("is left alone while it is healthy, and its steps are counted", async () => {
    const rig = await guardRig(healthy(agent), { policy });
    const { verdicts, answer, steps } = await runDialect(rig, agent);
    expect({ verdicts, answer }).toEqual({ verdicts: oks(9), answer: ANSWER });
    expect(steps).toEqual(Array.from({ length: 9 }, (_, index) => String(index)));
    expect(rig.upstream.requests.every(({ bytes }) => !String(bytes).includes("[unloop]"))).toBe(true);
  });

  it.runIf(agent.isUntold !== true)("is caught at the first request that tells a loop", async () => {
    const past = [
      ...stepsOf(agent, 20, (index) => `item ${index} of ${news[index % 9]}`),
      ...stepsOf(agent, 4, () => "the same"),
    ];
    const rig = await guardRig(looping(agent, false), { policy });
    expect((await runDialect(rig, agent, { past, limit: 1 })).verdicts).not.toEqual(["ok"]);
  });

  it("finds its way out of a loop by one note", async () => {
    const run = await runDialect(await guardRig(looping(agent, true), { policy }), agent);
    expect(run.verdicts.slice(0, 3)).toEqual(["ok", "ok", "nudge"]);
    expect(run.answer).toBe(ANSWER);
  });

  it.each([false, true])("accepts the end of a loop in which it heeds nothing, streamed: %j", async (stream) => {
    const { verdicts, answer } = await runDialect(await guardRig(looping(agent, false), { policy }), agent, { stream });
    expect(verdicts.at(-1)).toBe("short-circuit");
    expect(verdicts.length).toBeLessThanOrEqual(8);
    expect(answer).toMatch(stopped);
    expect(answer).toContain("rain in the morning");
  });

  it("ends by its own form when it is told to finish, and does; it is shown no form that can be copied", async () => {
    const script: Script = ({ bytes }) => {
      const notes = String(bytes).split("[unloop]");
      const isToldToFinish = notes.length > 2 && /no longer available|only tool/.test(notes.at(-1) ?? "");
      return isToldToFinish ? agent.final(ANSWER) : agent.call("the same");
    };
    const rig = await guardRig(script, { policy: { ...policy, intercept: "off" } });
    const { verdicts, answer } = await runDialect(rig, agent);
    expect([verdicts.at(-1), answer]).toEqual(["force-done", ANSWER]);
    expect(rig.upstream.requests.map(({ bytes }) => String(bytes)).join()).not.toMatch(
      /\[unloop\].*<(your|what|the)\b/,
    );
  });

  it.runIf(agent.correction !== undefined)(
    "gets the model's own answer in its form, where that keeps giving one in another",
    async () => {
      const rig = await guardRig(() => ({ kind: "text", text: ANSWER }), { policy });
      const { answer, verdicts } = await runDialect(rig, agent);
      expect(answer).toBe(ANSWER);
      expect(verdicts.at(-1)).toMatch(/force-done|short-circuit/);
    },
  );
});

const unheard = [
  "Observation: Invalid format: missing 'Action:' after 'Thought:'. Follow the format.",
  "Observation: Page of the same: rain in the morning, sun after noon.",
  "Your last response could not be parsed. Respond in the required format.",
  "Error in code parsing: make sure to provide correct code blobs.",
  "Analyze the tool result, then go on.",
];

/** The list is of native calls: what a result is, its request says. */
describe.each(agents.filter(({ request }) => request === undefined))(
  "an agent that acts in text alone: $name",
  (agent) => {
    // A prompt that tells results alone begins a new run behind an end; a user's first word there reaches the model.
    it.runIf(agent.isUntold !== true && agent.asksOn !== true)(
      "costs nothing upstream where it goes on after its end",
      async () => {
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
      },
    );

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
  },
);

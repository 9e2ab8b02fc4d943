import { expect, it } from "vitest";
import { guardRig, standard } from "../proxy/guard-rig.ts";
import {
  type DialectAgent,
  type DialectRunOptions,
  outcomeOf,
  runDialect,
  type TakenStep,
} from "../support/agents/dialect-agent.ts";
import { ANSWER, cycling, healthy, looping } from "../support/agents/dialect-scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import { messagesWire } from "../support/wires/messages.ts";
import { responsesWire } from "../support/wires/responses.ts";

const policy = standard();
const news = ["rain", "sun", "snow", "hail", "fog", "storm", "frost", "heat", "wind"];
const oks = (count: number) => Array(count).fill("ok");

interface Row {
  readonly name: string;
  readonly script?: (agent: DialectAgent) => Script;
  readonly options?: DialectRunOptions;
}

/** Runs that lead somewhere: none of their requests is changed. */
const leftAlone: readonly Row[] = [
  { name: "it calls different things, and then ends by itself" },
  { name: "it is streamed", options: { stream: true } },
  {
    name: "the same call brings something new each time",
    script: (agent) => looping(agent, false),
    options: { limit: 8, outcome: (_, step) => `The forecast has changed: ${news[step] ?? "calm"} from now on.` },
  },
  { name: "different arguments have one short result", options: { outcome: () => "Saved the row." } },
  {
    name: "it turns pages",
    script: (agent) => (_, index) => (index < 8 ? agent.call(`offers, page ${index + 1}`) : agent.final(ANSWER)),
    options: {
      outcome: (query) => `Offers on ${query}: ${news[Number(query.at(-1))]}, ${news[8 - Number(query.at(-1))]}.`,
    },
  },
  {
    name: "it waits for something that gets on",
    script: (agent) => (_, index) => (index < 6 ? agent.call("status of the build") : agent.final(ANSWER)),
    options: { outcome: (_, step) => `Build is running: ${(step + 1) * 15} % done.` },
  },
  {
    name: "errors differ, and so does what it does about them",
    options: { limit: 4, outcome: (query, step) => `Error: ${query} has no ${news[step]} table` },
  },
  { name: "each request is sent twice", options: { sends: 2 } },
  { name: "its client names the session", options: { fields: { "x-unloop-session": "a-run" } } },
];

/** Runs that lead nowhere: at which request at the latest something is done. */
const caught: readonly (Row & { readonly by: number })[] = [
  { name: "the same call brings the same", by: 4 },
  { name: "it is streamed", by: 4, options: { stream: true } },
  { name: "the same call fails each time", by: 4, options: { outcome: () => "Error: no such page" } },
  { name: "the same call brings nothing", by: 5, options: { outcome: () => "" } },
  { name: "two calls take turns", by: 8, script: (agent) => cycling(agent, "the first", "another") },
  { name: "three calls take turns", by: 11, script: (agent) => cycling(agent, "the first", "another", "a third") },
  {
    name: "times in the results change",
    by: 4,
    options: { outcome: (q, step) => `${outcomeOf(q)} (at 12:00:0${step})` },
  },
  { name: "its client names the session", by: 4, options: { fields: { "x-unloop-session": "a-loop" } } },
  { name: "the task is in another language", by: 4, options: { task: "ローマの天気を調べてください。" } },
];

/** What an agent of a dialect is read as. */
export function dialectReading(agent: DialectAgent): void {
  const late = agent.nudgedAt - 3;
  const steps = (count: number, query: (index: number) => string): readonly TakenStep[] =>
    Array.from({ length: count }, (_, index) => {
      const answer = agent.call(query(index));
      return {
        said: "text" in answer ? (answer.text ?? "") : "",
        query: query(index),
        outcome: outcomeOf(query(index)),
      };
    });

  it.each(leftAlone)("is left alone where $name", async ({ script = healthy, options = {} }) => {
    const rig = await guardRig(script(agent), { policy });
    const { verdicts, answer } = await runDialect(rig, agent, options);
    expect(verdicts).toEqual(oks(verdicts.length));
    expect(verdicts.length).toBeGreaterThan(3);
    if (options.limit === undefined && options.sends === undefined) expect(answer).toBe(ANSWER);
    expect(rig.upstream.requests.every(({ bytes }) => !String(bytes).includes("[unloop]"))).toBe(true);
  });

  it.each(caught)("is caught where $name", async ({ script = (one) => looping(one, false), by, options = {} }) => {
    const rig = await guardRig(script(agent), { policy });
    const { verdicts } = await runDialect(rig, agent, options);
    expect(verdicts.slice(0, by + late)).toContain("nudge");
    expect(verdicts.slice(0, 2)).toEqual(["ok", "ok"]);
  });

  it("has its steps counted", async () => {
    const { steps: counted } = await runDialect(await guardRig(healthy(agent), { policy }), agent);
    expect(counted).toEqual(Array.from({ length: 9 }, (_, index) => String(index)));
  });

  it("is read whole where its history is long, and nothing is known of it", async () => {
    const past = steps(60, (index) => `item ${index} of ${news[index % 9]}`);
    const rig = await guardRig(healthy(agent, 2), { policy });
    const run = await runDialect(rig, agent, { past });
    expect(run.verdicts).toEqual(["ok", "ok", "ok"]);
    expect(run.steps).toEqual(["60", "61", "62"]);
  });

  it.runIf(agent.isUntold !== true)("is caught at the first request that tells a loop", async () => {
    const past = [...steps(20, (index) => `item ${index} of ${news[index % 9]}`), ...steps(4, () => "the same")];
    const rig = await guardRig(looping(agent, false), { policy });
    expect((await runDialect(rig, agent, { past, limit: 1 })).verdicts).not.toEqual(["ok"]);
  });

  it.runIf(agent.isPrompt !== true)("does not take examples in front of its task for steps", async () => {
    const [shown] = steps(1, () => "the same");
    const opening = { role: "user", content: "Example: what is the weather?" };
    const example = agent
      .messages("Example: what is the weather?", [shown ?? expect.fail()])
      .filter(({ role }) => role !== "system")
      .map((message, index) => (index === 0 ? opening : message));
    const edit: DialectRunOptions["edit"] = (told) =>
      told.flatMap((message, index) => (index === 1 ? [...example, message] : [message]));
    const run = await runDialect(await guardRig(healthy(agent), { policy }), agent, { edit });
    expect(run.verdicts).toEqual(oks(9));
    expect(run.steps[0]).toBe("0");
  });

  it.runIf(agent.request === undefined).each([messagesWire, responsesWire])(
    "is the same through $name",
    async (wire) => {
      const well = await runDialect(await guardRig(healthy(agent), { policy }, wire), agent, { wire });
      expect(well).toMatchObject({ verdicts: oks(9), answer: ANSWER });
      const ill = await runDialect(await guardRig(looping(agent, false), { policy }, wire), agent, { wire });
      expect(ill.verdicts.indexOf("nudge")).toBe(agent.nudgedAt - 1);
      expect(ill.answer).toMatch(/^This run was stopped/);
    },
  );
}

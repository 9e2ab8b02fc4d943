import { describe, expect, it } from "vitest";
import { type GuardRig, guardRig, post, standard } from "../proxy/guard-rig.ts";
import type { ScriptedAnswer } from "../support/scripted-answer.ts";
import type { Script } from "../support/upstream.ts";

/** A step that an agent has taken: what its model said, as the agent understood it, and what came back. */
export interface TakenStep {
  readonly said: string;
  readonly query: string;
  readonly outcome: string;
}

/** What an agent makes of an answer: a call, its run's end, or neither. */
export type Understood = { readonly query: string } | { readonly answer: string } | undefined;

/** An agent of one dialect: how it tells its history, how its model speaks, and what it takes for an end. */
export interface DialectAgent {
  readonly name: string;
  /** Members of the request beside its messages. */
  readonly request?: object;
  messages(task: string, steps: readonly TakenStep[]): readonly object[];
  call(query: string): ScriptedAnswer;
  final(text: string): ScriptedAnswer;
  understand(message: ChatMessage): Understood;
  /** At which request a loop is nudged, from 1. */
  readonly nudgedAt: number;
}

export interface ChatMessage {
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
}

interface Run {
  readonly verdicts: readonly (string | null)[];
  readonly steps: readonly (string | null)[];
  /** Undefined where the agent found no end. */
  readonly answer: string | undefined;
  /** The request that would come next. */
  readonly next: string;
}

const ANSWER = "It rains in Rome.";
const outcomeOf = (query: string) => `Page of ${query}: rain in the morning, sun after noon.`;

async function run(
  { url }: GuardRig,
  agent: DialectAgent,
  { limit = 12, task = "What is the weather?", outcome = outcomeOf as (query: string, step: number) => string } = {},
): Promise<Run> {
  const steps: TakenStep[] = [];
  const told: { verdict: string | null; steps: string | null }[] = [];
  const body = () => JSON.stringify({ model: "m", ...agent.request, messages: agent.messages(task, steps) });
  let answer: string | undefined;
  while (answer === undefined && told.length < limit) {
    const { text, headers } = await post(url, body());
    told.push({ verdict: headers.get("x-unloop-verdict"), steps: headers.get("x-unloop-steps") });
    const message: ChatMessage = JSON.parse(text).choices[0].message;
    const understood = agent.understand(message);
    if (understood !== undefined && "answer" in understood) answer = understood.answer;
    const query = understood !== undefined && "query" in understood ? understood.query : "";
    steps.push({ said: message.content ?? "", query, outcome: outcome(query, steps.length) });
  }
  return { verdicts: told.map(({ verdict }) => verdict), steps: told.map((one) => one.steps), answer, next: body() };
}

/** Different calls, then the end; told apart by how many requests there were. */
const healthy =
  (agent: DialectAgent): Script =>
  (_, index) =>
    index < 8 ? agent.call(`item ${"abcdefgh"[index]}`) : agent.final(ANSWER);

const looping =
  (agent: DialectAgent, heeds: boolean): Script =>
  ({ bytes }) =>
    heeds && String(bytes).includes("[unloop]") ? agent.final(ANSWER) : agent.call("the same");

/** What every dialect has to do, told once. */
export function describeDialect(agent: DialectAgent): void {
  describe(`an agent that speaks ${agent.name}`, () => {
    it("passes byte for byte while it is healthy", async () => {
      const rig = await guardRig(healthy(agent), { policy: standard() });
      const { verdicts, answer } = await run(rig, agent);
      expect(verdicts).toEqual(Array(9).fill("ok"));
      expect(answer).toBe(ANSWER);
      expect(rig.upstream.requests.every(({ bytes }) => !String(bytes).includes("[unloop]"))).toBe(true);
    });

    it("has its steps counted", async () => {
      const { steps } = await run(await guardRig(healthy(agent), { policy: standard() }), agent);
      expect(steps).toEqual(Array.from({ length: 9 }, (_, index) => String(index)));
    });

    it("finds its way out of a loop by one note", async () => {
      const { verdicts, answer } = await run(await guardRig(looping(agent, true), { policy: standard() }), agent);
      expect(verdicts.slice(0, agent.nudgedAt)).toEqual([...Array(agent.nudgedAt - 1).fill("ok"), "nudge"]);
      expect(answer).toBe(ANSWER);
    });

    it("accepts the end of a loop in which it heeds nothing", async () => {
      const rig = await guardRig(looping(agent, false), { policy: standard() });
      const { verdicts, answer } = await run(rig, agent);
      expect(verdicts.at(-1)).toBe("short-circuit");
      expect(verdicts.length).toBeLessThanOrEqual(8);
      expect(answer).toMatch(/^This run was stopped because it was going in circles\./);
      expect(answer).not.toContain("Page of");
    });

    it("is left alone where the same call brings something new each time", async () => {
      const rig = await guardRig(looping(agent, false), { policy: standard() });
      const news = ["rain", "sun", "snow", "hail", "fog", "storm", "frost", "heat", "wind"];
      const outcome = (_: string, step: number) => `The forecast has changed: ${news[step] ?? "calm"} from now on.`;
      const { verdicts } = await run(rig, agent, { limit: 8, outcome });
      expect(verdicts).toEqual(Array(8).fill("ok"));
    });

    it("is judged as a run of its own when the same task is begun again", async () => {
      let first = true;
      const rig = await guardRig(
        (request, index) => (first ? looping(agent, false)(request, index) : healthy(agent)(request, index - before)),
        { policy: standard() },
      );
      let before = 0;
      await run(rig, agent);
      first = false;
      before = rig.upstream.requests.length;
      expect((await run(rig, agent)).verdicts).toEqual(Array(9).fill("ok"));
    });

    it("is only watched in observe mode", async () => {
      const rig = await guardRig(looping(agent, false), { policy: standard(), mode: "observe" });
      const { verdicts } = await run(rig, agent, { limit: 8 });
      expect(verdicts.filter((verdict) => verdict?.startsWith("observe:")).length).toBeGreaterThan(0);
      expect(rig.upstream.requests.every(({ bytes }) => !String(bytes).includes("[unloop]"))).toBe(true);
    });
  });
}

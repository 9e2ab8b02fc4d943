import { describe, expect, it } from "vitest";
import { policyFrom, type UnloopOptions } from "../../src/index.ts";
import { protocolFor } from "../../src/protocols/protocols.ts";
import { noMeter } from "../../src/proxy/proxy.ts";
import { chatRig, completion } from "../proxy/chat-rig.ts";
import { called, type Message, repeated, user } from "../support/builders/chat-history.ts";
import { storesVia } from "../support/builders/stores.ts";
import type { Asked, RigOptions } from "../support/builders/in-process.ts";

const TASK = user("Put the weekly review on my calendar, Friday at three.");
const call = (i: number, ...told: [tool: string, args: object, text: string]) => called(`c${i}`, ...told);
const REVIEW = { title: "Weekly review", day: "Friday", hour: 15 };
/** Made and taken away again, each time under another id. Only the rule about laps takes this for a loop; here it is off. */
const thrash = (i: number) =>
  i % 2 === 0
    ? call(i, "create_event", REVIEW, `Created event evt_${4711 + 37 * i} on Friday at 15:00.`)
    : call(i, "delete_event", { id: `evt_${4711 + 37 * (i - 1)}` }, `Deleted event evt_${4711 + 37 * (i - 1)}.`);

const says = (looping: boolean) => completion({ role: "assistant", content: `{"looping": ${looping}}` });

interface Run {
  readonly step: (i: number) => readonly Message[];
  readonly steps: number;
  readonly terms?: object;
  /** The rule about laps takes part. */
  readonly laps?: boolean;
  readonly judge?: (question: number) => Response;
  readonly options?: Partial<UnloopOptions>;
}

const judging = (policy: object, more: RigOptions): RigOptions => ({
  policy: policyFrom({ extends: "default", intercept: "off", ...policy }),
  judge: { upstream: "https://judge.example", model: "small" },
  ...more,
});

async function play({ step, steps, terms = {}, laps = false, judge = () => says(true), options = {} }: Run) {
  const questions: { readonly at: number; readonly asked: Asked }[] = [];
  const outcomes: string[] = [];
  let at = 0;
  const { ask } = chatRig(
    (asked) => {
      if (!asked.body.includes("goes in circles")) return completion({ role: "assistant", content: "Hello." });
      questions.push({ at, asked });
      return judge(questions.length - 1);
    },
    judging(
      { ...(!laps && { ladders: { "call-cycle": "off" } }), judge: { asks: "doubt", ...terms } },
      { meter: { ...noMeter, judged: (outcome) => void outcomes.push(outcome) }, ...options },
    ),
  );
  const verdicts: string[] = [];
  for (at = 1; at <= steps; at++) {
    const named = { "x-unloop-session": "one", authorization: "Bearer run-key" };
    const { headers } = await ask([TASK, ...repeated(at, step)], { model: "large" }, named);
    verdicts.push(headers.get("x-unloop-verdict") ?? "");
  }
  return { verdicts, questions, outcomes };
}

describe("a judge that is asked where rules are in doubt", () => {
  it("sees acts that undo each other, and the run is nudged at once if it confirms", async () => {
    const { verdicts, questions } = await play({ step: thrash, steps: 8 });
    const [first] = questions;
    expect(verdicts.filter((verdict) => verdict !== "ok")).toEqual(["nudge"]);
    expect(verdicts.indexOf("nudge")).toBe(first?.at);
    expect(first?.asked.body).toContain("delete_event");
  });

  it("forces the run to its end when it has confirmed twice", async () => {
    const { verdicts, questions } = await play({ step: thrash, steps: 24 });
    expect(questions).toHaveLength(2);
    expect(verdicts.filter((verdict) => verdict !== "ok").slice(0, 2)).toEqual(["nudge", "force-done"]);
  });

  it("is asked at most once in eight steps, and within its budget", async () => {
    const { questions, verdicts } = await play({ step: thrash, steps: 40, judge: () => says(false) });
    expect(questions).toHaveLength(4);
    const gaps = questions.slice(1).map(({ at }, i) => at - (questions[i]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(8);
    expect(new Set(verdicts)).toEqual(new Set(["ok"]));
  });
});

it("what a judge is asked has no schema once its endpoint has refused one, and each question counts for the session", async () => {
  const counted: unknown[] = [];
  const stores = storesVia((own, command, [, totals]) => {
    if (command === "counters.add") counted.push(totals);
    return own();
  });
  const { questions, outcomes } = await play({
    ...{ step: thrash, steps: 20 },
    judge: (question) => (question === 0 ? Response.json({}, { status: 400 }) : says(false)),
    options: { stores },
  });
  const forms = questions.map(({ asked }) => JSON.parse(asked.body).response_format?.type);
  expect(forms).toEqual(["json_schema", undefined]);
  expect(outcomes).toEqual(["refused", "cleared"]);
  expect(counted).toEqual(Array(2).fill({ judgeCalls: 1, judgeTokens: expect.any(Number) }));
});

it("sixteen sessions at once are all judged, and a thread whose question is under way is asked about at its next step", async () => {
  const outcomes: string[] = [];
  const held: (() => void)[] = [];
  const { ask } = chatRig(
    async ({ body }) => {
      if (!body.includes("goes in circles")) return completion({ role: "assistant", content: "Hello." });
      await new Promise<void>((resolve) => held.push(resolve));
      return says(false);
    },
    judging(
      { ladders: { "repeated-call": { nudge: 5 } }, judge: { asks: "doubt", every: 1 } },
      { meter: { ...noMeter, judged: (outcome) => void outcomes.push(outcome) } },
    ),
  );
  const send = (session: number, steps: number) => {
    const read = repeated(steps, (i) => call(i, "read", { path: "a" }, "The page about the harbour."));
    return ask([TASK, ...read], { model: "large" }, { "x-unloop-session": `session ${session}` });
  };
  const sessions = Array.from({ length: 16 }, (_, i) => i);
  await Promise.all(sessions.map((session) => send(session, 3)));
  await expect.poll(() => held.length).toBe(16);
  await send(0, 4);
  await expect.poll(() => outcomes).toEqual(["skipped"]);
  for (const answer of held.splice(0)) answer();
  await expect.poll(() => outcomes).toEqual(["skipped", ...Array(16).fill("cleared")]);
});

describe("a judge at the run's own upstream", () => {
  it("is asked there with the run's own key, for the model that the operator names, and needs no other judge", async () => {
    const { verdicts, questions } = await play({
      ...{ step: thrash, steps: 8, terms: { model: "cheap" } },
      options: { judge: undefined },
    });
    const [first] = questions;
    expect(first?.asked.headers.get("authorization")).toBe("Bearer run-key");
    expect(JSON.parse(first?.asked.body ?? "{}")).toMatchObject({ model: "cheap" });
    expect([...(first?.asked.headers.keys() ?? [])].filter((name) => name.startsWith("x-unloop"))).toEqual([]);
    expect(verdicts).toContain("nudge");
  });

  const [google, vertex] = ["/v1beta/models/", "/v1/projects/p/locations/l/publishers/anthropic/models/"];
  it.each([
    { path: "/v1/responses", body: { input: "text", model: "cheap/one" } },
    {
      path: `${google}large:streamGenerateContent`,
      target: `${google}cheap%2Fone:streamGenerateContent`,
      body: { contents: [{ parts: [{ text: "text" }] }] },
    },
    {
      path: `${vertex}large@1:rawPredict`,
      target: `${vertex}cheap%2Fone:rawPredict`,
      body: { messages: [{ content: "text" }], anthropic_version: expect.any(String) },
    },
  ])("is asked in the run's own wire format: $path", ({ path, target = path, body }) => {
    const question = { model: "cheap/one", system: "system", text: "text", answer: undefined };
    const asked = protocolFor("POST", path)?.question(question, path);
    expect(asked?.target).toBe(target);
    expect(JSON.parse(asked?.body ?? "{}")).toMatchObject(body);
  });
});

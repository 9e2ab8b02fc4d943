import { describe, expect, it } from "vitest";
import { policyFrom, type UnloopOptions } from "../../src/index.ts";
import { type Asked, inProcess } from "../support/builders/in-process.ts";

const TASK = { role: "user", content: "Put the weekly review on my calendar, Friday at three." };
const call = (i: number, tool: string, args: object, text: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${i}`, type: "function", function: { name: tool, arguments: JSON.stringify(args) } }],
  },
  { role: "tool", tool_call_id: `c${i}`, content: text },
];
const REVIEW = { title: "Weekly review", day: "Friday", hour: 15 };
/** Made and taken away again, each time under another id. Only the rule about laps takes this for a loop; here it is off. */
const thrash = (i: number) =>
  i % 2 === 0
    ? call(i, "create_event", REVIEW, `Created event evt_${4711 + 37 * i} on Friday at 15:00.`)
    : call(i, "delete_event", { id: `evt_${4711 + 37 * (i - 1)}` }, `Deleted event evt_${4711 + 37 * (i - 1)}.`);
const LINES = [
  "Could you confirm the table for four on Friday evening, please?",
  "Before I book it: could you confirm the table for four on Friday?",
  "Please confirm, so that I can book the table for four on Friday evening.",
  "To book it I need you to confirm the table for four, Friday evening.",
  "Could you please confirm the table, for four, on Friday evening?",
];
const talk = (i: number) => [
  { role: "assistant", content: LINES[i % LINES.length] },
  { role: "user", content: ["Yes.", "I confirm.", "Yes, yes!", "Confirmed.", "Yes please."][i % 5] },
];

const completion = (message: object) => Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
const says = (looping: boolean) => completion({ role: "assistant", content: `{"looping": ${looping}}` });

interface Run {
  readonly step: (i: number) => readonly object[];
  readonly steps: number;
  readonly terms?: object;
  /** The rule about laps takes part. */
  readonly laps?: boolean;
  readonly judge?: (question: number) => Response;
  readonly options?: Partial<UnloopOptions>;
}

/** Plays a run request by request; a judge's answer is there before the next one. */
async function play({ step, steps, terms = {}, laps = false, judge = () => says(true), options = {} }: Run) {
  const questions: { readonly at: number; readonly asked: Asked }[] = [];
  let at = 0;
  const { fetch } = inProcess(
    (asked) => {
      if (!asked.body.includes("goes in circles")) return completion({ role: "assistant", content: "Hello." });
      questions.push({ at, asked });
      return judge(questions.length - 1);
    },
    {
      policy: policyFrom({
        ...{ extends: "default", intercept: "off", ...(!laps && { ladders: { "call-cycle": "off" } }) },
        judge: { asks: "doubt", ...terms },
      }),
      judge: { upstream: "https://judge.example", model: "small" },
      ...options,
    },
  );
  const verdicts: string[] = [];
  for (at = 1; at <= steps; at++) {
    const messages = [TASK, ...Array.from({ length: at }, (_, i) => step(i)).flat()];
    const response = await fetch("/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json", "x-unloop-session": "one", authorization: "Bearer run-key" },
      body: JSON.stringify({ model: "large", messages }),
    });
    await response.text();
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    verdicts.push(response.headers.get("x-unloop-verdict") ?? "");
  }
  return { verdicts, questions };
}

describe("a judge that is asked where rules are in doubt", () => {
  it("sees acts that undo each other, and the run is nudged at once if it confirms", async () => {
    const { verdicts, questions } = await play({ step: thrash, steps: 8 });
    const [first] = questions;
    expect(verdicts.filter((verdict) => verdict !== "ok")).toEqual(["nudge"]);
    expect(verdicts.indexOf("nudge")).toBe(first?.at);
    expect(first?.asked.body).toContain("delete_event");
  });

  it("sees the same question in other words, which no rule does", async () => {
    const { verdicts, questions } = await play({ step: talk, steps: 6 });
    expect(questions).toHaveLength(1);
    expect(verdicts.indexOf("nudge")).toBe(questions[0]?.at);
    expect((await play({ step: talk, steps: 6, options: { judge: undefined } })).verdicts).not.toContain("nudge");
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

  it("gives what it clears some steps more, and then the rules speak as if for the first time", async () => {
    const run = { step: thrash, steps: 12, laps: true };
    const rules = await play({ ...run, options: { judge: undefined } });
    const { verdicts } = await play({ ...run, judge: () => says(false) });
    const first = (all: readonly string[]) => all.findIndex((verdict) => verdict !== "ok");
    expect([rules.verdicts[first(rules.verdicts)], verdicts[first(verdicts)]]).toEqual(["nudge", "nudge"]);
    expect(first(verdicts)).toBeGreaterThan(first(rules.verdicts));
  });

  it("is not asked about a run that tells something new with each step", async () => {
    const step = (i: number) =>
      call(i, "read_file", { path: `${i}.md` }, `Chapter ${i}: ${LINES[i % 5]} ${"abcdefgh"[i]}`);
    expect((await play({ step, steps: 8 })).questions).toEqual([]);
  });
});

/** What a question may be in one of the formats. */
interface Body {
  readonly messages?: { readonly content?: unknown }[];
  readonly input?: unknown;
  readonly contents?: { readonly parts?: { readonly text?: unknown }[] }[];
  readonly anthropic_version?: string;
  readonly stream?: boolean;
}

describe("a judge at the run's own upstream", () => {
  const terms = { model: "cheap" };

  it("is asked there with the run's own key, for the model that the operator names, and needs no other judge", async () => {
    const { verdicts, questions } = await play({
      ...{ step: thrash, steps: 8, terms },
      options: { judge: undefined },
    });
    const [first] = questions;
    expect(first?.asked.headers.get("authorization")).toBe("Bearer run-key");
    expect(JSON.parse(first?.asked.body ?? "{}")).toMatchObject({ model: "cheap" });
    expect([...(first?.asked.headers.keys() ?? [])].filter((name) => name.startsWith("x-unloop"))).toEqual([]);
    expect(verdicts).toContain("nudge");
  });

  it.each([
    {
      path: "/v1/messages",
      text: (body: Body) => body.messages?.[0]?.content,
      answer: { type: "message", role: "assistant", content: [{ type: "text", text: '{"looping": true}' }], usage: {} },
    },
    {
      path: "/v1/responses",
      text: (body: Body) => body.input,
      answer: {
        ...{ object: "response", id: "r", status: "completed" },
        output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: '{"looping": true}' }] }],
      },
    },
    ...["generateContent", "streamGenerateContent?alt=sse&key=k"].map((verb) => ({
      path: `/v1beta/models/large:${verb}`,
      asks: `/v1beta/models/cheap%2Fone:${verb}`,
      text: (body: Body) => body.contents?.[0]?.parts?.[0]?.text,
      answer: {
        candidates: [{ content: { role: "model", parts: [{ text: '{"looping": true}' }] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3 },
      },
    })),
    {
      path: "/v1/projects/p/locations/l/publishers/anthropic/models/large@1:rawPredict",
      asks: "/v1/projects/p/locations/l/publishers/anthropic/models/cheap%2Fone:rawPredict",
      text: (body: Body) =>
        "model" in body || body.anthropic_version === undefined ? "refused" : body.messages?.[0]?.content,
      answer: { type: "message", role: "assistant", content: [{ type: "text", text: '{"looping": true}' }], usage: {} },
    },
    {
      path: "/api/chat",
      text: (body: Body) => (body.stream === false ? body.messages?.[1]?.content : "streamed"),
      answer: { model: "cheap", message: { role: "assistant", content: '{"looping": true}' }, done: true },
    },
  ])("is asked in the run's own wire format: $path", async ({ path, asks = path, text, answer }) => {
    const questions: string[] = [];
    const targets: string[] = [];
    const outcomes: string[] = [];
    const nothing = () => undefined;
    const { fetch } = inProcess(
      ({ body, target }) => {
        if (body.includes("goes in circles")) {
          questions.push(body);
          targets.push(target);
        }
        return Response.json(answer);
      },
      {
        policy: policyFrom({
          extends: "default",
          intercept: "off",
          judge: { asks: "doubt", model: "cheap/one" },
        }),
        meter: {
          ...{ exchange: nothing, intervention: nothing, spent: nothing, failed: nothing, storeFailed: nothing },
          judged: (outcome) => void outcomes.push(outcome),
        },
      },
    );
    const turns = Array.from({ length: 4 }, (_, i) => i);
    const messages = turns.flatMap((i) => [
      { role: "assistant", content: LINES[i] },
      { role: "user", content: "Yes." },
    ]);
    const history = [TASK, ...messages];
    const contents = history.map(({ role, content }) => ({
      role: role === "user" ? "user" : "model",
      parts: [{ text: content }],
    }));
    await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "run-key" },
      body: JSON.stringify({
        model: "large",
        max_tokens: 9,
        messages: history,
        input: history,
        contents,
        stream: false,
      }),
    }).then((response) => response.text());
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(targets).toEqual([asks]);
    expect(String(text(JSON.parse(questions[0] ?? "{}")))).toContain("Could you confirm the table");
    expect(outcomes).toEqual(["confirmed"]);
  });
});

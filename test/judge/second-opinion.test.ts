import { describe, expect, it, vi } from "vitest";
import { policyFrom, unloop, webTransport } from "../../src/index.ts";

const turn = (i: number, tool: string, args: string, text: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${i}`, type: "function", function: { name: tool, arguments: args } }],
  },
  { role: "tool", tool_call_id: `c${i}`, content: text },
];
const SECRET = "sk-ant-0123456789abcdefghijklmnopqrstuvwxyz";
const TEXT = `The same page about the harbour, its cranes and its opening hours. ${SECRET}`;
const history = (count: number, tool = "read") => [
  { role: "user", content: "Find out when the harbour opens." },
  ...Array.from({ length: count }, (_, i) => turn(i, tool, '{"path":"harbour.md"}', TEXT)).flat(),
];
const completion = (content: string) =>
  Response.json({ choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] });

type Judge = (question: string) => Promise<Response> | Response;

function guarded(judge: Judge | undefined, judged: object | "none" = {}) {
  const questions: string[] = [];
  const outcomes: string[] = [];
  const waited: Promise<unknown>[] = [];
  const nothing = () => undefined;
  const meter = {
    ...{ exchange: nothing, intervention: nothing, spent: nothing, failed: nothing, storeFailed: nothing },
    judged: (outcome: string) => void outcomes.push(outcome),
  };
  const transport = webTransport({
    fetch: async (url, { body, signal } = {}) => {
      if (!String(url).startsWith("https://judge.example")) return completion("Hello.");
      const question = await new Response(body).text();
      questions.push(question);
      const gone = new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      return Promise.race([judge?.(question) ?? completion(""), gone]);
    },
  });
  const policy = policyFrom({ extends: "default", ...(judged !== "none" && { judge: { asks: "near", ...judged } }) });
  const app = unloop({
    ...{ upstream: "https://api.example", policy, transport, meter },
    ...(judge === undefined ? {} : { judge: { upstream: "https://judge.example", model: "small" } }),
  });
  const context = {
    ...{ waitUntil: (promise: Promise<unknown>) => void waited.push(promise), passThroughOnException: nothing },
    props: {},
  };
  return {
    questions,
    outcomes,
    settled: () => Promise.all(waited),
    /** What became of a request; all that goes on beside it is over, if it is waited for. */
    async verdict(messages: readonly object[], waits = true): Promise<string> {
      const body = JSON.stringify({ model: "m", messages });
      const headers = { "content-type": "application/json", "x-unloop-session": "one" };
      const url = "https://guard.example/v1/chat/completions";
      const response = await app.fetch(new Request(url, { method: "POST", headers, body }), {}, context);
      await response.text();
      if (waits) await Promise.all(waited);
      return response.headers.get("x-unloop-verdict") ?? "";
    },
  };
}

async function verdicts(guard: ReturnType<typeof guarded>, counts: readonly number[], tool?: string) {
  const all: string[] = [];
  for (const count of counts) all.push(await guard.verdict(history(count, tool)));
  return all;
}

const says = (looping: boolean) => () => completion(`Well: {"reasons": "so it seems", "looping": ${looping}}`);

describe("a second opinion", () => {
  it("is asked once where a nudge is near, and shown the newest steps without keys", async () => {
    const guard = guarded(says(true));
    await verdicts(guard, [1, 2, 3]);
    expect(guard.questions).toHaveLength(1);
    expect(guard.questions[0]).toContain("The same page about the harbour");
    expect(guard.questions[0]).not.toContain(SECRET);
    expect(guard.outcomes).toEqual(["confirmed"]);
  });

  it("leaves a nudge out that it clears, and no harder rung", async () => {
    const guard = guarded(says(false));
    expect(await verdicts(guard, [1, 2, 3, 4, 5])).toEqual(["ok", "ok", "ok", "ok", "force-done"]);
    expect(guard.outcomes).toEqual(["cleared"]);
  });

  it("lets a nudge be said sooner that it confirms, and nothing harder", async () => {
    const sooner = guarded(says(true));
    const failing = (count: number) => [
      { role: "user", content: "Check the hosts." },
      ...Array.from({ length: count }, (_, i) =>
        turn(
          i,
          "probe",
          JSON.stringify({ host: `host ${"abcdefgh"[i]} of the harbour net` }),
          "Nothing was heard from any of the cranes or gates there.",
        ),
      ).flat(),
    ];
    expect(await sooner.verdict(failing(3))).toBe("ok");
    expect(await sooner.verdict(failing(4))).toBe("nudge");
    expect(await guarded(undefined, "none").verdict(failing(4))).toBe("ok");
  });

  it("is not asked without a policy that wants it, nor without a judge, nor beyond its budget", async () => {
    const unwanted = guarded(says(false), "none");
    expect(await verdicts(unwanted, [2, 3])).toEqual(["ok", "nudge"]);
    expect(unwanted.questions).toEqual([]);
    expect(await verdicts(guarded(undefined), [2, 3])).toEqual(["ok", "nudge"]);
    const poor = guarded(() => completion("no idea"), { maxCalls: 1 });
    await verdicts(poor, [2, 2]);
    expect(poor.questions).toHaveLength(1);
  });

  it("is waited for by nobody, but for a platform that would end it with its exchange", async () => {
    let speak: (answer: Response) => void = () => undefined;
    const guard = guarded(() => new Promise((resolve) => (speak = resolve)));
    expect(await guard.verdict(history(2), false)).toBe("ok");
    await vi.waitFor(() => expect(guard.questions).toHaveLength(1));
    expect(guard.outcomes).toEqual([]);
    speak(completion('{"looping": true}'));
    await guard.settled();
    expect(guard.outcomes).toEqual(["confirmed"]);
  });
});

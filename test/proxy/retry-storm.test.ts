import { describe, expect, it, vi } from "vitest";
import { memoryStores } from "../../src/index.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { finalText } from "../support/agents/scripts.ts";
import { type Given, guardRig, post, verdictOf } from "./guard-rig.ts";

const call = { id: "call_7e3f91ab5c2d8f04_1", type: "function", function: { name: "search", arguments: '{"q":"x"}' } };
const history = [
  { role: "user", content: "What is the weather?" },
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "call_7e3f91ab5c2d8f04_1", content: "Results: rain." },
];
const body = (extra: object = {}) => JSON.stringify({ model: "gpt-4o", messages: history, ...extra });

const fails: ScriptedAnswer = { kind: "error", status: 503, message: "overloaded" };
const failure: ScriptedAnswer = {
  kind: "raw",
  status: 200,
  fields: { "content-type": "application/json" },
  pieces: ['{"error":{"code":503,"message":"overloaded"}}'],
  ending: "end",
};
const answers: ScriptedAnswer = { kind: "text", text: finalText };

/** The same request so often, one after the other. */
async function again(url: string, count: number, sent = body(), headers: Record<string, string> = {}) {
  const given: Given[] = [];
  for (let i = 0; i < count; i++) given.push(await post(url, sent, headers));
  return given;
}

it("a storm is one, at whatever guard its requests arrive", async () => {
  const shared = { stores: memoryStores(), secret: "a secret of both guards" };
  const [here, there] = [await guardRig(() => answers, shared), await guardRig(() => answers, shared)];
  const given: Given[] = [];
  for (const { url } of [here, there, here, there, here, there]) given.push(await post(url, body()));
  expect(verdictOf(given[5]?.headers ?? new Headers())).toMatchObject({
    "x-unloop-verdict": "short-circuit",
    "x-unloop-detector": "retry-storm",
    "x-unloop-count": "6",
  });
  expect(given[5]?.text).toContain("This run was stopped");
});

it("a storm stays ended as long as it goes on, and is over when it has paused for a minute", async () => {
  let now = 1_000_000_000;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now);
  try {
    const rig = await guardRig(() => answers);
    const verdicts: (string | null)[] = [];
    for (const pause of [...Array(15).fill(9_000), 61_000]) {
      verdicts.push((await post(rig.url, body())).headers.get("x-unloop-verdict"));
      now += pause;
    }
    verdicts.push((await post(rig.url, body())).headers.get("x-unloop-verdict"));
    expect(verdicts).toEqual([...Array(5).fill("ok"), ...Array(11).fill("short-circuit"), "ok"]);
  } finally {
    clock.mockRestore();
  }
});

describe("no storm is", () => {
  it.each([
    { name: "an API that fails, at whatever guard", answer: () => fails },
    { name: "an answer that says nothing", answer: (): ScriptedAnswer => ({ kind: "text", text: " " }) },
    { name: "a failure in the form of an answer", answer: () => failure },
  ])("$name", async ({ answer }) => {
    const shared = { stores: memoryStores(), secret: "a secret of both guards" };
    const [here, there] = [await guardRig(answer, shared), await guardRig(answer, shared)];
    for (const { url } of [here, here, there, there, here, here, there]) await post(url, body());
    expect(here.upstream.requests.length + there.upstream.requests.length).toBe(7);
  });

  it("many samples that are drawn at once, however few at a time", async () => {
    const rig = await guardRig(() => answers);
    const drawing = Array.from({ length: 5 }, () => again(rig.url, 12));
    const verdicts = (await Promise.all(drawing)).flat().map(({ headers }) => headers.get("x-unloop-verdict"));
    expect(new Set(verdicts)).toEqual(new Set(["ok"]));
  });
});

it("a storm that has passed holds nobody up: the run goes on with its next step", async () => {
  const rig = await guardRig(() => answers);
  const stormed = await again(rig.url, 6);
  const content = JSON.parse(stormed[5]?.text ?? "").choices[0].message.content;
  const next = [...history, { role: "assistant", content }, { role: "user", content: "Try the other city, then." }];
  expect((await post(rig.url, body({ messages: next }))).headers.get("x-unloop-verdict")).toBe("ok");
});

import { describe, expect, it, vi } from "vitest";
import { memoryStores, policyFrom } from "../../src/index.ts";
import type { ScriptedAnswer } from "../support/wires/scripted-answer.ts";
import { finalText } from "../support/agents/scripts.ts";
import { agent, verdictsOf } from "./agent.ts";
import { type Given, guardRig, post, verdictOf } from "./guard-rig.ts";

const call = { id: "call_7e3f91ab5c2d8f04_1", type: "function", function: { name: "search", arguments: '{"q":"x"}' } };
const history = [
  { role: "user", content: "What is the weather?" },
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "call_7e3f91ab5c2d8f04_1", content: "Results: rain." },
];
const body = (extra: object = {}) => JSON.stringify({ model: "gpt-4o", messages: history, ...extra });

const fails: ScriptedAnswer = { kind: "error", status: 503, message: "overloaded" };
const answers: ScriptedAnswer = { kind: "text", text: finalText };

/** The same request so often, one after the other. */
async function again(url: string, count: number, sent = body(), headers: Record<string, string> = {}) {
  const given: Given[] = [];
  for (let i = 0; i < count; i++) given.push(await post(url, sent, headers));
  return given;
}

const statusesOf = (given: readonly Given[]) => given.map(({ status }) => status);

describe.each([{ extra: {} }, { extra: { stream: true } }])("a request sent again and again, $extra,", ({ extra }) => {
  it("is answered here from the sixth time on, while the upstream fails", async () => {
    const rig = await guardRig(() => fails);
    const given = await again(rig.url, 8, body(extra));
    expect(statusesOf(given)).toEqual([503, 503, 503, 503, 503, 200, 200, 200]);
    expect(rig.upstream.requests).toHaveLength(5);
    expect(verdictOf(given[5]?.headers ?? new Headers())).toMatchObject({
      "x-unloop-verdict": "short-circuit",
      "x-unloop-detector": "retry-storm",
      "x-unloop-count": "6",
    });
    expect(given[5]?.text).toContain("This run was stopped");
  });

  it("is the same storm if the upstream answers", async () => {
    const rig = await guardRig(() => answers);
    await again(rig.url, 7, body(extra));
    expect(rig.upstream.requests).toHaveLength(5);
  });

  it("passes when a minute is over", async () => {
    const clock = vi.spyOn(Date, "now").mockReturnValue(1_000_000_000);
    try {
      const rig = await guardRig(() => fails);
      await again(rig.url, 6, body(extra));
      clock.mockReturnValue(1_000_061_000);
      expect(statusesOf(await again(rig.url, 1, body(extra)))).toEqual([503]);
    } finally {
      clock.mockRestore();
    }
  });
});

it("a storm is one, at whatever guard its requests arrive", async () => {
  const shared = { stores: memoryStores(), secret: "a secret of both guards" };
  const [here, there] = [await guardRig(() => fails, shared), await guardRig(() => fails, shared)];
  const given: Given[] = [];
  for (const { url } of [here, there, here, there, here, there]) given.push(await post(url, body()));
  expect(statusesOf(given)).toEqual([503, 503, 503, 503, 503, 200]);
});

it("a storm is in the journal once", async () => {
  const stores = memoryStores();
  const rig = await guardRig(() => fails, { stores });
  await again(rig.url, 9);
  const entries = (await stores.journal.recent(10)).map((entry) => JSON.parse(entry));
  const made = entries.filter(({ type }) => type === "intervention");
  expect(made).toMatchObject([{ detector: "retry-storm", rung: "short-circuit", count: 6 }]);
});

describe("no storm is", () => {
  it("an SDK that retries as it should", async () => {
    const rig = await guardRig(() => fails);
    for (let i = 0; i < 4; i++)
      for (const retry of ["0", "1", "2"])
        expect((await post(rig.url, body(), { "x-stainless-retry-count": retry })).status).toBe(503);
  });

  it("one prompt that is sent a hundred times", async () => {
    const rig = await guardRig(() => answers);
    const prompt = JSON.stringify({ messages: [{ role: "user", content: "Write a limerick." }] });
    expect(new Set(statusesOf(await again(rig.url, 100, prompt)))).toEqual(new Set([200]));
    expect(rig.upstream.requests).toHaveLength(100);
  });

  it("many samples that are drawn at once, however few at a time", async () => {
    const rig = await guardRig(() => answers);
    const drawing = Array.from({ length: 5 }, () => again(rig.url, 12));
    const verdicts = (await Promise.all(drawing)).flat().map(({ headers }) => headers.get("x-unloop-verdict"));
    expect(new Set(verdicts)).toEqual(new Set(["ok"]));
  });

  it("a run that moves on", async () => {
    const rig = await guardRig((_, index) => ({ kind: "calls", calls: [{ tool: "search", args: `{"q":${index}}` }] }));
    expect(new Set(verdictsOf(await agent(rig).turns(12)))).toEqual(new Set(["ok"]));
  });

  it("what the policy does not call one", async () => {
    const policy = policyFrom({ ladders: { "retry-storm": "off" } });
    const rig = await guardRig(() => fails, { policy });
    expect(new Set(statusesOf(await again(rig.url, 10)))).toEqual(new Set([503]));
  });
});

it("a storm that has passed holds nobody up: the run goes on with its next step", async () => {
  const rig = await guardRig(() => answers);
  const stormed = await again(rig.url, 6);
  const content = JSON.parse(stormed[5]?.text ?? "").choices[0].message.content;
  const next = [...history, { role: "assistant", content }, { role: "user", content: "Try the other city, then." }];
  expect((await post(rig.url, body({ messages: next }))).headers.get("x-unloop-verdict")).toBe("ok");
});

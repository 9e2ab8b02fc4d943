import { generateText, stepCountIs, tool, wrapLanguageModel } from "ai-7";
import { MockLanguageModelV4 } from "ai-7/test";
import { expect, it } from "vitest";
import { z } from "zod";
import { unloop } from "../../src/ai-sdk/ai-sdk.ts";
import { standard } from "../proxy/guard-rig.ts";

const usage = {
  inputTokens: { total: 5, noCache: 5, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 7, text: 7, reasoning: undefined },
};

it("unloop/ai-sdk guards models of the AI SDK 7, too", async () => {
  const upstream = { asked: 0 };
  const calling = async () => {
    upstream.asked += 1;
    const toolCallId = `call_${upstream.asked}_${Math.random()}`;
    const call = { type: "tool-call", toolCallId, toolName: "search", input: '{"q":"x"}' } as const;
    return { content: [call], finishReason: { unified: "tool-calls", raw: "" }, usage, warnings: [] } as const;
  };
  const model = wrapLanguageModel({
    model: new MockLanguageModelV4({ doGenerate: async () => structuredClone(await calling()) as never }),
    middleware: unloop({ policy: { ...standard(), intercept: "off" } }),
  });
  const search = tool({ inputSchema: z.object({ q: z.string() }), execute: () => ({ found: "nothing at all" }) });
  const given = { prompt: "Find x.", stopWhen: stepCountIs(12), tools: { search } };
  const { text, steps } = await generateText({ ...given, model });
  expect([text, upstream.asked]).toEqual([expect.stringContaining("was stopped"), 6]);
  expect(steps.at(-1)?.providerMetadata?.unloop?.verdict).toBe("short-circuit");
});

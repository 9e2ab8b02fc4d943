import { readFileSync } from "node:fs";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { generateText, Output, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AiSdkOptions, unloop } from "../../src/ai-sdk/ai-sdk.ts";
import { climb, requestsOnly } from "../proxy/guard-rig.ts";
import { finalText, looping } from "../support/agents/scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import { upstreamOf } from "../support/servers/of-test.ts";

async function rig(script: Script, options: AiSdkOptions = {}) {
  const upstream = await upstreamOf(script);
  const plain = createOpenAI({ baseURL: `${upstream.url}/v1`, apiKey: "sk-test" }).chat("scripted");
  return { upstream, plain, model: wrapLanguageModel({ model: plain, middleware: unloop(options) }) };
}

const tools = {
  search: tool({ inputSchema: z.object({ q: z.string() }), execute: ({ q }) => `Results for ${q}: rain, then sun.` }),
};
const agentOf = { tools, prompt: "What is the weather in Paris?", stopWhen: stepCountIs(12), maxRetries: 0 };
const question: LanguageModelV3CallOptions = {
  prompt: [{ role: "user", content: [{ type: "text", text: "What is the weather?" }] }],
};

async function partsOf(stream: ReadableStream<LanguageModelV3StreamPart>) {
  const parts: LanguageModelV3StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

function modelSaying(...answers: (readonly LanguageModelV3StreamPart[])[]) {
  let asked = 0;
  return new MockLanguageModelV3({
    doStream: async () => ({ stream: simulateReadableStream({ chunks: [...(answers[asked++] ?? [])] }) }),
  });
}

const usage = {
  inputTokens: { total: 5, noCache: 5, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 7, text: 7, reasoning: undefined },
};
const finish = { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } } as const;

describe("unloop/ai-sdk", () => {
  it("refuses a model of AI SDK 5 in one sentence", async () => {
    const model = Object.assign(modelSaying(), { specificationVersion: "v2" });
    const guard = unloop();
    const asked = () => Promise.reject(new Error("asked"));
    const call = { model, params: question, doGenerate: asked, doStream: asked };
    await expect(guard.wrapGenerate(call)).rejects.toThrow(/for AI SDK 6 or 7, and not for AI SDK 5: update ai/);
    await expect(guard.wrapStream(call)).rejects.toThrow(/not for AI SDK 5/);
  });

  it("passes every part of a healthy stream as it came, those it does not know included", async () => {
    const parts: readonly LanguageModelV3StreamPart[] = JSON.parse(
      readFileSync("test/fixtures/ai-sdk/healthy-stream.json", "utf8"),
    );
    const model = wrapLanguageModel({ model: modelSaying([...parts, finish]), middleware: unloop() });
    const passed = await partsOf((await model.doStream(question)).stream);
    const last = { ...finish, providerMetadata: { unloop: { verdict: "ok", steps: 0, session: expect.any(String) } } };
    expect(passed).toEqual([...parts, last]);
  });

  it("cuts off a stream that repeats itself, and closes the arguments that it had begun", async () => {
    const line = "I will check the file again. ";
    const said: readonly LanguageModelV3StreamPart[] = [
      { type: "stream-start", warnings: [] },
      { type: "tool-input-start", id: "c", toolName: "write" },
      { type: "tool-input-delta", id: "c", delta: '{"path":"a.txt","text":"' },
      ...Array.from({ length: 400 }, () => ({ type: "tool-input-delta" as const, id: "c", delta: line })),
    ];
    const model = wrapLanguageModel({ model: modelSaying(said), middleware: unloop() });
    const parts = await partsOf((await model.doStream(question)).stream);
    const call = parts.find((part) => part.type === "tool-call");
    expect(JSON.parse(call?.input ?? "")).toMatchObject({ path: "a.txt" });
    expect(parts.length).toBeLessThan(300);
    expect(parts.at(-1)?.type).toBe("finish");
  });

  it.each(["generate", "stream"] as const)("throws what the model threw, as it was (%s)", async (way) => {
    const failure = new Error("The provider is down.");
    const refuse = () => Promise.reject(failure);
    const plain = new MockLanguageModelV3({ doGenerate: refuse, doStream: refuse });
    const model = wrapLanguageModel({ model: plain, middleware: unloop() });
    await expect(way === "generate" ? model.doGenerate(question) : model.doStream(question)).rejects.toBe(failure);
  });

  it("takes the model's request with it when its caller leaves", async () => {
    const left = new AbortController();
    let aborted = false;
    const plain = new MockLanguageModelV3({
      doGenerate: ({ abortSignal }) =>
        new Promise((_, reject) => {
          abortSignal?.addEventListener("abort", () => {
            aborted = true;
            reject(abortSignal.reason);
          });
          left.abort();
        }),
    });
    const model = wrapLanguageModel({ model: plain, middleware: unloop() });
    await expect(model.doGenerate({ ...question, abortSignal: left.signal })).rejects.toThrow(/abort/i);
    expect(aborted).toBe(true);
  });

  it("ends an agent in the shape that its caller asked for, and says so beside the provider's own metadata", async () => {
    const { model, upstream } = await rig(looping("nothing"), { policy: requestsOnly() });
    const schema = z.object({ city: z.string(), report: z.string() });
    const { output, steps } = await generateText({ ...agentOf, model, output: Output.object({ schema }) });
    expect(schema.parse(output).report).toContain("going in circles");
    expect(steps.map(({ providerMetadata }) => providerMetadata?.unloop?.verdict)).toEqual(climb);
    expect(upstream.requests).toHaveLength(6);
  });

  it("asks the model again where the calls of a stream would complete a loop", async () => {
    const { model, upstream } = await rig(looping({ nudge: "[unloop]" }));
    expect(await streamText({ ...agentOf, model }).text).toBe(finalText);
    const noted = upstream.requests.map(({ bytes }) => String(bytes).includes("[unloop]"));
    expect(noted).toEqual([false, false, false, true, true]);
  });

  it("knows a run by the name that its caller gives it, and keeps that from the provider", async () => {
    const asked: LanguageModelV3CallOptions[] = [];
    const plain = new MockLanguageModelV3({
      doGenerate: async (params) => {
        asked.push(params);
        return { content: [{ type: "text", text: "Yes." }], finishReason: finish.finishReason, usage, warnings: [] };
      },
    });
    const model = wrapLanguageModel({ model: plain, middleware: unloop() });
    const providerOptions = { unloop: { session: "ticket-1" }, openai: { user: "u" } };
    const { providerMetadata } = await model.doGenerate({ ...question, providerOptions });
    expect(providerMetadata?.unloop?.session).toBe("ticket-1");
    expect(asked[0]?.providerOptions).toEqual({ openai: { user: "u" } });
  });
});

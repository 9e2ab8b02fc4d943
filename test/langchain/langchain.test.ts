import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { AIMessage, createAgent, providerStrategy, tool, ToolMessage, toolStrategy } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type LangChainOptions, type ModelVerdict, unloop } from "../../src/langchain/langchain.ts";
import { climb, requestsOnly } from "../proxy/guard-rig.ts";
import { finalText, healthy, looping } from "../support/agents/scripts.ts";
import type { Script } from "../support/servers/upstream.ts";
import { upstreamOf } from "../support/servers/of-test.ts";

const search = tool(({ q }: { q: string }) => `Results for ${q}: rain, then sun.`, {
  name: "search",
  description: "Searches.",
  schema: z.object({ q: z.string() }),
});

const asked = { messages: [{ role: "user" as const, content: "What is the weather in Paris?" }] };

async function rig(script: Script, options: LangChainOptions = {}) {
  const upstream = await upstreamOf(script);
  const verdicts: ModelVerdict[] = [];
  const configuration = { baseURL: `${upstream.url}/v1` };
  const model = new ChatOpenAI({ model: "scripted", apiKey: "sk-test", configuration, maxRetries: 0 });
  const middleware = [unloop({ policy: requestsOnly(), onVerdict: (verdict) => verdicts.push(verdict), ...options })];
  return { upstream, model, middleware, verdicts, told: () => verdicts.map(({ verdict }) => verdict) };
}

describe("unloop/langchain", () => {
  it("ends an agent that goes in circles, with a history that any model accepts", async () => {
    const { upstream, told, ...rest } = await rig(looping("nothing"));
    const { messages } = await createAgent({ ...rest, tools: [search], systemPrompt: "Be brief." }).invoke(asked);
    expect(messages.at(-1)?.text).toContain("going in circles");
    expect(told()).toEqual(climb);
    expect(upstream.requests).toHaveLength(6);
    const calls = messages.flatMap((one) =>
      AIMessage.isInstance(one) ? (one.tool_calls ?? []).map(({ id }) => id) : [],
    );
    const results = messages.flatMap((one) => (ToolMessage.isInstance(one) ? [one.tool_call_id] : []));
    expect(results).toEqual(calls);
  });

  it("tells the model what it does, and keeps that out of the agent's state", async () => {
    const { upstream, ...rest } = await rig(looping({ nudge: "[unloop]" }));
    const { messages } = await createAgent({ ...rest, tools: [search], systemPrompt: "Be brief." }).invoke(asked);
    expect(messages.at(-1)?.text).toBe(finalText);
    expect(messages.some(({ text }) => text.includes("[unloop]"))).toBe(false);
    const noted = upstream.requests.map(({ bytes }) => String(bytes).includes("[unloop]"));
    expect(noted).toEqual([false, false, false, true, true]);
  });

  it("asks the model again where its answer would complete a loop, and the agent never has the first one", async () => {
    const { upstream, told, ...rest } = await rig(looping({ nudge: "[unloop]" }), { policy: "default" });
    const { messages } = await createAgent({ ...rest, tools: [search] }).invoke(asked);
    expect([messages.at(-1)?.text, told()]).toEqual([finalText, ["ok", "ok", "nudge", "ok"]]);
    expect(upstream.requests).toHaveLength(5);
  });

  it.each([
    { name: "a tool of its own", strategy: toolStrategy },
    { name: "the provider's way", strategy: providerStrategy },
  ])("ends in the shape that the agent owes, by $name", async ({ strategy }) => {
    const schema = z.object({ city: z.string(), report: z.string() });
    const { upstream, told, ...rest } = await rig(looping("nothing"));
    const responseFormat = strategy(schema) as never;
    const agent = createAgent({ ...rest, tools: [search], responseFormat });
    const { structuredResponse }: { structuredResponse?: unknown } = await agent.invoke(asked);
    expect(told().at(-1)).toBe("short-circuit");
    expect(schema.parse(structuredResponse).report).toContain("going in circles");
    expect(upstream.requests).toHaveLength(6);
  });

  it("knows a thread by its id, across invocations", async () => {
    const { verdicts, ...rest } = await rig(healthy(1));
    const agent = createAgent({ ...rest, tools: [search], checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "ticket-1" } };
    await agent.invoke(asked, config);
    await agent.invoke({ messages: [{ role: "user", content: "And in Rome?" }] }, config);
    expect(new Set(verdicts.map(({ session }) => session))).toEqual(new Set(["ticket-1"]));
  });
});

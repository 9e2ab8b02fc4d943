import OpenAI from "openai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { healthy, looping } from "../agents/scripts.ts";
import { tap } from "./tap.ts";
import { type Script, scriptedUpstream } from "./upstream.ts";

async function started(script: Script) {
  const upstream = await scriptedUpstream(script);
  onTestFinished(() => upstream.close());
  return upstream;
}

async function ask(url: string, body: object, signal?: AbortSignal): Promise<Response> {
  const init = { method: "POST", body: JSON.stringify(body), ...(signal && { signal }) };
  return fetch(`${url}/v1/chat/completions`, init);
}

const messages = [{ role: "user" as const, content: "What is the weather in Paris?" }];
const half = { kind: "raw", status: 200, fields: {}, pieces: ["half an ans"] } as const;
const hanging: Script = () => ({ ...half, ending: "hang" });

describe("the scripted upstream", () => {
  it("answers as the API does, in one piece or streamed", async () => {
    const { url } = await started(healthy(1));
    const sdk = new OpenAI({ apiKey: "sk-test", baseURL: `${url}/v1` });
    const whole = await sdk.chat.completions.create({ model: "m", messages });
    const streamed = await sdk.chat.completions
      .stream({ model: "m", messages, stream_options: { include_usage: true } })
      .finalChatCompletion();
    for (const { choices, usage } of [whole, streamed]) {
      expect(choices[0]?.finish_reason).toBe("tool_calls");
      const call = { name: "search", arguments: '{"q":"weather in district 1"}' };
      expect(choices[0]?.message.tool_calls).toMatchObject([{ type: "function", function: call }]);
      expect(usage?.total_tokens).toBeGreaterThan(0);
    }
    expect(whole.choices[0]?.message.tool_calls?.[0]?.id).not.toBe(streamed.choices[0]?.message.tool_calls?.[0]?.id);
  });

  it("remembers bytes, header and answer of every request", async () => {
    const { url, requests } = await started(looping("nothing"));
    const answer = await (await ask(url, { messages })).text();
    const [request] = requests;
    expect(request?.bytes.toString()).toBe(JSON.stringify({ messages }));
    expect(request?.target).toBe("/v1/chat/completions");
    expect(request?.fields["content-type"]).toBe("text/plain;charset=UTF-8");
    expect(request?.answer.toString()).toBe(answer);
    expect(request?.aborted).toBe(false);
  });

  it("notices when the client hangs up in mid-answer", async () => {
    const { url, requests } = await started(hanging);
    const controller = new AbortController();
    await ask(url, { messages }, controller.signal);
    controller.abort();
    await vi.waitFor(() => expect(requests[0]?.aborted).toBe(true));
  });

  it("can break off in mid-answer", async () => {
    const { url, requests } = await started(() => ({ ...half, ending: "cut" }));
    const response = await ask(url, { messages });
    await expect(response.text()).rejects.toThrow();
    expect(requests[0]?.aborted).toBe(false);
  });

  it("answers errors in the API's shape", async () => {
    const { url } = await started(() => ({ kind: "error", status: 429, message: "slow down" }));
    const response = await ask(url, { messages });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { message: "slow down" } });
  });

  it.each([
    { name: "calls the tool that it is forced to call", heeds: "force-done" as const, forced: "done", says: "done" },
    { name: "goes on looping if it heeds nothing", heeds: "nothing" as const, forced: "done", says: "search" },
  ])("$name", async ({ heeds, forced, says }) => {
    const { url } = await started(looping(heeds));
    const tool_choice = { type: "function", function: { name: forced } };
    const answer = await ask(url, { messages, tool_choice });
    expect(await answer.json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: says } }] } }],
    });
  });
});

describe("the tap", () => {
  it("passes a hang-up on, and writes down what went by until then", async () => {
    const { url, requests } = await started(hanging);
    const tapped = await tap(url);
    onTestFinished(() => tapped.close());
    const controller = new AbortController();
    await ask(tapped.url, { messages }, controller.signal);
    await vi.waitFor(() => expect(tapped.exchanges[0]?.answer.toString()).toBe("half an ans"));
    controller.abort();
    await vi.waitFor(() => expect(requests[0]?.aborted).toBe(true));
    expect(tapped.exchanges[0]?.bytes.toString()).toBe(JSON.stringify({ messages }));
  });
});

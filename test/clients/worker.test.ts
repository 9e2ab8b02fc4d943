import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { looping } from "../support/agents/scripts.ts";
import { scriptedUpstream, type Upstream } from "../support/servers/upstream.ts";
import { startWorkerd, type Workerd } from "../support/servers/workerd.ts";
import { messagesWire } from "../support/wires/messages.ts";

let upstream: Upstream;
let workerd: Workerd;

beforeAll(async () => {
  upstream = await scriptedUpstream(looping("nothing"), messagesWire);
  workerd = await startWorkerd({ UNLOOP_UPSTREAM: upstream.url });
}, 120_000);

afterAll(async () => {
  await workerd?.stop();
  await upstream?.close();
});

it.each([
  { kind: "JSON", stream: false },
  { kind: "an event stream", stream: true },
])("the deployed Worker ends a run that Anthropic's SDK drives, answering with $kind", async ({ kind, stream }) => {
  const verdicts: (string | null)[] = [];
  const client = new Anthropic({
    apiKey: `sk-${kind}`,
    baseURL: workerd.url,
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      verdicts.push(answer.headers.get("x-unloop-verdict"));
      return answer;
    },
  });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: `Weather? As ${kind}.` }];
  let said = "";
  for (let turn = 0; turn < 10 && said === ""; turn += 1) {
    const asked = { model: "m", max_tokens: 100, messages };
    const answer = stream
      ? await client.messages.stream(asked).finalMessage()
      : await client.messages.create({ ...asked, stream: false });
    messages.push({ role: "assistant", content: answer.content });
    const calls = answer.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) said = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    messages.push({
      role: "user",
      content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "rain till noon" })),
    });
  }
  expect(verdicts).toEqual(["ok", "ok", "nudge", "ok", "short-circuit"]);
  expect(said).not.toBe("");
});

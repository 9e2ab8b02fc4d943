import { setImmediate } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { policyFrom, unloop, webTransport } from "../../src/index.ts";

const history = [
  { role: "user", content: "Reach the goal." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "click", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "c1", content: "The page behind it, in full." },
];
const completion = (content: string) =>
  Response.json({ choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] });

it("on a platform that ends what nobody waits for, the client has its answer before the judge has spoken", async () => {
  let speak: (answer: Response) => void = () => undefined;
  const judge = new Promise<Response>((resolve) => {
    speak = resolve;
  });
  const judged: string[] = [];
  const transport = webTransport({
    fetch: async (url) => (String(url).startsWith("https://judge.example") ? judge : completion("Hello.")),
  });
  const nothing = () => undefined;
  const meter = {
    exchange: nothing,
    intervention: nothing,
    spent: nothing,
    failed: nothing,
    storeFailed: nothing,
    judged: (how: string) => void judged.push(how),
  };
  const app = unloop({
    ...{ upstream: "https://api.example", policy: policyFrom({ extends: "local-planning" }), transport, meter },
    judge: { upstream: "https://judge.example", model: "small" },
  });
  const waited: Promise<unknown>[] = [];
  const context = {
    waitUntil: (promise: Promise<unknown>) => void waited.push(promise),
    passThroughOnException: nothing,
  };
  const request = new Request("https://guard.example/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ model: "m", messages: history }),
  });
  const response = await app.fetch(request, {}, { ...context, props: {} });
  expect(await response.text()).toContain("Hello.");
  expect(judged).toEqual([]);
  let over = false;
  void Promise.all(waited).then(() => {
    over = true;
  });
  await vi.waitFor(() => expect(waited).toHaveLength(1));
  // All that does not hang on the judge has come to its end by then.
  for (let i = 0; i < 50; i += 1) await setImmediate();
  expect(over).toBe(false);
  speak(completion('{"distance": 4}'));
  await Promise.all(waited);
  expect(judged).toEqual(["scored"]);
});

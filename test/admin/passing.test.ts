import { expect, it, onTestFinished } from "vitest";
import { startGuard } from "../support/servers/guarded.ts";
import { scriptedUpstream } from "../support/servers/upstream.ts";

it("requests that pass are counted by endpoint, and by few names whatever is asked", async () => {
  const upstream = await scriptedUpstream(() => ({ kind: "text", text: "Hm." }));
  const { url, close } = await startGuard({ upstream: upstream.url });
  onTestFinished(close);
  onTestFinished(() => upstream.close());
  const asked = [
    ...[
      "/v1/completions",
      "/openai/deployments/x/completions?api-version=1",
      "/v1/threads/t_1/runs",
      "/v1/threads/runs",
    ],
    ...["/v1/chat", "/v2/chat", "/model/anthropic.claude%3A0/converse-stream", "/model/x/invoke", "/api/generate"],
    ...["/v1/projects/p/locations/global/publishers/mistralai/models/m:rawPredict", "/v1/embeddings", "/nobody/knows"],
    ...["/v1/projects/p/locations/global/publishers/anthropic/models/count-tokens:rawPredict", "/v1/messages/batches"],
    ...["/v1/chat/completions", "/v1/messages", "/v1/responses", "/api/chat"],
  ];
  for (const path of asked) await (await fetch(url + path, { method: "POST", body: "{}" })).text();
  await (await fetch(`${url}/v1/models`)).text();
  const text = await (await fetch(`${url}/unloop/metrics`)).text();
  const counted = [...text.matchAll(/^unloop_unguarded_requests_total\{endpoint="(.*)"\} (\d+)$/gm)];
  expect(Object.fromEntries(counted.map(([, endpoint, count]) => [endpoint, Number(count)]))).toEqual({
    completions: 2,
    assistants: 2,
    "cohere-chat": 2,
    bedrock: 2,
    "ollama-generate": 1,
    "raw-predict": 1,
    other: 5,
    // The four that are guarded, in no shape that can be read.
    "unread-shape": 4,
  });
});

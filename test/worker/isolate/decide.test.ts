import { describe, expect, it } from "vitest";
import { deployedWorker, replicaWorker } from "../seams/bindings.ts";

const turn = (id: string) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "search", arguments: '{"q":"Paris"}' } }],
  },
  { role: "tool", tool_call_id: id, content: "Rain in the morning, sun after noon." },
];
const opening = { role: "user", content: "What is the weather in Paris?" };

async function decided(worker: typeof deployedWorker, body: object, token = "a token of the tests") {
  const response = await worker.fetch("https://guard.example/unloop/api/decide", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json<{ verdict: string; edits: { path: string }[] }>() };
}

describe("decide on Workers", () => {
  it("judges a history by itself", async () => {
    const messages = [opening, ...turn("call_1"), ...turn("call_2"), ...turn("call_3")];
    const { body } = await decided(deployedWorker, { request: { messages } });
    expect(body).toMatchObject({ verdict: "nudge", edits: [{ op: "replace", path: "/messages/6/content" }] });
  });

  it("knows a session that two isolates are asked about in turn", async () => {
    const verdicts: string[] = [];
    for (let i = 1; i <= 3; i += 1) {
      const request = { messages: [opening, ...turn(`call_${i}`)] };
      const worker = i % 2 === 0 ? replicaWorker : deployedWorker;
      verdicts.push((await decided(worker, { request, session: "decided-in-turn" })).body.verdict);
    }
    expect(verdicts).toEqual(["ok", "ok", "nudge"]);
  });

  it("answers to its token alone", async () => {
    expect((await decided(deployedWorker, { request: { messages: [opening] } }, "another token at all")).status).toBe(
      401,
    );
  });
});

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, it, vi } from "vitest";
import { chatBody } from "../../support/builders/chat-history.ts";
import { bodyOf } from "../../support/servers/http.ts";
import { serverOf } from "../../support/servers/of-test.ts";
import { guardBefore, standard } from "../guard-rig.ts";
import { args, armed } from "./rig.ts";

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const role = chunk({ role: "assistant", content: "" });
const thought = chunk({ reasoning_content: "They asked for it." });
const word = chunk({ content: "I will tell them." });
const call = [
  { index: 0, id: "call_1", type: "function", function: { name: "send_message", arguments: "" } },
  ...[args.slice(0, 9), args.slice(9)].map((part) => ({ index: 0, function: { arguments: part } })),
].map((piece) => chunk({ tool_calls: [piece] }));
const end = chunk({}, "tool_calls");
const done = "data: [DONE]\n\n";

async function begin() {
  const asked: { readonly body: string; readonly answer: ServerResponse }[] = [];
  const url = await serverOf(async (incoming, answer) => {
    asked.push({ body: String(await bodyOf(incoming)), answer });
  });
  const guard = await guardBefore(url, { policy: standard() });
  const left = new AbortController();
  const tools = ["send_message", "read"].map((name) => ({ type: "function", function: { name } }));
  const body = chatBody(armed, { stream: true, tools });
  const response = fetch(`${guard.url}/v1/chat/completions`, { method: "POST", signal: left.signal, body });
  const next = (count: number) =>
    vi.waitFor(() => asked[count - 1]?.answer ?? expect.fail("not asked"), { interval: 1 });
  const answer = await next(1);
  answer.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  const reading = async () => (await response).body?.getReader() ?? expect.fail("no body");
  return { ...guard, answer, left, next, asked, reading };
}

async function reads(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<void> {
  let got = "";
  while (got.length < text.length) {
    const { value, done: over } = await reader.read();
    if (over) break;
    got += Buffer.from(value);
  }
  expect(got).toBe(text);
}

it("an upstream that says its next piece only when the client has the last one is heard as far as it thinks and speaks, and the calls come with the second answer", async () => {
  const { answer, next, asked, reading } = await begin();
  answer.write(role);
  answer.write(thought);
  const reader = await reading();
  await reads(reader, role + thought);
  answer.write(word);
  await reads(reader, word);
  answer.end([...call, end, done].join(""));
  // Nothing of the calls has come when the second question is asked, nor will it.
  const second = await next(2);
  expect(asked[1]?.body).toContain("[unloop]");
  second.writeHead(200, { "content-type": "text/event-stream" });
  second.write(chunk({ role: "assistant", content: "" }) + chunk({ content: "They know." }));
  await reads(reader, `${chunk({ content: "" })}${chunk({ content: "\n\nThey know." })}`);
  second.end(chunk({}, "stop") + done);
  await reads(reader, chunk({}, "stop") + done);
});

it("a client that leaves while a call is held ends the request upstream at once, and that is logged", async () => {
  const { answer, left, asked, logged, reading } = await begin();
  answer.write(role + word + call[0]);
  await reads(await reading(), role + word);
  left.abort();
  await once(answer, "close");
  const exchanges = () => logged.filter(({ event }) => event === "exchange");
  await vi.waitFor(() => expect(exchanges()).toMatchObject([{ broke: "client_gone", verdict: "ok" }]));
  expect(asked).toHaveLength(1);
});

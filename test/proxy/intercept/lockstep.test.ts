import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bodyOf, closing, listening } from "../../support/servers/http.ts";
import { guardBefore, standard } from "../guard-rig.ts";
import { args, armed } from "./rig.ts";

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const role = chunk({ role: "assistant", content: "" });
const thought = chunk({ reasoning_content: "They asked for it." });
const word = chunk({ content: "I will tell them." });
const call = (name: string) => [
  chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: "" } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(0, 9) } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(9) } }] }),
];
const end = chunk({}, "tool_calls");
const done = "data: [DONE]\n\n";

/** A model whose answers are written by hand, in front of it the guard. */
async function byHand() {
  const asked: { readonly body: string; readonly answer: ServerResponse }[] = [];
  let told = () => {};
  const server = createServer(async (incoming: IncomingMessage, answer) => {
    asked.push({ body: String(await bodyOf(incoming)), answer });
    told();
  });
  const url = await listening(server);
  onTestFinished(() => closing(server));
  const guard = await guardBefore(url, { policy: standard() });
  const next = async (count: number) => {
    while (asked.length < count) await new Promise<void>((resolve) => (told = resolve));
    return asked[count - 1]?.answer ?? expect.fail("not asked");
  };
  return { ...guard, next, asked };
}

async function begin(messages: readonly object[], tools: readonly string[] = ["send_message", "read"]) {
  const guard = await byHand();
  const left = new AbortController();
  const response = fetch(`${guard.url}/v1/chat/completions`, {
    method: "POST",
    signal: left.signal,
    body: JSON.stringify({
      stream: true,
      tools: tools.map((name) => ({ type: "function", function: { name } })),
      messages,
    }),
  });
  const answer = await guard.next(1);
  answer.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  return { ...guard, response, answer, left };
}

/** Reads until these bytes have come, and nothing else. */
async function reads(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<void> {
  let got = "";
  while (got.length < text.length) {
    const { value, done: over } = await reader.read();
    if (over) break;
    got += Buffer.from(value);
  }
  expect(got).toBe(text);
}

describe("an upstream that says its next piece only when the client has the last one", () => {
  it("is heard as far as it thinks and speaks on an armed one, and the calls come with the second answer", async () => {
    const { response, answer, next, asked } = await begin(armed);
    answer.write(role);
    answer.write(thought);
    const reader = (await response).body?.getReader() ?? expect.fail("no body");
    await reads(reader, role + thought);
    answer.write(word);
    await reads(reader, word);
    answer.end([...call("send_message"), end, done].join(""));
    // Nothing of the calls has come when the second question is asked, nor will it.
    const second = await next(2);
    expect(asked[1]?.body).toContain("[unloop]");
    second.writeHead(200, { "content-type": "text/event-stream" });
    second.write(chunk({ role: "assistant", content: "" }) + chunk({ content: "They know." }));
    await reads(reader, `${chunk({ content: "" })}${chunk({ content: "\n\nThey know." })}`);
    second.end(chunk({}, "stop") + done);
    await reads(reader, chunk({}, "stop") + done);
  });
});

/** Generous: what is shown is that it happens at once, not when something times out. */
const soon = { timeout: 5_000 };

describe("a client that leaves", () => {
  it("while a call is held: the request upstream ends at once, and it is logged", async () => {
    const { response, answer, left, asked, logged } = await begin(armed);
    answer.write(role + word + call("send_message")[0]);
    const reader = (await response).body?.getReader() ?? expect.fail("no body");
    await reads(reader, role + word);
    left.abort();
    const start = performance.now();
    await once(answer, "close");
    console.log(`upstream closed ${(performance.now() - start).toFixed(1)} ms after the client left a held call`);
    expect(performance.now() - start).toBeLessThan(soon.timeout);
    await vi.waitFor(() => expect(exchanges(logged)).toMatchObject([{ broke: "client_gone", verdict: "ok" }]), soon);
    expect(asked).toHaveLength(1);
  });
});

const exchanges = (logged: readonly { readonly event: string }[]) => logged.filter(({ event }) => event === "exchange");

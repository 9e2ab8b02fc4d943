import { randomUUID } from "node:crypto";
import fc from "fast-check";
import OpenAI from "openai";
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import { continuedText } from "../../../src/protocols/answer/continued-text.ts";
import { eventStream, inPieces, inProcess } from "../../support/builders/in-process.ts";
import { callOf, soundStream, type Streamed } from "../../support/builders/streams.ts";

const message = JSON.stringify({ text: "The database is healthy." });
const sent = {
  role: "assistant",
  tool_calls: [{ id: "call_0", type: "function", function: { name: "send_message", arguments: message } }],
};
const said = { role: "user", content: "Tell the team how the database is." };
/** One more message of the same text completes a loop. */
const armed = { messages: [said, sent, { role: "tool", tool_call_id: "call_0", content: "Sent." }] };

const looping = soundStream(callOf("send_message", message));
const answered = ({ pieces }: Streamed) => new Response(inPieces(pieces), { headers: eventStream });

/** What came of a request, and what upstream was asked. */
async function through(history: object, streams: readonly Streamed[]) {
  const guard = inProcess((_, index) => answered(streams[index] ?? expect.fail("asked once too often")));
  const response = await guard.fetch("http://guard/v1/chat/completions", {
    method: "POST",
    headers: { "x-unloop-session": randomUUID() },
    body: JSON.stringify({ model: "gpt-4o", stream: true, stream_options: { include_usage: true }, ...history }),
  });
  const bytes = await response.arrayBuffer().catch(() => undefined);
  return { bytes: bytes && Buffer.from(bytes), asked: guard.asked.length };
}

/** What the official SDK makes of a stream's bytes; undefined if it does not take it. */
async function read(bytes: Uint8Array) {
  const answer = async () => new Response(Buffer.from(bytes), { headers: eventStream });
  const sdk = new OpenAI({ apiKey: "sk-test", baseURL: "http://guard/v1", fetch: answer, maxRetries: 0 });
  const chunks: ChatCompletionChunk[] = [];
  try {
    const stream = sdk.chat.completions.stream({ model: "gpt-4o", messages: [] });
    stream.on("chunk", (chunk) => chunks.push(chunk));
    const { choices } = await stream.finalChatCompletion();
    const { content, tool_calls } = choices[0]?.message ?? expect.fail("no choice");
    return { chunks, content: content ?? "", calls: callsIn(tool_calls), finish: choices[0]?.finish_reason };
  } catch {
    // Whatever the SDK refuses, it refuses by throwing.
    return undefined;
  }
}

function callsIn(calls: readonly unknown[] | undefined) {
  return (calls ?? []).map((call) => (call as { function: { name: string; arguments: string } }).function);
}

const countIn = (bytes: Uint8Array, text: string) => Buffer.from(bytes).toString().split(text).length - 1;
const tokens = (chunks: readonly ChatCompletionChunk[]) =>
  chunks.flatMap(({ usage }) => (usage ? [usage.total_tokens] : [])).reduce((sum, count) => sum + count, 0);

describe("streams of every kind through the whole guard", () => {
  it("are one sound answer for the SDK where a second one takes the place of the first", async () => {
    await fc.assert(
      fc.asyncProperty(looping, soundStream(), async (first, second) => {
        const { bytes = Buffer.of(), asked } = await through(armed, [first, second]);
        expect(asked).toBe(2);
        const [whole, one, other] = [await read(bytes), await read(first.bytes), await read(second.bytes)];
        if (whole === undefined || one === undefined || other === undefined) return expect.fail("not taken");
        expect(new Set(whole.chunks.map(({ id }) => id)).size).toBe(1);
        expect(whole.chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual([other.finish]);
        expect(whole.chunks.filter(({ choices }) => choices[0]?.delta.role !== undefined)).toHaveLength(1);
        expect(countIn(bytes, "[DONE]")).toBe(1);
        const words = continuedText(one.content);
        expect(whole.content).toBe(one.content + words.add(other.content) + words.end());
        expect(whole.calls).toEqual(other.calls);
        for (const call of whole.calls) JSON.parse(call.arguments);
        if (tokens(other.chunks) > 0) expect(tokens(whole.chunks)).toBe(tokens(one.chunks) + tokens(other.chunks));
        expect(whole.chunks.filter(({ usage }) => usage)).toHaveLength(tokens(other.chunks) > 0 ? 1 : 0);
      }),
    );
  });
});

import fc from "fast-check";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { eventStream, inProcess } from "../../support/builders/in-process.ts";
import { runawayStream } from "../../support/builders/streams.ts";
import { armed, healthy } from "../intercept/rig.ts";

const lap = "Let me have another look at the table. ";

/** An answer in pieces that never ends by itself. */
function endless(pieces: readonly Uint8Array[], signal: AbortSignal): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      signal.addEventListener("abort", () => controller.error(signal.reason));
    },
    pull(controller) {
      const piece = pieces[next++];
      if (piece === undefined) return new Promise(() => undefined);
      if (piece.length > 0) controller.enqueue(piece);
      else this.pull?.(controller);
    },
  });
  return new Response(body, { headers: { ...eventStream, "content-length": "1000000" } });
}

const threads = fc.constantFrom(healthy, armed);
const parts = fc.constantFrom("words" as const, "thoughts" as const, "arguments" as const);

it("an answer that repeats itself for ever is cut off, and upstream with it: the SDK gets a whole answer", async () => {
  const streams = parts.chain((part) => runawayStream(part, lap));
  await fc.assert(
    fc.asyncProperty(threads, streams, async (history, { bytes, pieces }) => {
      const guard = inProcess(({ signal }) => endless(pieces, signal));
      const sdk = new OpenAI({ apiKey: "sk-test", baseURL: "http://guard/v1", fetch: guard.fetch });
      const stream = sdk.chat.completions.stream({ model: "gpt-4o", messages: [...history] as [] });
      let got = 0;
      stream.on("chunk", (chunk) => (got += JSON.stringify(chunk).length));
      const [choice] = (await stream.finalChatCompletion()).choices;
      expect(choice?.finish_reason).toBe("stop");
      for (const call of choice?.message.tool_calls ?? []) if ("function" in call) JSON.parse(call.function.arguments);
      expect(guard.asked.map(({ signal }) => signal.aborted)).toEqual([true]);
      expect(got).toBeLessThan(bytes.length + 2_000);
    }),
  );
});

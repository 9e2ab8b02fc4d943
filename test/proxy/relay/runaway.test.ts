import { describe, expect, it, vi } from "vitest";
import { memoryStores, type Policy } from "../../../src/index.ts";
import type { RawAnswer } from "../../support/wires/scripted-answer.ts";
import { guardRig, standard } from "../guard-rig.ts";

const chant = "I will check the file again. ";

/** One delta for each piece; the model goes on for ever after that. */
function endless(pieces: readonly object[]): RawAnswer {
  const chunk = (delta: object) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", created: 1, model: "m", choices: [{ index: 0, delta }] })}\n\n`;
  const fields = { "content-type": "text/event-stream" };
  return { kind: "raw", status: 200, fields, pieces: pieces.map(chunk), ending: "hang" };
}

const inPieces = (text: string): readonly string[] => text.match(/.{1,40}/gsu) ?? [];
const says = (text: string) => inPieces(text).map((content) => ({ content }));
interface Asked {
  readonly policy?: Policy;
  readonly mode?: "observe";
  readonly task?: string;
}

async function ask(pieces: readonly object[], { task = "Explain the plan.", ...options }: Asked = {}) {
  const stores = memoryStores();
  const rig = await guardRig(() => endless(pieces), { policy: standard(), stores, ...options });
  const abort = new AbortController();
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: task }] });
  const asked = fetch(`${rig.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    signal: abort.signal,
  });
  return { ...rig, stores, abort, body: (await asked).body };
}

/** The chunks of a stream that ends by itself. */
async function chunksOf(body: ReadableStream<Uint8Array> | null) {
  const text = await new Response(body).text();
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  return [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? "").choices[0]);
}

describe("an answer that repeats itself without end", () => {
  it("is told to log, metrics and journal, without a word of it", async () => {
    const { body, logged, stores } = await ask(says(chant.repeat(60)));
    await chunksOf(body);
    await vi.waitFor(async () => expect(await stores.journal.page(1)).toHaveLength(1));
    const [{ entry = "" } = {}] = await stores.journal.page(1);
    expect(JSON.parse(entry)).toMatchObject({ rung: "cut", detector: "runaway-output", count: 6, step: 0 });
    expect(logged.find(({ event }) => event === "exchange")).toMatchObject({ verdict: "cut", runaway: { laps: 6 } });
    expect(JSON.stringify([logged, entry])).not.toContain("check the file");
  });

  it.each([
    { name: "the user asked for it", asked: { task: "Write 'I will check the file again.' 100 times." } },
    { name: "the guard only observes", asked: { mode: "observe" as const } },
    { name: "the policy leaves it alone", asked: { policy: { ...standard(), runaway: "off" as const } } },
  ])("goes on where $name", async ({ asked }) => {
    const { body, abort, upstream } = await ask(says(chant.repeat(60)), asked);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let chunks = 0; chunks < inPieces(chant.repeat(60)).length; chunks = text.split("\n\n").length - 1) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) throw new Error("The answer was ended.");
      text += piece.value;
    }
    expect(text).not.toContain('finish_reason":"stop');
    abort.abort();
    await vi.waitFor(() => expect(upstream.requests[0]?.aborted).toBe(true));
  });
});

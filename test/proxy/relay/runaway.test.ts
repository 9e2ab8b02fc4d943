import { describe, expect, it, vi } from "vitest";
import { memoryStores, type Policy } from "../../../src/index.ts";
import { noMeter } from "../../../src/proxy/proxy.ts";
import type { RawAnswer } from "../../support/wires/scripted-answer.ts";
import { guardRig, post, standard } from "../guard-rig.ts";

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
const calls = (tool: string, args: string) => [
  { tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: tool, arguments: "" } }] },
  ...inPieces(args).map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
];

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
  it.each([
    { name: "what it says", pieces: says(chant.repeat(60)), lasts: "content" },
    {
      name: "what it thinks",
      pieces: inPieces(chant.repeat(60)).map((reasoning_content) => ({ reasoning_content })),
      lasts: "reasoning_content",
    },
  ])("is cut off in $name, and ends as a whole answer", async ({ pieces, lasts }) => {
    const { body, upstream } = await ask(pieces);
    const chunks = await chunksOf(body);
    expect(chunks.at(-1)).toMatchObject({ delta: {}, finish_reason: "stop" });
    const text = chunks.map(({ delta }) => delta[lasts] ?? "").join("");
    expect(text.length).toBeGreaterThanOrEqual(6 * chant.length);
    expect(text.length).toBeLessThan(8 * chant.length);
    await vi.waitFor(() => expect(upstream.requests[0]?.aborted).toBe(true));
  });

  it("is cut off in the arguments of a call, which are closed to valid JSON", async () => {
    const { body } = await ask(calls("write_file", `{"path":"a.txt","lines":["${chant.repeat(60)}`));
    const chunks = await chunksOf(body);
    const args = chunks.flatMap(({ delta }) => delta.tool_calls ?? []).map((call) => call.function.arguments);
    expect(JSON.parse(args.join(""))).toMatchObject({ path: "a.txt", lines: [expect.stringContaining(chant)] });
    expect(chunks.at(-1).finish_reason).toBe("stop");
  });

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

describe("an answer that repeats itself before a guard that only observes", () => {
  it("comes through byte for byte, and is told of", async () => {
    const { pieces } = endless(says(chant.repeat(30)));
    const answer: RawAnswer = { ...endless([]), pieces: [...pieces, "data: [DONE]\n\n"], ending: "end" };
    const counted: string[] = [];
    const stores = memoryStores();
    const meter = { ...noMeter, intervention: (rung: string, detector: string) => counted.push(`${rung} ${detector}`) };
    const rig = await guardRig(() => answer, { policy: standard(), mode: "observe", meter, stores });
    const body = JSON.stringify({
      model: "m",
      stream: true,
      messages: [{ role: "user", content: "Explain the plan." }],
    });
    expect((await post(rig.url, body)).text).toBe(answer.pieces.join(""));
    await vi.waitFor(async () => expect(await stores.journal.page(1)).toHaveLength(1));
    expect(counted).toEqual(["observe:cut runaway-output"]);
    expect(JSON.parse((await stores.journal.page(1))[0]?.entry ?? "")).toMatchObject({ rung: "cut", mode: "observe" });
  });
});

import { expect, it, vi } from "vitest";
import { memoryStores, type Policy } from "../../../src/index.ts";
import { chatBody, user } from "../../support/builders/chat-history.ts";
import { guardRig, standard } from "../guard-rig.ts";

const pieces = "I will check the file again. ".repeat(60).match(/.{1,40}/gsu) ?? [];

interface Asked {
  readonly policy?: Policy;
  readonly mode?: "observe";
  readonly task?: string;
}

async function ask({ task = "Explain the plan.", ...options }: Asked = {}) {
  const chunk = (content: string) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", created: 1, model: "m", choices: [{ index: 0, delta: { content } }] })}\n\n`;
  const fields = { "content-type": "text/event-stream" };
  const stores = memoryStores();
  const rig = await guardRig(() => ({ kind: "raw", status: 200, fields, pieces: pieces.map(chunk), ending: "hang" }), {
    policy: standard(),
    stores,
    ...options,
  });
  const abort = new AbortController();
  const { body } = await fetch(`${rig.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: chatBody([user(task)], { stream: true }),
    signal: abort.signal,
  });
  return { ...rig, stores, abort, body };
}

it("an answer that repeats itself without end is told to log, metrics and journal, without a word of it", async () => {
  const { body, logged, stores } = await ask();
  expect((await new Response(body).text()).endsWith("data: [DONE]\n\n")).toBe(true);
  await vi.waitFor(async () => expect(await stores.journal.page(1)).toHaveLength(1));
  const [{ entry = "" } = {}] = await stores.journal.page(1);
  expect(JSON.parse(entry)).toMatchObject({ rung: "cut", detector: "runaway-output", count: 6, step: 0 });
  expect(logged.find(({ event }) => event === "exchange")).toMatchObject({ verdict: "cut", runaway: { laps: 6 } });
  expect(JSON.stringify([logged, entry])).not.toContain("check the file");
});

it.each<{ name: string; asked: Asked }>([
  { name: "the user asked for it", asked: { task: "Write 'I will check the file again.' 100 times." } },
  { name: "the guard only observes", asked: { mode: "observe" } },
  { name: "the policy leaves it alone", asked: { policy: { ...standard(), runaway: "off" } } },
])("it goes on where $name", async ({ asked }) => {
  const { body, abort, upstream } = await ask(asked);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.split("\n\n").length <= pieces.length) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) throw new Error("The answer was ended.");
    text += piece.value;
  }
  expect(text).not.toContain('finish_reason":"stop');
  abort.abort();
  await vi.waitFor(() => expect(upstream.requests[0]?.aborted).toBe(true));
});

const said = { model: "m", stream: true, messages: [user("Explain the plan.")] };
const contents = { contents: [{ role: "user", parts: [{ text: "Explain the plan." }] }] };
const event = (told: object) => `data: ${JSON.stringify(told)}\n\n`;
const candidate = (text: string) => ({ candidates: [{ index: 0, content: { parts: [{ text, thought: true }] } }] });

it.each<[path: string, body: object, thinks: (thought: string) => string]>([
  [
    "/v1/chat/completions",
    said,
    (thought) => event({ id: "a", choices: [{ index: 0, delta: { reasoning_content: thought } }] }),
  ],
  ["/v1beta/models/m:streamGenerateContent?alt=sse", contents, (thought) => event(candidate(thought))],
  ["/api/chat", said, (thinking) => `${JSON.stringify({ model: "m", message: { role: "assistant", thinking } })}\n`],
])("a thought that repeats itself without end is cut off, too: %s", async (path, body, thinks) => {
  const script = () => ({ kind: "raw", status: 200, fields: {}, pieces: pieces.map(thinks), ending: "hang" }) as const;
  const { url, upstream } = await guardRig(script, { policy: standard() });
  const heard = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
  expect((await heard.text()).match(/check the/g)?.length).toBeLessThan(pieces.length / 2);
  await vi.waitFor(() => expect(upstream.requests[0]?.aborted).toBe(true));
});

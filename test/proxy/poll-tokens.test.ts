import { expect, it } from "vitest";
import { unloop, webTransport } from "../../src/index.ts";

const messages = (tool: string, text: string, turns: number) => [
  { role: "user", content: "Build it." },
  ...Array.from({ length: turns }, (_, i) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: `c${i}`,
          type: "function",
          function: { name: tool, arguments: `{"job":${tool === "read_file" ? i : 7}}` },
        },
      ],
    },
    { role: "tool", tool_call_id: `c${i}`, content: `${text}${tool === "read_file" ? i : ""}` },
  ]).flat(),
];

async function polling(...requests: readonly (readonly object[])[]): Promise<readonly number[]> {
  const found: number[] = [];
  const nothing = () => undefined;
  const answer = {
    choices: [{ index: 0, message: { role: "assistant", content: "I look again." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 },
  };
  const app = unloop({
    upstream: "https://api.example",
    transport: webTransport({ fetch: async () => Response.json(answer) }),
    meter: {
      ...{ exchange: nothing, intervention: nothing, failed: nothing, storeFailed: nothing, judged: nothing },
      spent: ({ polling: tokens }) => void found.push(tokens),
    },
  });
  const waited: Promise<unknown>[] = [];
  const context = {
    ...{ waitUntil: (promise: Promise<unknown>) => void waited.push(promise), passThroughOnException: nothing },
    props: {},
  };
  for (const told of requests) {
    const body = JSON.stringify({ model: "m", messages: told });
    const url = "https://guard.example/v1/chat/completions";
    const headers = { "content-type": "application/json", "x-unloop-session": "one" };
    await (await app.fetch(new Request(url, { method: "POST", headers, body }), {}, context)).text();
    await Promise.all(waited);
  }
  return found;
}

it("counts the tokens of exchanges that go on from a wait, on the short way, too", async () => {
  const wait = (turns: number) => messages("get_job_status", "state: running", turns);
  expect(await polling(wait(1), wait(2), wait(3))).toEqual([930, 930, 930]);
});

it("counts none where the work went on", async () => {
  const read = (turns: number) => messages("read_file", "some text of file ", turns);
  expect(await polling(read(1), read(2))).toEqual([0, 0]);
});

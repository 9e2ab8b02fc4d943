import { describe, expect, it } from "vitest";
import { gemini } from "../../src/protocols/gemini/gemini.ts";
import { parseRecorded, protocolFor } from "../../src/protocols/protocols.ts";
import { messages } from "../../src/protocols/messages/messages.ts";
import { ollama } from "../../src/protocols/ollama/ollama.ts";

const claude = "/v1/projects/p/locations/global/publishers/anthropic/models";

it.each([
  { path: `${claude}/claude-opus-4-5@20251101:rawPredict`, name: "messages" },
  { path: `${claude}/claude-opus-4-5%4020251101:streamRawPredict`, name: "messages" },
  { path: `/prefix${claude}/claude:rawPredict`, name: "messages" },
  ...[`${claude}/count-tokens:rawPredict`, `${claude}/claude:predict`, `${claude}/claude`].map((path) => ({ path })),
  { path: "/v1/projects/p/locations/global/publishers/mistralai/models/m:rawPredict" },
  { path: "/model/anthropic.claude-sonnet-4-5/invoke" },
  ...["countTokens", "batchGenerateContent"].map((verb) => ({ path: `/v1beta/models/gemini-2.5-flash:${verb}` })),
  ...["/v1beta/interactions", "/api/generate", "/api/embed", "/api/tags", "/v1/chat", "/v2/chat"].map((path) => ({
    path,
  })),
  { path: "/api/chat/completions", name: "chat-completions" },
])("$path is read as $name", ({ path, name }: { path: string; name?: string }) => {
  expect(protocolFor("POST", path)?.name).toBe(name);
});

it.each([
  ["streamGenerateContent", "application/json; charset=UTF-8"],
  ["streamGenerateContent?key=k", "application/json; charset=UTF-8"],
  ["streamGenerateContent?key=k&alt=sse", "text/event-stream; charset=utf-8"],
  ["generateContent?alt=sse", "text/event-stream; charset=utf-8"],
])("an answer of Gemini is framed by its query: %s", (verb, contentType) => {
  expect(gemini.framing(`/v1beta/models/g:${verb}`).contentType).toBe(contentType);
});

it.each([
  { target: `${claude}/claude-opus-4-5@20251101:rawPredict`, model: "claude-opus-4-5@20251101", streams: false },
  { target: `${claude}/claude%40x:streamRawPredict?alt=sse`, model: "claude@x", streams: true },
])("Vertex tells in the URL what the body does not: $target", ({ target, model, streams }) => {
  const body = JSON.stringify({ anthropic_version: "vertex-2023-10-16", messages: [{ role: "user", content: "q" }] });
  expect(messages.parse(body, target)).toMatchObject({ model, streams });
});

describe("a recorded body is known", () => {
  const user = { role: "user", content: "q" };
  const said = { role: "assistant", content: "b" };
  const tool = (name: string) => ({ name, input_schema: {} });
  const use = { role: "assistant", content: [{ type: "tool_use", id: "b", name: "read", input: {} }] };
  const call = { role: "assistant", tool_calls: [{ function: { name: "a", arguments: {} } }] };

  it.each([{ messages: [user, use] }, { messages: [user], system: "b" }, { messages: [user], tools: [tool("b")] }])(
    "as Anthropic's by %j",
    (more) => expect(messages.recognises(more)).toBe(true),
  );

  it.each([{ messages: [{ role: "tool", content: "b" }] }, { messages: [user], tools: [{ function: {} }] }])(
    "not as Anthropic's by %j",
    (more) => expect(messages.recognises(more)).toBe(false),
  );

  it.each([
    ...[{ keep_alive: "5m" }, { think: false }, { options: {} }, { format: "json" }],
    ...[
      call,
      { role: "tool", tool_name: "a", content: "1" },
      { ...said, thinking: "c" },
      { ...user, images: ["x"] },
    ].map((message) => ({ messages: [user, message] })),
  ])("as Ollama's, which streams, by %j", (more) => {
    const recorded = { model: "qwen3", messages: [user], ...more };
    expect(ollama.recognises(recorded)).toBe(true);
    expect(parseRecorded(recorded)?.streams).toBe(true);
  });

  it("not as Ollama's by a member that other formats have", () =>
    expect(ollama.recognises({ model: "qwen3", messages: [user], thinking: { type: "enabled" } })).toBe(false));
});

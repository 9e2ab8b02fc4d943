import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { chatCompletions, type Edit, type Protocol, type Reply } from "../../src/protocols/protocols.ts";
import { gemini } from "../../src/protocols/gemini/gemini.ts";
import { messages } from "../../src/protocols/messages/messages.ts";
import { ollama } from "../../src/protocols/ollama/ollama.ts";
import { responses } from "../../src/protocols/responses/responses.ts";

type Json = Readonly<Record<string, unknown>>;

/** What is read of a request, what edits make of it, or what the guard says in its model's place. */
interface Row {
  readonly name: string;
  /** As it is written, where that matters. */
  readonly body: string | Json;
  readonly target?: string;
  /** Some members of the conversation or of the request, `null` where they are not set; `null`: it is not understood. */
  readonly is?: Json | null;
  readonly edits?: readonly Edit[];
  /** The members that are others then, all else as it was; of a text the whole text. */
  readonly becomes?: string | Json;
  /** The content of the guard's own answer as chat completions, or its call. */
  readonly says?: unknown;
  readonly final?: string;
}

describe.each([
  { file: "chat-completions", protocol: chatCompletions, target: "" },
  { file: "responses", protocol: responses, target: "" },
  { file: "messages", protocol: messages, target: "" },
  { file: "gemini", protocol: gemini, target: "/v1beta/models/gemini-2.5-flash:generateContent" },
  { file: "ollama", protocol: ollama, target: "" },
  { file: "dialects/requests", protocol: chatCompletions, target: "" },
])("a request ($file)", ({ file, protocol, target: usual }) => {
  const rows: readonly Row[] = parse(readFileSync(`test/fixtures/protocols/${file}.yaml`, "utf8"));

  it.each(rows)("$name", ({ body, target = usual, is, edits = [], becomes, says, final = 'It is "over".' }) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    if (is !== undefined) expect(readIn(protocol, text, target, Object.keys(is ?? {}))).toEqual(is);
    if (is !== undefined) return;
    const request = protocol.parse(text, target) ?? expect.fail("not understood");
    if (says !== undefined)
      expect(saidBy(protocol.reply(request, { text: final, doneTool: undefined }, stamp))).toEqual(says);
    if (becomes === undefined) return;
    const changed = protocol.rewrite(request, edits);
    if (typeof body === "string" || Object.keys(becomes).length === 0)
      expect(changed).toBe(typeof becomes === "string" ? becomes : text);
    else expect(JSON.parse(changed)).toEqual({ ...body, ...Object(becomes) });
  });
});

const stamp = { id: "1", created: 1 };

function saidBy({ body }: Reply): unknown {
  const { content, tool_calls: [call] = [] } = JSON.parse(body).choices[0].message;
  return call === undefined ? content : { tool: call.function.name, args: call.function.arguments };
}

function readIn(protocol: Protocol, text: string, target: string, members: readonly string[]): Json | null {
  const request = protocol.parse(text, target);
  if (request === undefined) return null;
  const read: Json = { ...request, ...request.conversation };
  return Object.fromEntries(members.map((name) => [name, read[name] ?? null]));
}

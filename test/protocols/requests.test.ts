import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  answerReader,
  chatCompletions,
  type Edit,
  type ParsedRequest,
  type Protocol,
  type Reply,
} from "../../src/protocols/protocols.ts";
import { gemini } from "../../src/protocols/gemini/gemini.ts";
import { messages } from "../../src/protocols/messages/messages.ts";
import type { FinalAnswer } from "../../src/protocols/protocol.ts";
import { ollama } from "../../src/protocols/ollama/ollama.ts";
import { responses } from "../../src/protocols/responses/responses.ts";

type Json = Readonly<Record<string, unknown>>;

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
  readonly reply?: Json;
  readonly final?: Omit<FinalAnswer, "doneTool"> & { readonly doneTool?: string };
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

  it.each(rows)("$name", ({ body, target = usual, is, edits = [], becomes, says, reply, final = { text: OVER } }) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    if (is !== undefined) return expect(readIn(protocol, text, target, Object.keys(is ?? {}))).toEqual(is);
    const request = protocol.parse(text, target) ?? expect.fail("not understood");
    const own = (asked: ParsedRequest) => protocol.reply(asked, { doneTool: undefined, ...final }, stamp);
    if (says !== undefined) expect(saidBy(own(request))).toEqual(says);
    if (reply !== undefined) {
      expect(JSON.parse(own(request).body)).toMatchObject(reply);
      const streamed = protocol.parse(JSON.stringify({ ...Object(body), stream: true }), target);
      expect(streamed && stepOf(protocol, own(streamed))).toEqual(stepOf(protocol, own(request)));
    }
    if (becomes === undefined) return;
    const changed = protocol.rewrite(request, edits);
    if (typeof body === "string" || Object.keys(becomes).length === 0)
      expect(changed).toBe(typeof becomes === "string" ? becomes : text);
    else expect(JSON.parse(changed)).toEqual({ ...body, ...Object(becomes) });
  });
});

const OVER = 'It is "over".';
const stamp = { id: "1", created: 1 };

function stepOf(protocol: Protocol, { contentType, body }: Reply) {
  const reader = answerReader(protocol, contentType, undefined, "");
  reader.push(new TextEncoder().encode(body));
  return reader.end()?.step;
}

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

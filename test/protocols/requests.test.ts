import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { chatCompletions, type Edit, type Protocol } from "../../src/protocols/protocols.ts";
import { gemini } from "../../src/protocols/gemini/gemini.ts";
import { messages } from "../../src/protocols/messages/messages.ts";
import { ollama } from "../../src/protocols/ollama/ollama.ts";
import { responses } from "../../src/protocols/responses/responses.ts";

type Json = Readonly<Record<string, unknown>>;

/** What is read of a request, or what edits make of it. */
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
}

describe.each([
  { protocol: chatCompletions, target: "" },
  { protocol: responses, target: "" },
  { protocol: messages, target: "" },
  { protocol: gemini, target: "/v1beta/models/gemini-2.5-flash:generateContent" },
  { protocol: ollama, target: "" },
])("a request of $protocol.name", ({ protocol, target: usual }) => {
  const rows: readonly Row[] = parse(readFileSync(`test/fixtures/protocols/${protocol.name}.yaml`, "utf8"));

  it.each(rows)("$name", ({ body, target = usual, is, edits = [], becomes }) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    if (is !== undefined) expect(readIn(protocol, text, target, Object.keys(is ?? {}))).toEqual(is);
    if (becomes === undefined) return;
    const request = protocol.parse(text, target) ?? expect.fail("not understood");
    const changed = protocol.rewrite(request, edits);
    if (typeof body === "string" || Object.keys(becomes).length === 0)
      expect(changed).toBe(typeof becomes === "string" ? becomes : text);
    else expect(JSON.parse(changed)).toEqual({ ...body, ...Object(becomes) });
  });
});

function readIn(protocol: Protocol, text: string, target: string, members: readonly string[]): Json | null {
  const request = protocol.parse(text, target);
  if (request === undefined) return null;
  const read: Json = { ...request, ...request.conversation };
  return Object.fromEntries(members.map((name) => [name, read[name] ?? null]));
}

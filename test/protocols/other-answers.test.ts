import { describe, expect, it } from "vitest";
import { protocolFor, splitStream } from "../../src/protocols/protocols.ts";
import { heldBack } from "../support/builders/streams.ts";

const words = '{"candidates":[{"content":{"role":"model","parts":[{"text":"In 箱根 it rains."}]},"index":0}]}';
const line = '{"model":"m","message":{"role":"assistant","content":"箱"},"done":false}\n';
const withinCharacter = (whole: string) => Buffer.from(whole).subarray(0, Buffer.from(whole).indexOf("箱") + 1);

const answers: readonly (readonly [name: string, type: string, body: string | Uint8Array])[] = [
  ["an array that ends within an element", "application/json", `[${words},\r\n${words.slice(0, -8)}`],
  ["an array without its bracket", "application/json", `[${words}`],
  ["an array that ends within a character", "application/json", withinCharacter(`[${words}]`)],
  ["an array of something else", "application/json", '[1, "two", [{"three": 3}], null]'],
  ["events that end within a character", "text/event-stream", withinCharacter(`data: ${words}\r\n\r\n`)],
  ["events of another API", "text/event-stream", 'data: {"choices":[{"delta":{}}]}\n\ndata: [DONE]\n\n'],
  ["lines that end within a character", "application/x-ndjson", withinCharacter(line)],
  ["lines under the type of one JSON text", "application/json", `${line}{"done":true}\n`],
  ["lines that are no JSON", "application/x-ndjson", 'Hi.\n{\n"x"}\n'],
  ["an object that ends early", "application/json", words.slice(0, -8)],
  ["a page", "text/html", "<h1>Hi.</h1>"],
  ["nothing", "application/json", ""],
];

const gemini = "/v1beta/models/gemini-2.5-flash";

describe.each([
  ["chat completions", "/v1/chat/completions", ""],
  ["messages", "/v1/messages", ""],
  ["responses", "/v1/responses", ""],
  ["lines", "/api/chat", ""],
  ["JSON", `${gemini}:generateContent`, ""],
  ["events", `${gemini}:streamGenerateContent`, "?alt=sse"],
  ["an array", `${gemini}:streamGenerateContent`, ""],
])("where %s is asked for, an answer that is", (_, path, query) => {
  it.each(answers)("%s is kept or goes through byte for byte", (__, type, body) => {
    const decoder = protocolFor("POST", path)?.decoder(path + query) ?? expect.fail("no protocol");
    const bytes = Buffer.from(body);
    const pieces = [bytes.subarray(0, 20), bytes.subarray(20)];
    const { passed, kept } = heldBack(splitStream(decoder, false), type, ...pieces);
    expect(Buffer.concat([passed, kept]).toString("latin1")).toBe(bytes.toString("latin1"));
  });
});

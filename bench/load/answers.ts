import { callMark, marksIn, writeRun } from "./marks.ts";
import { type Shape, turnOf } from "./turns.ts";

/** What the model answers at each turn, prepared beforehand; only the run's number is left to be written. */
export interface Answers {
  /** Head and payload. */
  json(turn: number, run: string): Buffer;
  /** Head and all events, each a chunk of its own. */
  streamed(turn: number, run: string): Buffer;
  /** The same in pieces: the head with the first event, then one event each, the last with the end of the chunks. */
  events(turn: number, run: string): readonly Buffer[];
}

interface Template {
  readonly bytes: Buffer;
  readonly marks: Uint32Array;
}

const HEAD = [
  "HTTP/1.1 200 OK",
  "date: Thu, 01 Jan 2026 00:00:00 GMT",
  "openai-organization: bench",
  "openai-processing-ms: 312",
  "openai-version: 2020-10-01",
  "x-ratelimit-remaining-requests: 9999",
  "x-ratelimit-remaining-tokens: 1999000",
  "x-request-id: req_6f1d2c0b9a8e47d5",
];
const JSON_HEAD = [...HEAD, "content-type: application/json"].join("\r\n");
const SSE_HEAD = `${[...HEAD, "content-type: text/event-stream; charset=utf-8", "transfer-encoding: chunked"].join("\r\n")}\r\n\r\n`;

export function answers(shape: Shape): Answers {
  const inJson = kept((turn) => template(whole(jsonPayload(shape, turn))));
  const inEvents = kept((turn) => chunks(shape, turn).map(template));
  const inOne = kept((turn) => template(Buffer.concat(inEvents(turn).map(({ bytes }) => bytes))));
  return {
    json: (turn, run) => filled(inJson(turn), run),
    streamed: (turn, run) => filled(inOne(turn), run),
    events: (turn, run) => inEvents(turn).map((event) => (event.marks.length === 0 ? event.bytes : filled(event, run))),
  };
}

const lengths = new Map<Shape, { readonly json: number[]; readonly streamed: number[] }>();

/** How long the payload of an answer is, without head and framing. In bytes. */
export function payloadBytes(shape: Shape, turn: number, stream: boolean): number {
  const { json, streamed } = lengths.get(shape) ?? { json: [], streamed: [] };
  lengths.set(shape, { json, streamed });
  const known = stream ? streamed : json;
  known[turn] ??= Buffer.byteLength(stream ? eventTexts(shape, turn).join("") : jsonPayload(shape, turn));
  return known[turn];
}

/** The prepared bytes are shared by all connections: each answer is a copy. */
function filled({ bytes, marks }: Template, run: string): Buffer {
  const own = Buffer.from(bytes);
  writeRun(own, marks, run);
  return own;
}

const template = (bytes: Buffer): Template => ({ bytes, marks: marksIn(bytes) });

function kept<T>(make: (turn: number) => T): (turn: number) => T {
  const made = new Map<number, T>();
  return (turn) => {
    const value = made.get(turn) ?? make(turn);
    made.set(turn, value);
    return value;
  };
}

const whole = (payload: string): Buffer =>
  Buffer.from(`${JSON_HEAD}\r\ncontent-length: ${Buffer.byteLength(payload)}\r\n\r\n${payload}`);

const common = (turn: number, object: string) => ({
  id: `chatcmpl-turn${String(turn).padStart(4, "0")}`,
  object,
  created: 1_767_225_600,
  model: "gpt-4.1-2025-04-14",
});

function jsonPayload(shape: Shape, turn: number): string {
  const { pieces, tool, args } = turnOf(shape, turn);
  const call = { id: callMark(turn), type: "function", function: { name: tool, arguments: args } };
  const message = { role: "assistant", content: pieces.join(""), tool_calls: [call], refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "tool_calls" }];
  const usage = { prompt_tokens: 4_000 + turn, completion_tokens: 240, total_tokens: 4_240 + turn };
  return JSON.stringify({ ...common(turn, "chat.completion"), choices, usage, system_fingerprint: "fp_07871e2ad8" });
}

function eventTexts(shape: Shape, turn: number): readonly string[] {
  const { pieces, tool, args } = turnOf(shape, turn);
  const event = (delta: object, end: string | null) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: end }];
    return `data: ${JSON.stringify({ ...common(turn, "chat.completion.chunk"), system_fingerprint: "fp_07871e2ad8", choices })}\n\n`;
  };
  const call = { index: 0, id: callMark(turn), type: "function", function: { name: tool, arguments: args } };
  return [
    ...pieces.map((content, index) => event(index === 0 ? { role: "assistant", content } : { content }, null)),
    event({ tool_calls: [call] }, null),
    event({}, "tool_calls"),
    "data: [DONE]\n\n",
  ];
}

function chunks(shape: Shape, turn: number): readonly Buffer[] {
  const all = eventTexts(shape, turn).map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  return all.map((chunk, index) =>
    Buffer.from(`${index === 0 ? SSE_HEAD : ""}${chunk}${index === all.length - 1 ? "0\r\n\r\n" : ""}`),
  );
}

import type { Json } from "../text/is-object.ts";
import { chatCompletions } from "./chat-completions/chat-completions.ts";
import { gemini } from "./gemini/gemini.ts";
import { messages } from "./messages/messages.ts";
import { ollama } from "./ollama/ollama.ts";
import type { ParsedRequest, Protocol, ProtocolName } from "./protocol.ts";
import { responses } from "./responses/responses.ts";

export { endToolOf } from "./dialects/ends.ts";
export { readMarked } from "./dialects/prompts.ts";
export { cannotEnd, lastForm, modelsAnswer, saysNothing } from "./final-message.ts";
export { type AnswerListener, type AnswerReader, answerReader } from "./answer/read-answer.ts";
export { brokenOffEvent, type Framing } from "./framing.ts";
export { segmentBytes, splitStream, type StreamSegment, type StreamSplitter } from "./answer/split-stream.ts";
export { chatCompletions, chatCompletions as fallbackProtocol } from "./chat-completions/chat-completions.ts";
export type {
  Answer,
  Edit,
  Failure,
  ParsedRequest,
  Protocol,
  ProtocolName,
  Reply,
  Stamp,
  StreamState,
  Usage,
} from "./protocol.ts";

const protocols: readonly Protocol[] = [messages, responses, ollama, chatCompletions, gemini];

export const protocolNames: readonly ProtocolName[] = protocols.map(({ name }) => name);

export function protocolNamed(name: string): Protocol | undefined {
  return protocols.find((protocol) => protocol.name === name);
}

export function protocolRecognising(body: Json): Protocol | undefined {
  return protocols.find((protocol) => protocol.recognises(body));
}

export function protocolFor(method: string, path: string): Protocol | undefined {
  return protocols.find(({ endpoints }) => method === "POST" && endpoints.some((one) => one.test(path)));
}

/** A recorded request of whatever format, or its bare list of messages. Undefined where no format recognises it. */
export function parseRecorded(record: Json): ParsedRequest | undefined {
  const bodies = Array.isArray(record) ? [{ contents: record }, { messages: record }, { input: record }] : [record];
  for (const body of bodies) {
    const protocol = protocolRecognising(body);
    if (protocol !== undefined) return protocol.parse(JSON.stringify(body));
  }
  return undefined;
}

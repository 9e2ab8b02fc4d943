import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { RawAnswer, ScriptedAnswer } from "../wires/scripted-answer.ts";
import { bodyOf, closing, listening } from "./http.ts";
import { type RecordedRequest, type Recording, recorded, type ScriptedRequest } from "./recording.ts";
import { idMaker } from "../wires/writing.ts";
import type { Wire } from "../wires/wire.ts";
import { chatCompletionsWire } from "../wires/chat-completions.ts";

export type { RecordedRequest, ScriptedRequest } from "./recording.ts";

export interface Upstream {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

export type Script = (request: ScriptedRequest, index: number) => ScriptedAnswer;

export async function scriptedUpstream(script: Script, wire: Wire = chatCompletionsWire): Promise<Upstream> {
  const requests: Recording[] = [];
  const nextId = idMaker();
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const recording = recorded(askedBy(incoming), await bodyOf(incoming), wire);
    const scripted = script(recording, requests.push(recording) - 1);
    await write(wire.rendered(scripted, recording.view, nextId), recording, response);
  };
  const server = createServer((incoming, response) => {
    // A client that leaves in mid-body, and a script that throws, both show as a connection that breaks.
    answer(incoming, response).catch(() => response.destroy());
  });
  return { url: await listening(server), requests, close: () => closing(server) };
}

function askedBy({ method = "", url: target = "", headers: fields }: IncomingMessage) {
  return { method, target, fields };
}

async function write(answer: RawAnswer, recording: Recording, response: ServerResponse): Promise<void> {
  response.on("close", () => {
    recording.aborted = answer.ending !== "cut" && !response.writableFinished;
  });
  recording.answerType = answer.fields["content-type"] ?? "";
  response.writeHead(answer.status, answer.fields);
  response.flushHeaders();
  for (const piece of answer.pieces) {
    if (response.destroyed) return;
    recording.answer = Buffer.concat([recording.answer, Buffer.from(piece)]);
    response.write(piece);
    // Lets the piece leave on its own, so that readers really see an answer in pieces.
    await setImmediate();
  }
  if (answer.ending === "end") response.end();
  if (answer.ending === "cut") response.destroy();
}

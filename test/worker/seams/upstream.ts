import { chatBodyOf } from "../../support/wires/chat-wire.ts";
import type { RawAnswer } from "../../support/wires/scripted-answer.ts";
import type { RecordedRequest, Script, Upstream } from "../../support/servers/upstream.ts";
import { chatCompletionsWire as wire } from "../../support/wires/chat-completions.ts";
import { idMaker } from "../../support/wires/id-maker.ts";
import { openHost } from "./network.ts";

/** The scripted model of the stories, as a host of the isolate's own network. */
export async function scriptedUpstream(script: Script): Promise<Upstream> {
  const requests: Recording[] = [];
  const nextId = idMaker();
  const { url, close } = openHost(async (request) => {
    const recording = recorded(request, Buffer.from(await request.arrayBuffer()));
    const scripted = script(recording, requests.push(recording) - 1);
    return answered(wire.rendered(scripted, recording.view, nextId), recording);
  });
  return { url, requests, close: async () => close() };
}

type Recording = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] };

function recorded(request: Request, bytes: Buffer): Recording {
  const json = parsed(bytes);
  return {
    method: request.method,
    target: request.url.slice(new URL(request.url).origin.length),
    fields: Object.fromEntries(request.headers),
    bytes,
    json,
    chat: chatBodyOf(json),
    view: wire.view(json),
    answerType: "",
    answer: Buffer.of(),
    aborted: false,
  };
}

function answered({ status, fields, pieces, ending }: RawAnswer, recording: Recording): Response {
  recording.answerType = fields["content-type"] ?? "";
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) {
        const bytes = Buffer.from(piece);
        recording.answer = Buffer.concat([recording.answer, bytes]);
        controller.enqueue(new Uint8Array(bytes));
      } else if (ending === "end") controller.close();
      else if (ending === "cut") controller.error(new Error("The upstream died."));
    },
    cancel() {
      recording.aborted = true;
    },
  });
  return new Response(body, { status, headers: fields });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // Not JSON is a legitimate thing to be asked; the script sees the bytes.
    return undefined;
  }
}

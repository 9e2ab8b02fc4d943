import type { RawAnswer } from "../../support/wires/scripted-answer.ts";
import { type Recording, recorded } from "../../support/servers/recording.ts";
import type { Script, Upstream } from "../../support/servers/upstream.ts";
import { chatCompletionsWire as wire } from "../../support/wires/chat-completions.ts";
import { idMaker } from "../../support/wires/writing.ts";
import { openHost } from "./network.ts";

/** The scripted model of the stories, as a host of the isolate's own network. */
export async function scriptedUpstream(script: Script): Promise<Upstream> {
  const requests: Recording[] = [];
  const nextId = idMaker();
  const { url, close } = openHost(async (request) => {
    const { method, url: asked, headers } = request;
    const target = asked.slice(new URL(asked).origin.length);
    const bytes = Buffer.from(await request.arrayBuffer());
    const recording = recorded({ method, target, fields: Object.fromEntries(headers) }, bytes, wire);
    const scripted = script(recording, requests.push(recording) - 1);
    return answered(wire.rendered(scripted, recording.view, nextId), recording);
  });
  return { url, requests, close: async () => close() };
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

import { expect, it } from "vitest";
import { guardRig, standard } from "../../proxy/guard-rig.ts";
import { ollamaWire } from "../../support/wires/ollama.ts";
import { line } from "./support.ts";

const body = JSON.stringify(ollamaWire.body({ said: [{ who: "user", text: "Go." }], stream: true }));

function cutWithin(text: string, character: string): Uint8Array {
  return Buffer.from(text).subarray(0, Buffer.from(text).indexOf(character) + 1);
}

it.each([
  {
    name: "server-sent events",
    type: "text/event-stream",
    pieces: ['data: {"choices":[{"delta":{"content":"Hi."}}]}\n\n'],
  },
  {
    name: "one JSON text",
    type: "application/json",
    pieces: ['{"message":{"role":"assistant","content":"Hi."},"done":true}'],
  },
  {
    name: "lines under the type of one JSON text",
    type: "application/json",
    pieces: [line({ content: "Hi." }), line({}, { done: true })],
  },
  { name: "lines that are no JSON", type: "application/x-ndjson", pieces: ["Hi.\n", "{\n", '"x"}\n'] },
  {
    name: "lines that end within a character",
    type: "application/x-ndjson",
    pieces: [cutWithin(line({ content: "箱" }), "箱")],
  },
  { name: "a page", type: "text/html", pieces: ["<h1>Hi.</h1>"] },
])("an answer that is $name goes through byte for byte", async ({ type, pieces }) => {
  const fields = { "content-type": type };
  const rig = await guardRig(
    () => ({ kind: "raw", status: 200, fields, pieces, ending: "end" }),
    { policy: standard() },
    ollamaWire,
  );
  const answer = await fetch(`${rig.url}/api/chat`, { method: "POST", body });
  expect(answer.headers.get("x-unloop-verdict")).toBe("ok");
  expect(answer.headers.get("content-type")).toBe(type);
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
});

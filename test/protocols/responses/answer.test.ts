import { expect, it } from "vitest";
import { segmentBytes, splitStream } from "../../../src/protocols/protocols.ts";
import { responses } from "../../../src/protocols/responses/responses.ts";

const said = (type: string, more: object) => `data: ${JSON.stringify({ type: `response.${type}`, ...more })}\n\n`;
const added = said("output_item.added", { output_index: 0, item: { type: "message", id: "m", content: [] } });
const bytesOf = (text: string) => new TextEncoder().encode(text);
const EVENTS = 20_000;

function resumed(partOf: (index: number) => number): unknown {
  const first = splitStream(responses.decoder(), false);
  const begun = said("created", { response: { id: "r" }, sequence_number: 0 }) + added;
  first.push(bytesOf(begun), () => undefined);
  const place = (index: number) => ({ output_index: 0, content_index: partOf(index) });
  const deltas = Array.from({ length: EVENTS }, (_, at) => said("output_text.delta", { ...place(at), delta: "a" }));
  const bytes = bytesOf([added, ...deltas, said("output_text.done", place(EVENTS - 1))].join(""));
  const second = splitStream(responses.resume(first.state(), first.state()), false);
  const events = Buffer.from(segmentBytes(second, bytes)).toString();
  return JSON.parse(events.slice(events.lastIndexOf("data: ") + 6));
}

it.each([
  ["one part", () => 0, "a".repeat(EVENTS)],
  // Looked for among all others they would take a minute.
  ["very many parts", (index: number) => index, "a"],
])("goes on with a stream of %s", (_, partOf, text) => {
  expect(resumed(partOf)).toMatchObject({ output_index: 1, sequence_number: EVENTS + 3, text });
});

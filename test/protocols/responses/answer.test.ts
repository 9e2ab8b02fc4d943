import { expect, it } from "vitest";
import { segmentBytes, splitStream } from "../../../src/protocols/protocols.ts";
import { responses } from "../../../src/protocols/responses/responses.ts";

const said = (type: string, more: object) => `data: ${JSON.stringify({ type: `response.${type}`, ...more })}\n\n`;
const added = said("output_item.added", { output_index: 0, item: { type: "message", id: "m", content: [] } });
const bytesOf = (text: string) => new TextEncoder().encode(text);
const EVENTS = 20_000;

/** The last event of a stream that went on with another, and the CPU time that all of them took. */
function resumed(partOf: (index: number) => number) {
  const first = splitStream(responses.decoder(), false);
  const begun = said("created", { response: { id: "r" }, sequence_number: 0 }) + added;
  first.push(bytesOf(begun), () => undefined);
  const place = (index: number) => ({ output_index: 0, content_index: partOf(index) });
  const deltas = Array.from({ length: EVENTS }, (_, at) => said("output_text.delta", { ...place(at), delta: "a" }));
  const bytes = bytesOf([added, ...deltas, said("output_text.done", place(EVENTS - 1))].join(""));
  const before = process.cpuUsage();
  const second = splitStream(responses.resume(first.state(), first.state()), false);
  const events = Buffer.from(segmentBytes(second, bytes)).toString();
  const took = process.cpuUsage(before).user;
  return { last: JSON.parse(events.slice(events.lastIndexOf("data: ") + 6)), took };
}

it("goes on with a stream of very many parts about as fast as with one of a single part", () => {
  const [one, many] = [resumed(() => 0), resumed((index) => index)];
  const last = { output_index: 1, sequence_number: EVENTS + 3 };
  expect(one.last).toMatchObject({ ...last, text: "a".repeat(EVENTS) });
  expect(many.last).toMatchObject({ ...last, text: "a" });
  expect(many.took).toBeLessThan(10 * one.took);
});

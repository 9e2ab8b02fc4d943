import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { StreamSplitter } from "../../../src/protocols/protocols.ts";
import { holdback } from "../../../src/proxy/intercept/holdback.ts";

export interface Streamed {
  readonly bytes: Buffer;
  readonly pieces: readonly Buffer[];
}

const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/chat-completions/${name}.sse`, import.meta.url), "utf8");
const recordings = ["text", "parallel-tools", "legacy-function", "text-action"].map(fixture);
const events = [...recordings, fixture("odd")].flatMap((text) => text.split("\n\n")).filter((event) => event !== "");

export const anyStream: fc.Arbitrary<Streamed> = fc
  .record({
    text: fc.oneof(
      fc.constantFrom(...recordings),
      fc
        .tuple(fc.constantFrom("", "\ufeff", "\n\n"), fc.array(fc.constantFrom(...events), { maxLength: 10 }))
        .map(([before, chosen]) => before + chosen.map((event) => `${event}\n\n`).join("")),
    ),
    newline: fc.constantFrom("\n", "\r\n", "\r"),
    end: fc.option(fc.nat(2_000), { nil: undefined, freq: 4 }),
    cuts: fc.array(fc.nat(100_000), { maxLength: 8 }),
  })
  .map(({ text, newline, end, cuts }) => {
    const bytes = Buffer.from(text.replaceAll("\n", newline)).subarray(0, end);
    const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
    return { bytes, pieces: [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length)) };
  });

/** What keeps a connection alive may come before what it stood behind: it is left out where bytes are compared. */
export function withoutKeepAlives(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("latin1")
    .replace(/: [\w -]+(\r\n|\r|\n){1,2}/g, "");
}

/** An answer of which any call may complete a loop: what passes at once, and what is kept at its end. */
export function heldBack(stream: StreamSplitter, contentType: string, ...pieces: readonly Uint8Array[]) {
  const passed: Uint8Array[] = [];
  const nothing = () => undefined;
  const sink = { head: nothing, write: (bytes: Uint8Array) => void passed.push(bytes), end: nothing, fail: nothing };
  const at = holdback(sink, { stream, candidates: undefined });
  at.head(200, { "content-type": contentType });
  for (const piece of pieces) at.write(piece);
  at.end();
  return { passed: Buffer.concat(passed), kept: Buffer.from(at.held()?.bytes ?? []) };
}

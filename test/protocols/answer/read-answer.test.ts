import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatCompletions } from "../../../src/protocols/chat-completions/chat-completions.ts";
import { messages } from "../../../src/protocols/messages/messages.ts";
import { answerReader, type Protocol } from "../../../src/protocols/protocols.ts";
import { anthropicFrames, chatFrames } from "../../support/builders/framed-streams.ts";
import { soundStream, strangeStream } from "../../support/builders/streams.ts";

/** The same format, each of whose events is decoded. */
function plodding(format: Protocol): Protocol {
  return { ...format, decoder: () => ({ ...format.decoder(), frame: () => undefined }) };
}

interface Read {
  readonly told: readonly (readonly [string, string])[];
  readonly unread: number;
  readonly closing: string | undefined;
  readonly answer: unknown;
}

/** All that can be learnt from a reader. @param enough after so many texts no more is wanted @param closes it is ended where it is */
function readBy(
  format: Parameters<typeof answerReader>[0],
  pieces: readonly Uint8Array[],
  enough: number,
  closes: boolean,
): Read {
  const told: [string, string][] = [];
  const reader = answerReader(format, "text/event-stream", (part, text) => told.push([part, text]) >= enough);
  let unread = 0;
  for (const piece of pieces) {
    reader.push(piece);
    unread += reader.unread();
    if (told.length >= enough) break;
  }
  return { told, unread, closing: closes ? reader.close() : undefined, answer: reader.end() };
}

const ways = fc.record({ enough: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(40)), closes: fc.boolean() });

describe.each([
  { format: chatCompletions, streams: chatFrames },
  { format: messages, streams: anthropicFrames },
])("a reader of $format.name", ({ format, streams }) => {
  it("reads events that are alike but for a text as it reads each by itself, however they come", () => {
    fc.assert(
      fc.property(streams, ways, ({ pieces }, { enough, closes }) => {
        expect(readBy(format, pieces, enough, closes)).toEqual(readBy(plodding(format), pieces, enough, closes));
      }),
      { numRuns: 1_000 },
    );
  });

  it("reads any stream so", () => {
    fc.assert(
      fc.property(fc.oneof(soundStream(), strangeStream), ways, ({ pieces }, { enough, closes }) => {
        expect(readBy(format, pieces, enough, closes)).toEqual(readBy(plodding(format), pieces, enough, closes));
      }),
      { numRuns: 300 },
    );
  });
});

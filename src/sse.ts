import { createParser } from "eventsource-parser";

/** One server-sent event. */
export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Turns bytes, in whatever pieces they come, into events. */
export interface SseReader {
  /** The events that these bytes complete. Undefined, now and ever after: one event outgrew the bound. */
  push(bytes: Uint8Array): readonly SseEvent[] | undefined;
  /** After the last byte: the event, if any, that only lacked its closing blank line. It may be cut short. */
  end(): readonly SseEvent[];
}

/** Understands every line ending, comments and split multi-byte characters. Keeps at most about `maxEventChars` characters. */
export function sseReader(maxEventChars: number): SseReader {
  const decoder = new TextDecoder();
  let events: SseEvent[] = [];
  let outgrown = false;
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: ({ event, data }) => events.push({ event, data }),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") outgrown = true;
    },
  });

  function feed(text: string): readonly SseEvent[] {
    // The parser takes its first piece for the start of the stream, however empty.
    if (text === "" || outgrown) return [];
    events = [];
    parser.feed(text);
    return events;
  }

  return {
    push(bytes) {
      const complete = feed(decoder.decode(bytes, { stream: true }));
      return outgrown ? undefined : complete;
    },
    end: () => feed(`${decoder.decode()}\n\n`),
  };
}

/** The text of one event on the wire. */
export function sseText({ event, data }: SseEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}${lines.join("")}\n`;
}

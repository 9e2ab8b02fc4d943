/** HTTP/1.1 read with as little work as a measurement allows: nothing is decoded that is not needed. */

const HEAD_END = "\r\n\r\n";

/** How many bytes of a body's end are kept for who wants to look into it. */
const KEPT_BYTES = 32 * 1024;

/** Gathers the last bytes of what passes by. */
export interface Tail {
  add(bytes: Buffer): void;
  /** At least the last `KEPT_BYTES`, as far as there were so many; a new one begins. */
  take(): Buffer;
}

export function tail(): Tail {
  let pieces: Buffer[] = [];
  let length = 0;
  return {
    add(bytes) {
      pieces.push(bytes);
      length += bytes.length;
      while (length - (pieces[0]?.length ?? 0) >= KEPT_BYTES) length -= pieces.shift()?.length ?? 0;
    },
    take() {
      const [first = Buffer.alloc(0)] = pieces;
      const kept = pieces.length === 1 ? first : Buffer.concat(pieces);
      pieces = [];
      length = 0;
      return kept;
    },
  };
}

export interface MessageReader {
  read(bytes: Buffer): void;
}

export interface MessageEvents {
  head(text: string): void;
  /** A piece of the body, framing removed. */
  body(bytes: Buffer): void;
  end(): void;
  /** Neither a length nor chunks: where it ends, only the connection's end could say. */
  endless(head: string): void;
}

/** Reads one message after the other, each with a length or in chunks. */
export function messageReader(events: MessageEvents): MessageReader {
  let pending: Buffer | undefined;
  let body: BodyReader | undefined;
  const read = (bytes: Buffer): void => {
    if (body !== undefined) {
      const rest = body(bytes);
      if (rest === undefined) return;
      body = undefined;
      events.end();
      if (rest.length > 0) read(rest);
      return;
    }
    const all = pending === undefined ? bytes : Buffer.concat([pending, bytes]);
    const end = all.indexOf(HEAD_END);
    pending = end === -1 ? all : undefined;
    if (end === -1) return;
    const head = all.toString("latin1", 0, end);
    events.head(head);
    body = bodyReader(head, events);
    if (body === undefined) events.endless(head);
    else read(all.subarray(end + HEAD_END.length));
  };
  return { read };
}

/** Takes bytes; gives what lies behind the body's end, once that is reached. */
type BodyReader = (bytes: Buffer) => Buffer | undefined;

function bodyReader(head: string, events: MessageEvents): BodyReader | undefined {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return sized(Number(length), events);
  return /\r\ntransfer-encoding: *chunked/i.test(head) ? chunked(events) : undefined;
}

function sized(length: number, events: MessageEvents): BodyReader {
  let left = length;
  return (bytes) => {
    const own = bytes.length <= left ? bytes : bytes.subarray(0, left);
    left -= own.length;
    if (own.length > 0) events.body(own);
    return left === 0 ? bytes.subarray(own.length) : undefined;
  };
}

const LINE_FEED = 10;
const LINE_END_BYTES = 2;

function chunked(events: MessageEvents): BodyReader {
  /** Of the chunk's data and the line end behind it; undefined while its size is being read. */
  let left: number | undefined;
  let line = "";
  let isLast = false;
  return (bytes) => {
    let at = 0;
    while (at < bytes.length) {
      if (left === undefined) {
        const feed = bytes.indexOf(LINE_FEED, at);
        line += bytes.toString("latin1", at, feed === -1 ? bytes.length : feed);
        if (feed === -1) return undefined;
        at = feed + 1;
        const size = Number.parseInt(line, 16);
        line = "";
        isLast = size === 0;
        left = size + LINE_END_BYTES;
      }
      const here = Math.min(left, bytes.length - at);
      const data = Math.min(left - LINE_END_BYTES, here);
      if (data > 0) events.body(bytes.subarray(at, at + data));
      left -= here;
      at += here;
      if (left > 0) return undefined;
      left = undefined;
      if (isLast) return bytes.subarray(at);
    }
    return undefined;
  };
}

import { Buffer, isAscii } from "node:buffer";

/** CRC-32 of what came before, whose checksum is given second, and these bytes. */
export { crc32 as checksum } from "node:zlib";

/** A text with a character for each byte: where bytes are cut at ASCII alone. */
export function latin1Text(bytes: Uint8Array): string {
  return searchable(bytes).toString("latin1");
}

export function latin1Bytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

/** The same bytes, which can be searched for a text, and several times as fast as a typed array for one of them. */
export function searchable(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of these bytes; undefined where they are not UTF-8: what cannot be read exactly cannot be edited exactly. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  // As most bodies are; copying is several times faster than decoding.
  if (isAscii(bytes)) return latin1Text(bytes);
  try {
    return UTF8.decode(bytes);
  } catch {
    // Other bytes are an expected answer to a question, not a failure.
    return undefined;
  }
}

/** The pieces one after the other; a single one as it is. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1 && pieces[0] !== undefined) return pieces[0];
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** In characters. */
export const LONGEST_ASCII = 16_384;

/** Where ASCII is read: bytes are read several times as fast as characters. Nothing stays here from one call to the next. */
export const bytes = new Uint8Array(LONGEST_ASCII);
const encoder = new TextEncoder();

/** Puts a text into `bytes`, and tells how many there are; undefined if it is longer, or not all ASCII. */
export function readAscii(text: string): number | undefined {
  if (text.length > LONGEST_ASCII) return undefined;
  const { read, written } = encoder.encodeInto(text, bytes);
  return read === text.length && written === read ? written : undefined;
}

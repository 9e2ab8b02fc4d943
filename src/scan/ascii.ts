/** In characters. */
const LONGEST_ASCII = 16_384;

/** Where ASCII is read: bytes are read several times as fast as characters. Nothing stays here from one call to the next. */
export const bytes = new Uint8Array(LONGEST_ASCII);
const encoder = new TextEncoder();

/** Dashes, curly quotes, bullets, arrows and frames: what English has beyond ASCII is marks as a rule. */
const MARKS = /[\u00a0\u2010-\u2027\u2190-\u21ff\u2500-\u257f]/g;

/**
 * Puts a text into `bytes`, with a blank for each mark that stands between words, and tells how many bytes there are;
 * undefined if it is longer, or has other characters than ASCII.
 */
export function readAscii(text: string): number | undefined {
  if (text.length > LONGEST_ASCII) return undefined;
  return encoded(text) ?? encoded(text.replace(MARKS, " "));
}

function encoded(text: string): number | undefined {
  const { read, written } = encoder.encodeInto(text, bytes);
  return read === text.length && written === read ? written : undefined;
}

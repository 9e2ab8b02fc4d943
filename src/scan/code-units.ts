/** Longer texts are read by head and tail. In UTF-16 units. */
export const LONGEST_SAMPLE = 16_384;
/** What stands for a middle besides; and lower case may be twice as long. */
export const MOST_UNITS = 2 * LONGEST_SAMPLE + 64;

/** Where a text's units are read: several times as fast as characters of a string. Nothing stays here from one call to the next. */
export const codeUnits = new Uint16Array(MOST_UNITS + 1);

const bytes = new Uint8Array(MOST_UNITS);
const encoder = new TextEncoder();
/** To encode a shorter text takes longer than to look at its characters. */
const FEW = 96;

/** Puts a text of at most `MOST_UNITS` into `codeUnits`, with a zero behind it, and tells its length. */
export function readCodeUnits(text: string): number {
  const { length } = text;
  if (length > FEW && isAscii(text)) codeUnits.set(bytes.subarray(0, length));
  else for (let i = 0; i < length; i++) codeUnits[i] = text.charCodeAt(i);
  codeUnits[length] = 0;
  return length;
}

/** Then `bytes` are its characters. */
function isAscii(text: string): boolean {
  const { read, written } = encoder.encodeInto(text, bytes);
  return read === text.length && written === read;
}

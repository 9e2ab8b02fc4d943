/** Longer texts are read by head and tail. In UTF-16 units. */
export const LONGEST_SAMPLE = 16_384;
/** What stands for a middle besides; and lower case may be twice as long. */
export const MOST_UNITS = 2 * LONGEST_SAMPLE + 64;

/** Where a text's units are read: several times as fast as characters of a string. Nothing stays here from one call to the next. */
export const codeUnits = new Uint16Array(MOST_UNITS + 1);

/** The same of a text in ASCII. */
export const asciiUnits = new Uint8Array(MOST_UNITS + 1);

const encoder = new TextEncoder();
/** To encode a shorter text takes longer than to look at its characters. */
const FEW = 96;

/**
 * Puts a text of at most `MOST_UNITS` into `codeUnits`, with a zero behind it. True where it is in `asciiUnits`, too, as it is only in
 * ASCII and of some length.
 */
export function readCodeUnits(text: string): boolean {
  const { length } = text;
  codeUnits[length] = 0;
  if (length > FEW && isAscii(text)) {
    codeUnits.set(asciiUnits.subarray(0, length));
    asciiUnits[length] = 0;
    return true;
  }
  for (let i = 0; i < length; i++) codeUnits[i] = text.charCodeAt(i);
  return false;
}

/** Then `asciiUnits` are its characters. */
function isAscii(text: string): boolean {
  const { read, written } = encoder.encodeInto(text, asciiUnits);
  return read === text.length && written === read;
}

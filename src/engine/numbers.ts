/** In UTF-16 units; each takes three bytes at most. */
const STRETCH = 8_192;

/** Where a stretch is read: bytes are read several times as fast as characters. Nothing stays here between two calls. */
const bytes = new Uint8Array(3 * STRETCH);
const encoder = new TextEncoder();

/** Of a text without any, in two halves. */
export const NO_NUMBERS: readonly [number, number] = [0x811c9dc5 | 0, 0];

/** @param isNumber a digit stands right before it */
export function withDigit(half: number, digit: number, isNumber: boolean): number {
  return Math.imul(half ^ unitOf(digit, isNumber), 0x01000193);
}

/** The same for the other half. */
export function withOtherDigit(half: number, digit: number, isNumber: boolean): number {
  return Math.imul(half + unitOf(digit, isNumber), 0x85ebca6b) ^ (half >>> 15);
}

/** The first digit counts as another one: 1 and 23 are not 12 and 3. */
function unitOf(digit: number, isNumber: boolean): number {
  return isNumber ? digit : digit + 0x80;
}

export function numbersText(one: number, other: number): string {
  return `${one},${other}`;
}

/** The numbers in a text, in order, shortened to 64 bits; empty where there are none. */
export function numbersIn(text: string): string {
  let [one, other] = NO_NUMBERS;
  let isNumber = false;
  let hasNumbers = false;
  for (let from = 0; from < text.length; from += STRETCH) {
    const { written } = encoder.encodeInto(text.slice(from, from + STRETCH), bytes);
    for (let i = 0; i < written; i++) {
      const byte = bytes[i] ?? 0;
      const isDigit = byte >= 0x30 && byte <= 0x39;
      if (isDigit) {
        one = withDigit(one, byte, isNumber);
        other = withOtherDigit(other, byte, isNumber);
        hasNumbers = true;
      }
      isNumber = isDigit;
    }
  }
  return hasNumbers ? numbersText(one, other) : "";
}

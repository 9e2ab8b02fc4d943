/** A text from outside for a terminal: what would move its cursor, colour it or turn its direction stands there as an escape. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A path or URL without the slashes at its end. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (text.endsWith("/", end) && end > 0) end--;
  return text.slice(0, end);
}

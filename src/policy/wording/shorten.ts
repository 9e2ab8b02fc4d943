/** One line, cut between characters: half a surrogate pair would not survive as UTF-8. */
export function shorten(text: string, max: number): string {
  const trimmed = text.trim();
  const head = trimmed.slice(0, 4 * max).toWellFormed();
  const characters = Array.from(head.replace(/[\s\p{Cc}]+/gu, " "));
  if (head.length === trimmed.length && characters.length <= max) return characters.join("");
  return `${characters.slice(0, max).join("")}…`;
}

/** System reminders: notes that an agent's harness adds to user messages and tool results, and that belong to neither. */
const OPENING = "<system-reminder>";
const CLOSING = "</system-reminder>";

/** The text without them. One that is never closed is no note. */
export function withoutReminders(text: string): string {
  const [rest = "", ...closed] = text.split(CLOSING).reverse();
  const pieces = closed.reverse().map((piece) => {
    const open = piece.indexOf(OPENING);
    return open < 0 ? piece + CLOSING : piece.slice(0, open);
  });
  const without = [...pieces, rest].join("");
  return without.length === text.length ? text : without.trim();
}

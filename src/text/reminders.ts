/** System reminders: notes that an agent's harness adds to user messages and tool results, and that belong to neither. */
const OPENING = "<system-reminder>";
const CLOSING = "</system-reminder>";

/** The text without them. One that is never closed is no note. */
export function withoutReminders(text: string): string {
  let open = text.indexOf(OPENING);
  if (open === -1) return text;
  const pieces: string[] = [];
  let from = 0;
  while (open !== -1) {
    const close = text.indexOf(CLOSING, open);
    if (close === -1) break;
    pieces.push(text.slice(from, open));
    from = close + CLOSING.length;
    open = text.indexOf(OPENING, from);
  }
  return from === 0 ? text : [...pieces, text.slice(from)].join("").trim();
}

/** How frameworks begin to repeat their instructions behind what a tool said. */
const REMINDER =
  /\n\r?\n[ \t]{0,8}(you only have access to the following tools|important: use the following format|use the following format|remember to (use|respond|answer)|(please )?(respond|reply|answer) (only )?in (the following|this) format)/i;

/** A turn without the format reminder that a framework has appended to its outcome: that would make equal outcomes differ. */
export function withoutReminder(text: string): string {
  const match = REMINDER.exec(text);
  return match === null ? text : text.slice(0, match.index);
}

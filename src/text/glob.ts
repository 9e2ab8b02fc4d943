/**
 * A pattern in which `*` stands for any characters, compared without regard to case. Linear in the text, whatever the
 * pattern: texts come from clients.
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const last = rest.pop();
  return (text) => {
    const whole = text.toLowerCase();
    if (last === undefined) return whole === first;
    if (!whole.startsWith(first)) return false;
    let from = first.length;
    for (const part of rest) {
      const at = whole.indexOf(part, from);
      if (at === -1) return false;
      from = at + part.length;
    }
    return whole.length - last.length >= from && whole.endsWith(last);
  };
}

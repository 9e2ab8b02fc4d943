const STEM = "unloop-left-out-";
/** A stem with its number; longer numbers are none of ours. */
const NUMBERED = /unloop-left-out-(\d{1,9})-/g;

/** The beginning of a mark that stands nowhere in a text. One pass over it, and short whatever the text holds: it is repeated in each mark. */
export function unusedStem(text: string): string {
  if (!text.includes(STEM)) return STEM;
  const used = new Set<string>();
  for (const [, number = ""] of text.matchAll(NUMBERED)) used.add(number);
  let unused = 0;
  while (used.has(String(unused))) unused++;
  return `${STEM}${unused}-`;
}

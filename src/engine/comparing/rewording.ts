import type { Sketch } from "../../scan/scan.ts";

const EMPTY = ".";
/** From this share of known words on a text says nothing new. */
const KNOWN = 0.7;
/** Texts that differ by no more words in length are made in one mould. */
const MOULD = 2;

/** Measure of a text that was said or thought. */
export interface TextMeasure {
  readonly sketch: Sketch;
  readonly words: number;
}

/**
 * Which texts say again what those before them have said, in other words. A list told in one mould ("consider the river
 * table …", "consider the stone table …") is none: what differs is what is told.
 */
export function reworded(texts: readonly TextMeasure[]): readonly boolean[] {
  if (isOneMould(texts)) return texts.map(() => false);
  return texts.map(
    ({ sketch }, i) =>
      shareKnown(
        sketch,
        texts.slice(0, i).map((text) => text.sketch),
      ) >= KNOWN,
  );
}

/** What differs between texts of about the same length is what each of them tells. */
export function isOneMould(texts: readonly TextMeasure[]): boolean {
  const lengths = texts.map(({ words }) => words);
  return Math.max(...lengths) - Math.min(...lengths) <= MOULD;
}

/** Whether hardly a word of a text is new after the others. @param share of its words that they have, 0 to 1 */
export function isKnownBy(text: Sketch, others: readonly Sketch[], share: number): boolean {
  return shareKnown(text, others) >= share;
}

/** The share of a text's buckets that any of the others has alike. */
function shareKnown(text: Sketch, others: readonly Sketch[]): number {
  let used = 0;
  let shared = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === EMPTY) continue;
    used++;
    if (others.some((other) => other[i] === text[i])) shared++;
  }
  return used === 0 ? 0 : shared / used;
}

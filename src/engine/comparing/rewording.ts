import { type Sketch, similarity } from "../../scan/scan.ts";

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

/** A turn of talk: what this side says, and what it hears after that. */
export interface Round {
  readonly said: TextMeasure;
  readonly heard: TextMeasure;
}

/** Shorter texts are acknowledgements, longer ones explain; who hears more may have heard something new. In words. */
const LENGTH = { least: 4, most: 20, heard: 20 };
/** A text that has so much in common with more than one before it is a form that is filled in anew. */
const FORM = 0.5;
/** What a text is about was said twice before: so many words, and such a share of it. */
const TOPIC = { words: 2, share: 0.25 };
/** What a turn that says something else takes away. */
const OTHER = 0.5;

/** How many turns say again in other words what was said, whatever is heard: the sum at the last one; 0 if that says anything else. */
export function restatements(rounds: readonly Round[]): number {
  if (!isRestated(rounds, rounds.length - 1)) return 0;
  return rounds.reduce((sum, { said }, at) => {
    if (at === 0 || said.words < LENGTH.least) return sum;
    return Math.max(0, sum + (isRestated(rounds, at) ? 1 : -OTHER));
  }, 0);
}

function isRestated(rounds: readonly Round[], at: number): boolean {
  const before = rounds.slice(0, at);
  const { sketch = "", words = 0 } = rounds[at]?.said ?? {};
  const heard = before.at(-1)?.heard;
  if (
    heard === undefined ||
    heard.words === 0 ||
    heard.words > LENGTH.heard ||
    words < LENGTH.least ||
    words > LENGTH.most
  )
    return false;
  const earlier = before.map(({ said }) => said.sketch);
  if (earlier.filter((text) => similarity(text, sketch) >= FORM).length > 1) return false;
  let [used, topic] = [0, 0];
  for (let i = 0; i < sketch.length; i++) {
    if (sketch[i] === EMPTY) continue;
    const times = earlier.filter((text) => text[i] === sketch[i]).length;
    // It takes up what it has just heard.
    if (times === 0 && heard.sketch[i] === sketch[i]) return false;
    used++;
    if (times > 1) topic++;
  }
  return topic >= TOPIC.words && topic >= TOPIC.share * used;
}

import { END, SPEECH, STRUCTURE, DATA, type Unit } from "./tail.ts";

/** Sentences of a running text that it has said before, and nothing new between them, whatever their order and their layout. */
export interface StaleSentences {
  unit(unit: Unit): void;
  newline(): void;
  /** Of those in a row that were said often enough to be no quotation, and the text since the last new words. */
  stale(): { readonly sentences: number; readonly chars: number };
}

/** Remembered sentences and lines, by hash; a power of two. One that takes another's place makes that one new again. */
const PLACES = 512;
/** A text may be quoted, and be shown once more with a change: only what was said so often before is stale. */
const OFTEN = 3;
const LEAST_WORDS = 3;
/** Of a line that ends in no mark. */
const UNENDED_WORDS = 6;

export function staleSentences(): StaleSentences {
  const hashes = new Int32Array(PLACES);
  const counts = new Int32Array(PLACES);
  let isProse = true;
  let [hash, words] = [0, 0];
  let [sentences, since, end] = [0, 0, 0];

  /** @param least words that make a sentence of it */
  function finish(least: number): void {
    if (hash === 0) return;
    const place = hash & (PLACES - 1);
    const isNew = hashes[place] !== hash;
    const before = isNew ? 0 : (counts[place] ?? 0);
    hashes[place] = hash;
    counts[place] = before + 1;
    if (isNew) [sentences, since] = [0, end];
    else if (isProse && words >= least && before >= OFTEN) sentences++;
    [hash, words] = [0, 0];
  }

  return {
    unit(unit) {
      // A row, an item, a heading, data: what such a line says is said once for each.
      if (words < 2 && (unit.kind === STRUCTURE || unit.kind === DATA)) isProse = false;
      hash = Math.imul(hash ^ unit.hash, 0x01000193);
      end = unit.end;
      if (unit.kind === SPEECH) words++;
      else if (unit.kind === END) finish(LEAST_WORDS);
    },
    newline() {
      finish(UNENDED_WORDS);
      isProse = true;
    },
    stale: () => ({ sentences, chars: end - since }),
  };
}

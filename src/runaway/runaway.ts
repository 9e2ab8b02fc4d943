import { hashUnit } from "../text/hash.ts";
import { jsonAware } from "./embedded-json.ts";
import { DATA, END, SPEECH, type Stretch, STRUCTURE, type Tail, tailOf, type Unit } from "./tail.ts";
import { NO_NUMBER, unitReader } from "./units.ts";

export { callFlood, FLOOD_LAPS } from "./call-flood.ts";
export { asksForRepetition } from "./requested-repetition.ts";

/** Runaway: what repeats itself at the end of a text. */
export interface Runaway {
  readonly laps: number;
  /** About so many tokens make a lap. */
  readonly blockTokens: number;
  /** Length of the repeated stretch, all laps together. */
  readonly chars: number;
  /** Of a flood: the calls so far, one of which stands there for the last of its `laps`. */
  readonly calls?: number;
}

export interface RunawayLimits {
  /** Laps of a block of up to 16 tokens. */
  readonly shortLaps: number;
  /** Laps of a block of up to 60 tokens. */
  readonly longLaps: number;
  /** Characters of the repeated stretch; a stretch of nothing but blanks counts from there on too. */
  readonly leastChars: number;
}

/** Runaway scanner: watches one text as it comes in, in whatever pieces. Linear time, bounded memory. */
export interface RunawayScanner {
  /** What runs away since this piece, if something does. The first finding is final: it is given again for all that follows. */
  push(delta: string): Runaway | undefined;
}

const SHORT_BLOCK = 16;
const LONG_BLOCK = 60;

/**
 * Where repetition is expected the limits are many times higher, since only the user knows how many rows are enough. `among`:
 * laps that hold structure and speech (list items, equal objects, sections); `within`: nothing but structure (fences, numbers).
 */
const PATIENCE = { among: 50, within: 200 };

/** Widest run of blanks in a fence or a row, where columns are padded. */
const WIDEST_PADDING = 1_000;

/** Words that make a sentence which says nothing new when only its number goes up; shorter ones are numbered for a reason. */
const COUNTED_WORDS = 12;

/** Times the laps of a short block: so many stale sentences are a chant, whatever is laid out between them. */
const STALE = 4;

/** Texts are kept up to here before they are scanned: most calls' arguments are shorter, and need no scanner. In characters. */
const KEPT = 256;

export function runawayScanner(limits: RunawayLimits): RunawayScanner {
  // No repetition is longer than the text that it is in.
  const least = Math.min(limits.leastChars, KEPT);
  /** As numbers: a text that was cut out of a longer one would keep all of that alive. */
  const units: number[] = [];
  let scanner: RunawayScanner | undefined;
  return {
    push(delta) {
      if (scanner !== undefined) return scanner.push(delta);
      if (units.length + delta.length < least) {
        for (let i = 0; i < delta.length; i++) units.push(delta.charCodeAt(i));
        return undefined;
      }
      scanner = begunScanner(limits);
      return scanner.push(String.fromCharCode(...units.splice(0)) + delta);
    },
  };
}

/** Of a longer piece the end is looked at: what comes at once cannot be cut any more. In characters. */
const MOST_AT_ONCE = 128 * 1024;

function begunScanner(limits: RunawayLimits): RunawayScanner {
  const exact = tailOf(Math.min(limits.shortLaps, limits.longLaps));
  let counting: Tail | undefined;
  let runaway: Runaway | undefined;
  let lastNumber = 0;
  let isCounting = false;
  const lines = equalLines();
  const sentences = staleSentences();

  const isExactRunaway = (stretch: Stretch) => isRunaway(stretch, limits);
  const isCountedRunaway = (stretch: Stretch) => isCounted(stretch) && isRunaway(stretch, limits);

  /** Numbers count by what they add to the one before: a sentence whose number goes up by one is the same again. */
  function pushCounting(unit: Unit, value: number): void {
    let counted = unit;
    if (value !== NO_NUMBER) {
      counted = { ...unit, hash: Math.imul(value - lastNumber, 0x9e3779b1) };
      lastNumber = value;
      counting ??= tailOf(limits.longLaps);
      isCounting = true;
    }
    if (counting !== undefined && isCounting) runaway ??= repeatedBy(counting, counted, isCountedRunaway);
  }

  function lookForStale(): void {
    const { sentences: laps, chars } = sentences.stale();
    if (laps >= STALE * limits.shortLaps && chars >= limits.leastChars)
      runaway ??= { laps, blockTokens: SHORT_BLOCK, chars };
  }

  const reader = jsonAware(
    unitReader({
      unit(unit, value) {
        runaway ??= repeatedBy(exact, unit, isExactRunaway);
        lines.unit(unit, value);
        sentences.unit(unit);
        if (unit.kind === END) lookForStale();
        pushCounting(unit, value);
      },
      newline() {
        counting?.cut();
        isCounting = false;
        sentences.newline();
        lookForStale();
        const equal = lines.newline();
        if (equal !== undefined && equal.chars >= limits.leastChars)
          runaway ??= { laps: equal.lines, blockTokens: SHORT_BLOCK, chars: equal.chars };
      },
      blanks(count, areLaidOut) {
        if (count < Math.max(limits.leastChars, areLaidOut ? WIDEST_PADDING : 0)) return;
        runaway ??= { laps: count, blockTokens: 1, chars: count };
      },
    }),
  );

  return {
    push(delta) {
      if (runaway === undefined) reader.push(delta.slice(-MOST_AT_ONCE));
      return runaway;
    },
  };
}

function repeatedBy(tail: Tail, unit: Unit, isTooMuch: (stretch: Stretch) => boolean): Runaway | undefined {
  const period = tail.push(unit);
  if (period === 0) return undefined;
  const stretch = tail.stretch(period);
  if (!isTooMuch(stretch)) return undefined;
  return { laps: stretch.laps, blockTokens: Math.ceil(stretch.quarters / 4), chars: stretch.chars };
}

function isRunaway(stretch: Stretch, limits: RunawayLimits): boolean {
  const { laps, chars, quarters } = stretch;
  const tokens = quarters / 4;
  if (tokens > LONG_BLOCK) return false;
  const patience = patienceWith(stretch);
  const least = tokens <= SHORT_BLOCK ? limits.shortLaps : limits.longLaps;
  return laps >= least * patience && chars >= limits.leastChars * patience;
}

function patienceWith({ speech, structure, data }: Stretch): number {
  if (speech === 0) return PATIENCE.within;
  // A sentence may quote some data and is a sentence still.
  return structure > 0 || 2 * data > speech ? PATIENCE.among : 1;
}

/** One number a lap, in a running text of full sentences; two and more are a calculation or a table. */
function isCounted({ speech, structure, data }: Stretch): boolean {
  return speech >= COUNTED_WORDS && structure + data === 0;
}

/** Equal lines of a list or a table: items, rows, or two of them in turn. */
interface EqualLines {
  /** A unit of the line that is growing. @param value the number that it is, or `NO_NUMBER` */
  unit(unit: Unit, value: number): void;
  /** The lines in a row that say the same by now, once there are so many that it is no list. */
  newline(): { readonly lines: number; readonly chars: number } | undefined;
}

/** Of items whose number in front alone goes up: who numbers what says the same has lost the thread. */
const NUMBERED = 80;
/** Of bullets and rows. */
const PLAIN = 120;

function equalLines(): EqualLines {
  let [last, before] = [0, 0];
  let hash = 0;
  let units = 0;
  let words = 0;
  let most = 0;
  let same = 0;
  let [start, since, end] = [0, 0, 0];
  return {
    unit(unit, value) {
      if (unit.kind === SPEECH) words++;
      if (units === 0) start = unit.start;
      end = unit.end;
      if (units === 0) most = value !== NO_NUMBER ? NUMBERED : unit.kind === STRUCTURE ? PLAIN : 0;
      if (units++ > 0 || value === NO_NUMBER) hash = hashUnit(hash, unit.hash);
    },
    newline() {
      // A blank line stands between two items.
      if (units === 0) return undefined;
      same = most > 0 && words > 0 && (hash === last || hash === before) ? same + 1 : 0;
      if (same === 0) since = start;
      before = last;
      last = hash;
      hash = 0;
      units = 0;
      words = 0;
      return same > 0 && same >= most ? { lines: same, chars: end - since } : undefined;
    },
  };
}

/** Sentences of a running text that it has said before, and nothing new between them, whatever their order and their layout. */
interface StaleSentences {
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

function staleSentences(): StaleSentences {
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
      hash = hashUnit(hash, unit.hash);
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

import { HASH_SEED, hashText, hashUnit } from "../text/hash.ts";
import { jsonAware } from "./embedded-json.ts";
import { type Stretch, type Tail, tailOf, type Unit } from "./tail.ts";
import { unitReader } from "./units.ts";

/** Runaway: what repeats itself at the end of a text. */
export interface Runaway {
  readonly laps: number;
  /** About so many tokens make a lap. */
  readonly blockTokens: number;
  readonly chars: number;
  /** Of a flood: the calls so far, one of which stands there for the last of its `laps`. */
  readonly calls?: number;
}

/** `shortLaps`: of a block of up to 16 tokens; `longLaps`: of up to 60. A stretch of nothing but blanks counts from `leastChars` on too. */
export interface RunawayLimits {
  readonly shortLaps: number;
  readonly longLaps: number;
  readonly leastChars: number;
}

const SHORT_BLOCK = 16;
const LONG_BLOCK = 60;

/** Where repetition is expected: laps that hold structure and speech (items, objects, sections), and nothing but structure (fences, numbers). */
const PATIENCE = { among: 50, within: 200 };

/** Widest run of blanks in a fence or a row, where columns are padded. */
const WIDEST_PADDING = 1_000;

/** Words that make a sentence which says nothing new when only its number goes up; shorter ones are numbered for a reason. */
const COUNTED_WORDS = 12;

/** Times the laps of a short block: so many stale sentences are a chant, whatever is laid out between them. */
const STALE = 4;

/** Of a longer piece the end is looked at. In characters. */
const MOST_AT_ONCE = 16 * 1024;

/** Runaway scanner: watches one text as it comes in, in whatever pieces. Linear time, bounded memory. */
export function runawayScanner(limits: RunawayLimits) {
  const exact = tailOf(Math.min(limits.shortLaps, limits.longLaps));
  const counting = countingTail(limits.longLaps);
  const lines = equalLines();
  const sentences = staleSentences();
  let runaway: Runaway | undefined;

  /** @param least laps from which on it is one */
  const judge = ({ laps, chars }: Pick<Runaway, "laps" | "chars">, least: number, blockTokens = SHORT_BLOCK): void => {
    if (laps >= least && chars >= limits.leastChars) runaway ??= { laps, blockTokens, chars };
  };
  const judgeTail = (stretch: Stretch | undefined): void => {
    if (stretch !== undefined && isRunaway(stretch, limits)) judge(stretch, 0, Math.ceil(stretch.quarters / 4));
  };
  const lookForStale = (): void => judge(sentences.stale(), STALE * limits.shortLaps);

  const reader = jsonAware(
    unitReader({
      unit(unit, value) {
        judgeTail(exact.push(unit));
        lines.unit(unit, value);
        sentences.unit(unit);
        if (unit.kind === "end") lookForStale();
        judgeTail(counting.push(unit, value));
      },
      newline() {
        counting.cut();
        sentences.newline();
        lookForStale();
        judge(lines.newline(), 1);
      },
      blanks(count, areLaidOut) {
        judge({ laps: count, chars: count }, areLaidOut ? WIDEST_PADDING : 1, 1);
      },
    }),
  );

  return {
    /** What runs away since this piece, if something does. The first finding is final: it is given again for all that follows. */
    push(delta: string): Runaway | undefined {
      if (runaway === undefined) reader.push(delta.slice(-MOST_AT_ONCE));
      return runaway;
    },
  };
}

function isRunaway({ laps, chars, quarters, speech, structure, data }: Stretch, limits: RunawayLimits): boolean {
  const tokens = quarters / 4;
  if (tokens > LONG_BLOCK) return false;
  // A sentence may quote some data and is a sentence still.
  const isAmong = structure > 0 || 2 * data > speech;
  const patience = speech === 0 ? PATIENCE.within : isAmong ? PATIENCE.among : 1;
  const least = tokens <= SHORT_BLOCK ? limits.shortLaps : limits.longLaps;
  return laps >= least * patience && chars >= limits.leastChars * patience;
}

/** Numbers count by what they add to the one before: a sentence whose number goes up by one is the same again. */
function countingTail(leastLaps: number) {
  let tail: Tail | undefined;
  let [last, isCounting] = [0, false];
  return {
    push(unit: Unit, value: number | undefined): Stretch | undefined {
      let counted = unit;
      if (value !== undefined) {
        counted = { ...unit, hash: Math.imul(value - last, 0x9e3779b1) };
        [last, isCounting] = [value, true];
        tail ??= tailOf(leastLaps);
      }
      const stretch = isCounting ? tail?.push(counted) : undefined;
      // One number a lap, in a running text of full sentences; two and more are a calculation or a table.
      return stretch && stretch.speech >= COUNTED_WORDS && stretch.structure + stretch.data === 0 ? stretch : undefined;
    },
    cut(): void {
      tail?.cut();
      isCounting = false;
    },
  };
}

/** Of items whose number in front alone goes up: who numbers what says the same has lost the thread. */
const NUMBERED = 80;
const PLAIN = 120;

/** Equal lines of a list or a table: items, rows, or two of them in turn. */
function equalLines() {
  let [last, before, same, since, end] = [0, 0, 0, 0, 0];
  let line = { hash: 0, units: 0, words: 0, start: 0, most: 0 };
  return {
    unit({ start, end: unitEnd, kind, hash }: Unit, value: number | undefined): void {
      const isFirst = line.units++ === 0;
      if (isFirst) {
        line.start = start;
        line.most = value !== undefined ? NUMBERED : kind === "structure" ? PLAIN : 0;
      }
      if (kind === "speech") line.words++;
      if (!isFirst || value === undefined) line.hash = hashUnit(line.hash, hash);
      end = unitEnd;
    },
    /** Lines in a row that say the same by now, once there are so many that it is no list. */
    newline(): { readonly laps: number; readonly chars: number } {
      const { hash, units, words, start, most } = line;
      line = { hash: 0, units: 0, words: 0, start: 0, most: 0 };
      // A blank line stands between two items.
      if (units === 0) return { laps: 0, chars: 0 };
      same = most > 0 && words > 0 && (hash === last || hash === before) ? same + 1 : 0;
      if (same === 0) since = start;
      [before, last] = [last, hash];
      return { laps: same >= most ? same : 0, chars: end - since };
    },
  };
}

/** Remembered sentences and lines, by hash; a power of two. One that takes another's place makes that one new again. */
const PLACES = 512;
/** A text may be quoted, and be shown once more with a change: only what was said so often before is stale. */
const OFTEN = 3;
const LEAST_WORDS = 3;
const UNENDED_WORDS = 6;

/** Sentences of a running text that it has said before, and nothing new between them, whatever their order and their layout. */
function staleSentences() {
  const hashes = new Int32Array(PLACES);
  const counts = new Int32Array(PLACES);
  let isProse = true;
  let [hash, words] = [0, 0];
  let [sentences, since, end] = [0, 0, 0];

  /** @param least words that make a sentence of it */
  function finish(least: number): void {
    if (hash === 0) return;
    const place = hash & (PLACES - 1);
    const before = hashes[place] === hash ? (counts[place] ?? 0) : 0;
    hashes[place] = hash;
    counts[place] = before + 1;
    if (before === 0) [sentences, since] = [0, end];
    else if (isProse && words >= least && before >= OFTEN) sentences++;
    [hash, words] = [0, 0];
  }

  return {
    unit(unit: Unit): void {
      // A row, an item, a heading, data: what such a line says is said once for each.
      if (words < 2 && (unit.kind === "structure" || unit.kind === "data")) isProse = false;
      hash = hashUnit(hash, unit.hash);
      end = unit.end;
      if (unit.kind === "speech") words++;
      else if (unit.kind === "end") finish(LEAST_WORDS);
    },
    newline(): void {
      finish(UNENDED_WORDS);
      isProse = true;
    },
    stale: () => ({ laps: sentences, chars: end - since }),
  };
}

/** So often the same call stands in one answer by mistake alone. */
export const FLOOD_LAPS = 5;
/** Different calls that are told apart; an answer with more of them is a batch. */
const MOST_CALLS = 4_096;

/** Flood: an answer that makes the same call, or the same few calls, over and over. `true`: with the call as it stands it is there. */
export function callFlood() {
  const counts = new Map<string, number>();
  let [most, before, current, tool] = [0, 0, -1, ""];
  let [length, hash] = [0, HASH_SEED];

  const signature = (): string => `${tool} ${length} ${hash}`;

  function complete(): void {
    const count = (counts.get(signature()) ?? 0) + 1;
    before++;
    if (counts.size < MOST_CALLS || count > 1) counts.set(signature(), count);
    most = Math.max(most, count);
  }

  /** A wait between different calls stands there often, too: of all calls as many must be repeats as are not. */
  const isFlood = (): boolean =>
    most >= FLOOD_LAPS - 1 && 2 * counts.size <= before + 1 && (counts.get(signature()) ?? 0) >= FLOOD_LAPS - 1;

  return {
    begin(call: number, name: string): boolean {
      if (call !== current) {
        if (current !== -1) complete();
        [current, tool, length, hash] = [call, name, 0, HASH_SEED];
      } else if (name !== "") tool = name;
      return isFlood();
    },
    grow(call: number, args: string): boolean {
      if (call !== current) return false;
      hash = hashText(args, hash);
      length += args.length;
      return isFlood();
    },
    calls: () => before + (current === -1 ? 0 : 1),
  };
}

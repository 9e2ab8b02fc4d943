/** The longest period that is looked for, in units. */
const LONGEST = 128;
/** Units that are remembered: a period, and the unit before it for the sums. A power of two. */
const RING = 256;
/** Places for the last unit of each hash, a power of two; hashes that share one are told apart when compared. */
const PLACES = 256;
/** After so many equal units no other period can tell more than the one found. */
const SETTLED = 2 * LONGEST;

/**
 * What a unit is: a number or mere punctuation; something said; part of a layout (fence, list, table, heading, divider) or of
 * a document of data; punctuation as between data, wherever it stands.
 */
export const NEUTRAL = 0;
export const SPEECH = 1;
export const STRUCTURE = 2;
export const DATA = 3;
/** Punctuation that ends a sentence. */
export const END = 4;
export type UnitKind = 0 | 1 | 2 | 3 | 4;

/** A word, a number, a glyph or a run of punctuation. Offsets in characters from the beginning, size in quarters of a token. */
export interface Unit {
  readonly hash: number;
  readonly start: number;
  readonly end: number;
  readonly kind: UnitKind;
  readonly quarters: number;
}

/** The stretch at the end of a text that repeats with a period. Size and counts of units are those of its last lap. */
export interface Stretch {
  readonly laps: number;
  readonly chars: number;
  readonly quarters: number;
  readonly speech: number;
  readonly structure: number;
  readonly data: number;
}

/**
 * The end of a text: for each period, since when every unit has been equal to the one a period before. A unit costs as much as
 * there are others like it within the longest period: none, mostly.
 */
export interface Tail {
  /** The shortest period, in units, of which at least `leastLaps` are full; 0: none. */
  push(unit: Unit): number;
  stretch(period: number): Stretch;
  /** Forgets the text so far: it is part of no later repetition. */
  cut(): void;
}

// A remembered unit is a row of a few numbers. Its last four are running sums, so that a lap's are differences.
const ROW = 8;
const HASH = 0;
const START = 1;
/** The unit before it in the same place. */
const BEFORE = 2;
const QUARTERS = 3;
const SPOKEN = 4;
const STRUCTURED = 5;
const DATA_LIKE = 6;

// A period is a row too: its run's first and last unit, and where the text of the run's first lap begins.
const PERIOD_ROW = 4;
const FIRST = 0;
const LAST = 1;
const SINCE = 2;

export function tailOf(leastLaps: number): Tail {
  // One array for all three: many texts are shorter than it takes to make it.
  const memory = new Int32Array(RING * ROW + PLACES + (LONGEST + 1) * PERIOD_ROW);
  const rows = memory.subarray(0, RING * ROW);
  const places = memory.subarray(RING * ROW, RING * ROW + PLACES);
  const periods = memory.subarray(RING * ROW + PLACES);
  let at = 0;
  let end = 0;
  let floor = 1;
  let settled = 0;

  const rowOf = (index: number): number => (index & (RING - 1)) * ROW;
  const get = (row: number, field: number): number => rows[row + field] ?? 0;

  /** The index of the last unit in the same place, or of one that is forgotten. */
  function append({ hash, start, kind, quarters, end: unitEnd }: Unit): number {
    const before = rowOf(at);
    const row = rowOf(++at);
    const place = hash & (PLACES - 1);
    const last = places[place] ?? 0;
    places[place] = at;
    rows[row + HASH] = hash;
    rows[row + START] = start;
    rows[row + BEFORE] = last;
    rows[row + QUARTERS] = get(before, QUARTERS) + quarters;
    rows[row + SPOKEN] = get(before, SPOKEN) + (kind === SPEECH ? 1 : 0);
    rows[row + STRUCTURED] = get(before, STRUCTURED) + (kind === STRUCTURE ? 1 : 0);
    rows[row + DATA_LIKE] = get(before, DATA_LIKE) + (kind === DATA ? 1 : 0);
    end = unitEnd;
    return last;
  }

  /** The run of this period goes on, or begins, with the unit just added. Its length so far, in units. */
  function goOn(period: number): number {
    const row = period * PERIOD_ROW;
    if (periods[row + LAST] !== at - 1) {
      periods[row + FIRST] = at;
      periods[row + SINCE] = get(rowOf(at - period), START);
    }
    periods[row + LAST] = at;
    return at - (periods[row + FIRST] ?? at) + 1;
  }

  function compare(last: number, hash: number): number {
    const oldest = Math.max(floor, at - LONGEST);
    let length = 0;
    for (let earlier = last; earlier >= oldest; earlier = get(rowOf(earlier), BEFORE)) {
      if (get(rowOf(earlier), HASH) !== hash) continue;
      const period = at - earlier;
      const run = goOn(period);
      if (length !== 0 || run < (leastLaps - 1) * period) continue;
      length = period;
      if (run >= SETTLED) settled = period;
    }
    return length;
  }

  function lap(field: number, period: number): number {
    return get(rowOf(at), field) - get(rowOf(at - period), field);
  }

  return {
    push(unit) {
      const last = append(unit);
      if (settled > 0 && get(rowOf(at - settled), HASH) === unit.hash) {
        goOn(settled);
        return settled;
      }
      settled = 0;
      return compare(last, unit.hash);
    },
    stretch(period) {
      const row = period * PERIOD_ROW;
      return {
        laps: Math.floor((at - (periods[row + FIRST] ?? at) + 1) / period) + 1,
        chars: end - (periods[row + SINCE] ?? end),
        quarters: lap(QUARTERS, period),
        speech: lap(SPOKEN, period),
        structure: lap(STRUCTURED, period),
        data: lap(DATA_LIKE, period),
      };
    },
    cut() {
      floor = at + 1;
      settled = 0;
    },
  };
}

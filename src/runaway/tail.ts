const LONGEST = 128;

/**
 * What a unit is: a number or mere punctuation; something said; part of a layout (fence, list, table, heading, divider) or of
 * a document of data; punctuation as between data, wherever it stands; punctuation that ends a sentence.
 */
export type UnitKind = "neutral" | "speech" | "structure" | "data" | "end";

/** Offsets in characters from the beginning, size in quarters of a token. */
export interface Unit {
  readonly hash: number;
  readonly start: number;
  readonly end: number;
  readonly kind: UnitKind;
  readonly quarters: number;
}

/** The stretch at the end of a text that repeats with a period. Size and counts of units are those of its last lap. */
export interface Stretch
  extends Readonly<Record<"laps" | "chars" | "quarters" | "speech" | "structure" | "data", number>> {}

export type Tail = ReturnType<typeof tailOf>;

/** The end of a text: for each period, since when every unit has been equal to the one a period before. */
export function tailOf(leastLaps: number) {
  const units: Unit[] = [];
  const hashes = new Int32Array(LONGEST);
  /** Of each period: equal units in a row, the last of them, and where their first lap begins. */
  const runs = new Int32Array(LONGEST + 1);
  const lasts = new Int32Array(LONGEST + 1);
  const since = new Float64Array(LONGEST + 1);
  let [at, floor] = [0, 1];

  const unitAt = (index: number): Unit | undefined => units[index % (LONGEST + 1)];

  /** How far back the nearest equal unit is beyond so many others; 0: none. */
  function nextEqual({ hash }: Unit, beyond: number): number {
    const period = hashes.indexOf(hash, beyond) + 1;
    return period <= at - floor ? period : 0;
  }

  function stretch(period: number): Stretch {
    const lap = Array.from({ length: period }, (_, i) => unitAt(at - i));
    const count = (kind: UnitKind) => lap.filter((unit) => unit?.kind === kind).length;
    return {
      laps: Math.floor((runs[period] ?? 0) / period) + 1,
      chars: (unitAt(at)?.end ?? 0) - (since[period] ?? 0),
      quarters: lap.reduce((sum, unit) => sum + (unit?.quarters ?? 0), 0),
      speech: count("speech"),
      structure: count("structure"),
      data: count("data"),
    };
  }

  return {
    /** What repeats with the shortest period of which at least `leastLaps` are full. */
    push(unit: Unit): Stretch | undefined {
      units[++at % (LONGEST + 1)] = unit;
      let shortest = 0;
      for (let period = nextEqual(unit, 0); period > 0; period = nextEqual(unit, period)) {
        const run = lasts[period] === at - 1 ? (runs[period] ?? 0) + 1 : 1;
        [runs[period], lasts[period]] = [run, at];
        if (run === 1) since[period] = unitAt(at - period)?.start ?? 0;
        if (shortest === 0 && run >= (leastLaps - 1) * period) shortest = period;
      }
      hashes.copyWithin(1, 0);
      hashes[0] = unit.hash;
      return shortest === 0 ? undefined : stretch(shortest);
    },
    cut(): void {
      floor = at + 1;
    },
  };
}

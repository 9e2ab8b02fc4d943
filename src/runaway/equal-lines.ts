import { SPEECH, STRUCTURE, type Unit } from "./tail.ts";
import { NO_NUMBER } from "./units.ts";

/** Equal lines of a list or a table: items, rows, or two of them in turn. */
export interface EqualLines {
  /** A unit of the line that is growing. @param value the number that it is, or `NO_NUMBER` */
  unit(unit: Unit, value: number): void;
  /** The lines in a row that say the same by now, once there are so many that it is no list. */
  newline(): { readonly lines: number; readonly chars: number } | undefined;
}

/** Of items whose number in front alone goes up: who numbers what says the same has lost the thread. */
const NUMBERED = 80;
/** Of bullets and rows. */
const PLAIN = 120;

export function equalLines(): EqualLines {
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
      if (units++ > 0 || value === NO_NUMBER) hash = Math.imul(hash ^ unit.hash, 0x01000193);
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

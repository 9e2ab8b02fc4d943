import { median, slope } from "../load/statistics.ts";

/** How something that was read again and again has changed. */
export interface Course {
  /** Medians of the middle and of the last third. */
  readonly middle: number;
  readonly last: number;
  /** Over both, in units an hour. */
  readonly perHour: number;
}

/** @param points minutes and values, in order; the first third is the time that it takes to settle */
export function courseOf(points: readonly (readonly [minute: number, value: number])[]): Course {
  const third = points.length / 3;
  const [middle, last] = [points.slice(Math.floor(third), Math.floor(2 * third)), points.slice(Math.floor(2 * third))];
  const values = (some: typeof points) => median(some.map(([, value]) => value));
  return { middle: values(middle), last: values(last), perHour: slope([...middle, ...last]) * 60 };
}

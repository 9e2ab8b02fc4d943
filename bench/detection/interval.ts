/** A share with what chance alone allows it to be: the 95 % interval after Wilson, 0 to 1. */
export interface Share {
  readonly part: number;
  readonly whole: number;
  readonly low: number;
  readonly high: number;
}

/** The 97.5th percentile of the normal distribution. */
const Z = 1.959964;

export function shareOf(part: number, whole: number): Share {
  if (whole === 0) return { part, whole, low: 0, high: 1 };
  const p = part / whole;
  const scale = 1 + Z ** 2 / whole;
  const centre = (p + Z ** 2 / (2 * whole)) / scale;
  const half = (Z / scale) * Math.sqrt((p * (1 - p)) / whole + Z ** 2 / (4 * whole ** 2));
  return { part, whole, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** A Redis beside the process answers within one millisecond. */
const LATE_MS = 20;
/** Fewer commands say nothing. */
const LEAST = 10;

/** How fast commands are answered. */
export interface Pace {
  took(ms: number): void;
  /** Whether half of the commands since the last look were late. */
  isSlow(): boolean;
}

export function pace(): Pace {
  let all = 0;
  let late = 0;
  let wasSlow = false;
  return {
    took(ms) {
      all++;
      if (ms > LATE_MS) late++;
    },
    isSlow() {
      if (all >= LEAST) wasSlow = late * 2 >= all;
      [all, late] = [0, 0];
      return wasSlow;
    },
  };
}

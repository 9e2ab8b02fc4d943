/** So much more work may twice the text be: linear work, its noise, and a change of tier in the engine underneath. */
const LINEAR = 3.5;
/** Below this, clock and collector are most of what is measured. In milliseconds of CPU. */
const NOISE_MS = 4;

const TRIES = 8;

/** Which of these sizes takes the work out of line with the size before it; empty: none does. @param sizes each twice the one before */
export function growsBeyondLinear(work: (size: number) => () => unknown, sizes: readonly number[]): readonly string[] {
  const [first = 0, ...larger] = sizes;
  const found: string[] = [];
  let half = measured(work(first));
  // A pattern's first run is another, slower one.
  half.again();
  for (const size of larger) {
    const whole = measured(work(size));
    const isBeyond = () => whole.least() >= LINEAR * Math.max(half.least(), NOISE_MS);
    // The best of several: what else a machine does only ever adds.
    for (let tries = 1; tries < TRIES && isBeyond(); tries++) {
      half.again();
      whole.again();
    }
    if (isBeyond())
      found.push(`${size} characters: ${whole.least().toFixed(1)} ms, half of them ${half.least().toFixed(1)} ms`);
    half = whole;
  }
  return found;
}

function measured(run: () => unknown) {
  let best = cpuOf(run);
  return {
    least: () => best,
    again() {
      best = Math.min(best, cpuOf(run));
    },
  };
}

function cpuOf(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

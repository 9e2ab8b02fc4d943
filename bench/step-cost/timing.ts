/** Work whose cost is asked for, in one table with others. */
export interface Work {
  readonly name: string;
  /** Done over and over, with another number each time: what is equal may be remembered by the engine that runs it. */
  readonly run: (i: number) => unknown;
}

/** CPU time of the process is only known in steps of a few milliseconds: a batch takes far more. In milliseconds. */
const BATCH_MS = 60;

/** Microseconds of CPU for each, all threads of the process included: the median of rounds in turns. */
export function cpuOf(works: readonly Work[], rounds: number): readonly number[] {
  const sizes = works.map(({ run }) => batchFor(run));
  const samples = works.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [k, { run }] of works.entries()) samples[k]?.push(cpuOnce(run, sizes[k] ?? 1));
  return samples.map(median);
}

/** Results go somewhere, or the engine that runs it could leave the work out. */
const results: unknown[] = [];

function cpuOnce(run: Work["run"], size: number): number {
  const begun = process.cpuUsage();
  for (let i = 0; i < size; i++) results[i & 63] = run(i);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / size;
}

/** Warms up, too. */
function batchFor(run: Work["run"]): number {
  let size = 64;
  for (;;) {
    const begun = process.cpuUsage();
    for (let i = 0; i < size; i++) results[i & 63] = run(i);
    const { user, system } = process.cpuUsage(begun);
    if (user + system > BATCH_MS * 1_000) return size;
    size *= 2;
  }
}

function median(samples: readonly number[]): number {
  return [...samples].sort((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;
}

import { parseArgs } from "node:util";
import { startRig } from "./load/rig.ts";
import { type Kept, kept, type Kind, kinds } from "./memory/kept.ts";
import { type Resident, residents } from "./memory/resident.ts";
import { type Keeping, keepings, type Weighed, weigh } from "./memory/threads.ts";
import { table } from "./overhead/markdown.ts";

/**
 * What the guard needs of memory: beside a bare pass-through under the same load, for threads that are alive, and in Redis.
 * `--minutes 5`, `--rate 100` requests a second of each, `--threads 10000`; `--only load`, `--only threads` or `--only redis`.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    rate: { type: "string", default: "100" },
    threads: { type: "string", default: "10000" },
    only: { type: "string" },
  },
});

/** At most so much of the bare pass-through's resident memory, and so many megabytes for so many threads. */
const RATIO = 1.5;
const THREADS_MB = 60;
const JUDGED_THREADS = 10_000;
/** Lengths of the sessions that are weighed in Redis, in requests. */
const REQUESTS = [1, 5, 20];

let isKept = true;
const say = (what: string, holds: boolean) => {
  console.log(`${what}: ${holds ? "yes" : "**no**"}\n`);
  isKept &&= holds;
};

const parts: Readonly<Record<string, () => Promise<void>>> = {
  load: async () => sayResidents(await residents({ minutes: Number(values.minutes), perSecond: Number(values.rate) })),
  threads: () => sayThreads(Number(values.threads)),
  redis: sayKept,
};
for (const [name, measure] of Object.entries(parts)) if ((values.only ?? name) === name) await measure();
if (!isKept) process.exitCode = 1;

function sayResidents(all: readonly Resident[]): void {
  const rows = all.map(({ name, rssMb, collected }) => {
    const at = (share: number) => mb(rssMb[Math.round(share * (rssMb.length - 1))]);
    return [
      name,
      at(0),
      at(0.25),
      at(0.5),
      at(0.75),
      at(1),
      mb(Math.max(...rssMb)),
      mb(collected.rssMb),
      mb(collected.heapMb),
    ];
  });
  const head = ["server", "start", "1/4", "1/2", "3/4", "end", "most", "end, collected", "heap then"];
  console.log(`Resident memory under ${values.rate} requests a second, MB\n\n${table(head, rows)}\n`);
  const last = (name: Resident["name"]) => all.find((one) => one.name === name)?.rssMb.at(-1) ?? Number.NaN;
  const ratio = last("unloop") / last("bare");
  say(`At the end ${ratio.toFixed(2)} of the bare pass-through's; at most ${RATIO}`, ratio <= RATIO);
}

async function sayThreads(wanted: number): Promise<void> {
  const rig = await startRig();
  const rows: string[][] = [];
  const resident = new Map<Keeping, number>();
  try {
    for (const keeping of Object.values<Keeping>(keepings)) {
      process.stderr.write(`${wanted} threads, ${keeping.title} …\n`);
      const weighed = await weigh(rig, keeping, Math.ceil(wanted / 16) * 16);
      resident.set(keeping, more(weighed));
      rows.push(rowOf(keeping, weighed));
    }
  } finally {
    await rig.stop();
  }
  const head = [
    "threads",
    "heap before",
    "heap after",
    "KB a thread",
    "V8's heap after",
    "resident before",
    "resident after",
    "more",
  ];
  console.log(
    `${wanted} threads of 10 requests (20 messages, 16 KB), MB after all garbage was collected\n\n${table(head, rows)}\n`,
  );
  const cost = (resident.get(keepings.shipped) ?? Number.NaN) - (resident.get(keepings.none) ?? Number.NaN);
  // Fewer threads are no measure of many: the first thousands are cached threads, which weigh more.
  if (wanted === JUDGED_THREADS)
    say(
      `As it ships ${cost.toFixed(0)} MB more for them, beside the load alone; at most ${THREADS_MB}`,
      cost <= THREADS_MB,
    );
}

async function sayKept(): Promise<void> {
  const rig = await startRig();
  try {
    const columns: Kept[] = [];
    for (const requests of REQUESTS) columns.push(await kept(rig, requests));
    const row = (kind: Kind) => [kind, ...columns.map(({ bytes }) => String(Math.round(bytes.get(kind) ?? 0)))];
    const sums = columns.map(({ bytes }) => String(Math.round([...bytes.values()].reduce((sum, one) => sum + one, 0))));
    const totals = columns.map(({ total }) => String(Math.round(total)));
    const rows = [...kinds.map(row), ["together", ...sums], ["used by Redis", ...totals]];
    const head = ["kind of key", ...columns.map(({ requests }) => `${requests} request${requests === 1 ? "" : "s"}`)];
    console.log(`Bytes in Redis a session\n\n${table(head, rows)}\n`);
  } finally {
    await rig.stop();
  }
}

function held({ heapMb, externalMb }: Weighed["before"]): number {
  return heapMb + externalMb;
}

function more({ before, after }: Weighed): number {
  return after.rssMb - before.rssMb;
}

function rowOf({ title }: Keeping, weighed: Weighed): string[] {
  const { before, after, threads } = weighed;
  const each = ((held(after) - held(before)) * 1_024) / threads;
  return [
    title,
    mb(held(before)),
    mb(held(after)),
    each.toFixed(1),
    mb(after.reservedMb),
    mb(before.rssMb),
    mb(after.rssMb),
    mb(more(weighed)),
  ];
}

function mb(value: number | undefined): string {
  return value === undefined ? "-" : value.toFixed(0);
}

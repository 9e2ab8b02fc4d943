import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { table } from "./overhead/markdown.ts";
import { type Reading, readings, socketsOf } from "./readings/readings.ts";
import { type Cast, startCast } from "./soak/cast.ts";
import { faultsOf, type Reference } from "./soak/judge.ts";
import { outagesIn } from "./soak/outage.ts";
import { playPhases } from "./soak/phases.ts";
import { promises, type Soaked } from "./soak/promises.ts";
import type { Run } from "./soak/run.ts";
import { phasesText, referencesText, type Taken } from "./soak/table.ts";

/**
 * Mixed traffic for a long time: healthy runs and loops, streamed and not, clients that hang up, and a Redis that goes away
 * twice. Looks at every answer and says whether all that is promised held. `--minutes 30`, `--rate 80` requests a second.
 */
const { values } = parseArgs({
  options: { minutes: { type: "string", default: "30" }, rate: { type: "string", default: "80" } },
});
const totalMs = Number(values.minutes) * 60_000;
const perSecond = Number(values.rate);

/** Once a minute, and often enough for thirds of a short look. */
const READING_MS = Math.min(60_000, totalMs / 15);
const ENVIRONMENT = {
  // As many sessions are forgotten as begin, long before the readings count.
  UNLOOP_SESSION_TTL_MS: String(Math.min(300_000, totalMs / 6)),
  // Beside other work a process waits longer for its processor than the 50 ms after which Redis would count as late.
  UNLOOP_STORE_DEADLINE_MS: "500",
};
const SHOWN = 15;

const reader = readings();
let cast: Cast | undefined;
try {
  cast = await startCast(reader.flags, ENVIRONMENT);
  const soaked = await soak(cast);
  report(soaked);
} finally {
  await cast?.stop();
  reader.end();
}

async function soak(cast: Cast): Promise<Soaked> {
  const { server } = cast;
  const references = await cast.references();
  console.log(`${referencesText(references)}\n`);
  const before = await settled(cast);
  const runs: Run[] = [];
  const taken: Taken[] = [];
  const start = Date.now();
  cast.begin({ perSecond, watched: watchedIn(references) }, (run) => runs.push(run));
  const over = new AbortController();
  const reading = readAgain(server.pid, taken, over.signal);
  const played = await playPhases(cast, totalMs).finally(() => over.abort());
  await reading;
  const latestMs = await cast.finish();
  process.stderr.write(`The latest request was sent ${latestMs.toFixed(0)} ms after its time.\n`);
  const after = await settled(cast, before.sockets);
  const expected = { references, outages: [...played.outages, ...outagesIn(server.log)] };
  const faults = runs.flatMap((run) => faultsOf(run, expected));
  const model = await cast.model();
  return { played, runs, faults, references, taken, before, after, model, log: server.log, start };
}

async function readAgain(pid: number, taken: Taken[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(READING_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) taken.push({ at: Date.now(), ...(await quietest(pid)) });
  }
}

function held({ heapMb, externalMb }: Reading): number {
  return heapMb + externalMb;
}

/** Of a few in a row the one with the least under way: what is being answered is no leak. */
async function quietest(pid: number): Promise<Reading> {
  const several = [await reader.read(pid), await reader.read(pid), await reader.read(pid)];
  return several.reduce((least, one) => (held(one) < held(least) ? one : least));
}

/** The idle server: connections to the upstream are given up after some seconds. */
async function settled({ server }: Cast, sockets = 0): Promise<Reading> {
  for (let second = 0; second < 15; second += 1) {
    await pause(1_000);
    if (second >= 5 && socketsOf(server.pid) <= sockets) break;
  }
  return reader.read(server.pid);
}

/** The requests whose answers are replaced, or nearly. */
function watchedIn(references: ReadonlyMap<string, Reference>): Record<string, readonly number[]> {
  const isWatched = (label: string) => label.includes("->") || label.startsWith("nudge");
  const found = [...references].map(([kind, { usual }]) => {
    return [kind, usual.flatMap((label, index) => (isWatched(label) ? [index] : []))] as const;
  });
  return Object.fromEntries(found);
}

function report(soaked: Soaked): void {
  const { played, runs, faults, taken } = soaked;
  console.log(`${phasesText(played, runs, faults, taken)}\n`);
  const kept = promises(soaked);
  console.log(
    table(
      ["promise", "measured", "kept"],
      kept.map(({ what, measured, isKept }) => [what, measured, isKept ? "yes" : "**no**"]),
    ),
  );
  for (const fault of faults.slice(0, SHOWN)) console.log(JSON.stringify(fault));
  if (faults.length > SHOWN) console.log(`… and ${faults.length - SHOWN} more.`);
  if (kept.some(({ isKept }) => !isKept)) process.exitCode = 1;
}

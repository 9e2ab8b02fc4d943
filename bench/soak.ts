import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort, startRedis } from "../test/support/servers/redis.ts";
import { LOAD_CORE, MEASURED_CORE } from "./load/rig.ts";
import { table } from "./overhead/markdown.ts";
import { type Reading, readings, socketsOf } from "./readings/readings.ts";
import { courseOf } from "./soak/flat.ts";
import { killed, outagesIn, restarted, type Span } from "./soak/outage.ts";
import { type Exchange, kinds, type Run, startModel, startRun } from "./soak/runs.ts";
import { MACHINE_STALLED, startServer } from "./soak/server.ts";

/**
 * Mixed traffic for a long time: healthy runs and loops, streamed and not, clients that hang up, and a Redis that goes away twice.
 * Looks at every answer and says whether all that is promised held. `--minutes 30`, `--rate 80` requests a second.
 */
const { values } = parseArgs({
  options: { minutes: { type: "string", default: "30" }, rate: { type: "string", default: "80" } },
});
const totalMs = Number(values.minutes) * 60_000;
const rate = Number(values.rate);

/** Runs under way at a time; more, if all of them wait for an answer. */
const AGENTS = 48;
const LEAVING_SHARE = 0.02;
/** How much more the heap may hold in the last third than in the middle one. */
const GROWTH_MB = 4;
/** On a busy machine an answer of Redis can come too late; that is allowed, but rarely. */
const LATE_SHARE = 0.002;
const EXPECTED = new Set(["store-lost", "store-back", "store-trouble", "loop-warning", "draining", MACHINE_STALLED]);

/** This process plays all agents and the model. */
execFileSync("taskset", ["-a", "-p", "-c", String(LOAD_CORE), String(process.pid)], { stdio: "ignore" });
const reader = readings();
const [redis, model] = [await startRedis(), await startModel()];
const env = {
  // As many sessions are forgotten as begin, long before the readings count.
  UNLOOP_SESSION_TTL_MS: String(Math.min(300_000, totalMs / 6)),
  // Beside other work a process waits longer for its processor than the 50 ms after which Redis would count as late.
  UNLOOP_STORE_DEADLINE_MS: "500",
};
const serverWith = (redisUrl: string, flags: readonly string[] = []) =>
  startServer({ core: MEASURED_CORE, flags, upstream: model.url, redisUrl, env });
const server = await serverWith(redis.url, reader.flags);

/** How runs go while nothing else goes on: a label for each request, by kind. */
async function quietRuns(port: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const kind of kinds) {
    const run = startRun(kind, port, model);
    while (await run.next());
    found.set(
      kind.name,
      run.told().exchanges.map(({ label, broken }) => broken ?? label),
    );
  }
  return found;
}

const runs: Run[] = [];

/** So many requests a second, due at fixed times, whether the earlier ones are answered or not. */
async function load(until: number): Promise<void> {
  const start = Date.now();
  const resting: ReturnType<typeof startRun>[] = [];
  const underWay = new Set<Promise<void>>();
  let [sent, begun] = [0, 0];
  const ask = async (run: (typeof resting)[number]) => {
    const leaves = Math.random() < LEAVING_SHARE ? Math.random() * 40 : undefined;
    if (await run.next(leaves)) resting.push(run);
    else runs.push(run.told());
  };
  const fresh = () => startRun(kinds[begun++ % kinds.length] ?? (kinds[0] as never), server.port, model);
  while (Date.now() < until) {
    for (; start + (sent * 1_000) / rate <= Date.now(); sent += 1) {
      const run = resting.length + underWay.size < AGENTS ? fresh() : (resting.shift() ?? fresh());
      const asked = ask(run).finally(() => underWay.delete(asked));
      underWay.add(asked);
    }
    await pause(2);
  }
  await Promise.all(underWay);
  runs.push(...resting.map((run) => run.told()));
}

async function outages(until: (share: number) => Promise<void>): Promise<readonly Span[]> {
  await until(0.27);
  const first = await killed(redis, server, Math.max(4_000, totalMs / 30));
  await until(0.6);
  return [first, await restarted(redis, server, Math.max(4_000, totalMs / 90))];
}

/** The idle server: connections to the upstream are given up after some seconds. */
async function settled(sockets = 0): Promise<Reading> {
  for (let second = 0; second < 15 && !(second >= 5 && socketsOf(server.pid) <= sockets); second += 1)
    await pause(1_000);
  return reader.read(server.pid);
}

const isDegraded = ({ label }: Exchange): boolean => label.startsWith("degraded");
const meets = ({ at, until }: Exchange, spans: readonly Span[]) =>
  spans.some((one) => at <= one.until && until >= one.from);
const hardness = (label: string): number =>
  [/^nudge|-> other$/, /^force-done/, /^short-circuit|-> ended$/].findLastIndex((hard) => hard.test(label));

/** Requests of a run that were not judged as on a quiet guard. What a lost Redis remembered can only put off what is done. */
function misjudged({ kind, exchanges }: Run, usual: readonly string[], away: readonly Span[]): readonly string[] {
  const hasMissed = exchanges.some((one) => isDegraded(one) || meets(one, away));
  return exchanges.flatMap(({ label, hasLeft, broken }, index) => {
    if (hasLeft || broken !== undefined) return [];
    const isRight =
      kind.loopsAfter === undefined
        ? label === "ok" || label === "degraded"
        : hasMissed
          ? hardness(label) <= Math.max(...usual.slice(0, index + 2).map(hardness))
          : label === usual[index];
    return isRight ? [] : [`${kind.name}, request ${index + 1}: ${label}; on a quiet guard ${usual[index]}`];
  });
}

try {
  const usual = await quietRuns(server.port);
  const alone = await serverWith(`redis://127.0.0.1:${await freePort()}`);
  const without = await quietRuns(alone.port);
  await alone.stop();
  const cells = kinds.map(({ name }) => [name, usual.get(name)?.join(", ") ?? "", without.get(name)?.join(", ") ?? ""]);
  console.log(`${table(["run on a quiet guard", "with Redis", "without"], cells)}\n`);
  const before = await settled();
  const start = Date.now();
  const taken: (Reading & { readonly at: number })[] = [];
  const timer = setInterval(
    () => void reader.read(server.pid).then((reading) => taken.push({ at: Date.now(), ...reading })),
    Math.min(60_000, totalMs / 15),
  );
  const until = (share: number) => pause(Math.max(0, start + share * totalMs - Date.now()));
  const [told] = await Promise.all([outages(until), load(start + totalMs)]);
  clearInterval(timer);
  const after = await settled(before.sockets);

  const away = [...told, ...outagesIn(server.log)];
  const all = runs.flatMap(({ exchanges }) => exchanges);
  const heap = courseOf(
    taken.map(({ at, heapMb, externalMb }) => [(at - start) / 60_000, heapMb + externalMb] as const),
  );
  const broken = all.flatMap((one) => one.broken ?? []);
  const wrong = runs.flatMap((run) => misjudged(run, usual.get(run.kind.name) ?? [], away));
  const changed = runs
    .filter(({ kind }) => kind.loopsAfter === undefined)
    .flatMap(({ exchanges }) =>
      exchanges.filter((one) => !one.isUntouched && !one.hasLeft && one.broken === undefined),
    );
  const late = all.filter((one) => isDegraded(one) && !meets(one, away)).length;
  const odd = server.log.filter(({ event, level }) => level >= 40 && !EXPECTED.has(event));
  const counts = (event: string) => server.log.filter((line) => line.event === event).length;
  const promises: readonly (readonly [what: string, measured: string, isKept: boolean])[] = [
    ["no broken answer", `${broken.length} of ${all.length}`, all.length > 0 && broken.length === 0],
    ["no wrong verdict", `${wrong.length} of ${all.length}`, wrong.length === 0],
    ["healthy bytes as they were, both ways", `${changed.length} of ${all.length}`, changed.length === 0],
    ["the store is used while it is there", `${late} requests without it`, late <= LATE_SHARE * all.length],
    [
      "heap flat, MB in the middle and the last third",
      `${heap.middle.toFixed(1)}, ${heap.last.toFixed(1)}`,
      heap.last - heap.middle <= GROWTH_MB,
    ],
    ["sockets back where they were", `${before.sockets} -> ${after.sockets}`, after.sockets <= before.sockets],
    [
      "nothing open upstream",
      `${model.open()}; ${all.filter(({ hasLeft }) => hasLeft).length} clients left`,
      model.open() === 0,
    ],
    [
      "one line in the log for each loss and return of Redis, nothing else",
      `${counts("store-lost")} lost, ${counts("store-back")} back, ${odd.map(({ event }) => event).join(", ") || "nothing else"}`,
      odd.length === 0 && counts("store-lost") === 2 && counts("store-back") === 2,
    ],
  ];
  const rows = promises.map(([what, measured, isKept]) => [what, measured, isKept ? "yes" : "**no**"]);
  console.log(table(["promise", "measured", "kept"], rows));
  for (const fault of [...broken, ...wrong].slice(0, 15)) console.log(fault);
  if (promises.some(([, , isKept]) => !isKept)) process.exitCode = 1;
} finally {
  await server.stop();
  await Promise.all([model.stop(), redis.stop()]);
  reader.end();
}

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type RedisServer, startRedis } from "../test/support/servers/redis.ts";
import { startGuarded } from "./store-failures/guarded.ts";
import { startLoad } from "./store-failures/load.ts";

/**
 * What keeping state costs a request: the server's CPU, its own time before forwarding, and what it asks of Redis.
 * Rows side by side at the same rate; `--seconds` measured for each, `--rate` requests a second in all. Reads /proc: Linux only.
 */
const { values } = parseArgs({
  options: { seconds: { type: "string", default: "10" }, rate: { type: "string", default: "300" } },
});
const seconds = Number(values.seconds);
const perSecond = Number(values.rate);

/** Far beyond all other own time, so that the own time divided by it is the number of round trips. */
const LATE_MS = 20;
const TICKS_PER_SECOND = 100;

interface Row {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly lateMs: number;
}

const rows: readonly Row[] = [
  { name: "not guarded (mode off)", env: { REDIS_URL: "", UNLOOP_MODE: "off" }, lateMs: 0 },
  { name: "state in memory", env: { REDIS_URL: "" }, lateMs: 0 },
  { name: "state in Redis", env: {}, lateMs: 0 },
  { name: `Redis ${LATE_MS} ms away`, env: { UNLOOP_STORE_DEADLINE_MS: "500" }, lateMs: LATE_MS },
];

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** User and system time of a process. In milliseconds. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

/** What clients have sent, and in how many pieces it came; of the measuring itself a piece or two. */
async function received(redis: RedisServer): Promise<{ readonly commands: number; readonly pieces: number }> {
  const stats = await redis.admin.info("all");
  const counted = [...stats.matchAll(/cmdstat_(get|hmget|evalsha|eval|del|xadd|hgetall):calls=(\d+)/g)];
  return {
    commands: counted.reduce((sum, [, , calls]) => sum + Number(calls), 0),
    pieces: Number(/total_reads_processed:(\d+)/.exec(stats)?.[1]),
  };
}

async function measure({ name, env, lateMs }: Row): Promise<string> {
  const redis = await startRedis();
  const guard = await startGuarded(redis.port, env);
  guard.late(lateMs);
  const load = startLoad(guard.url, { agents: 16, perSecond });
  try {
    await wait(3_000);
    load.take();
    const [cpu, sent] = [cpuMs(guard.pid), await received(redis)];
    await wait(seconds * 1_000);
    const samples = load.take();
    const perRequest = (total: number): string => (total / samples.length).toFixed(2);
    const own = samples
      .map(({ ownMs }) => ownMs)
      .filter(Number.isFinite)
      .sort((a, b) => a - b);
    const median = own[own.length >> 1];
    const now = await received(redis);
    const cells = [
      name,
      String(samples.length),
      perRequest(cpuMs(guard.pid) - cpu),
      median?.toFixed(2) ?? "-",
      perRequest(now.commands - sent.commands),
      perRequest(now.pieces - sent.pieces),
    ];
    return `| ${cells.join(" | ")} |`;
  } finally {
    await load.stop();
    await guard.stop();
    await redis.stop();
  }
}

console.log(
  "| state | requests | server CPU a request, ms | own time before forwarding, p50 ms | Redis commands a request | in so many pieces |",
);
console.log("|---|---|---|---|---|---|");
for (const row of rows) console.log(await measure(row));

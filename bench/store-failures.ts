import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { type RedisServer, startRedis } from "../test/support/servers/redis.ts";
import { startGuarded } from "./store-failures/guarded.ts";
import { type Load, startLoad } from "./store-failures/load.ts";
import { holds, type Outcome, table } from "./store-failures/table.ts";

/**
 * What a failing Redis costs the traffic: a real server process before a real Redis, under the load of 64 connections.
 * `--seconds` measured for each scenario, `--rate` requests a second in all, `--only` scenarios with this in their name.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    rate: { type: "string", default: "250" },
    only: { type: "string", default: "" },
  },
});
const seconds = Number(values.seconds);
const perSecond = Number(values.rate);
const agents = 64;

interface Scene {
  readonly redis: RedisServer;
  late(ms: number): void;
}

interface Scenario {
  readonly name: string;
  /** Goes on for `seconds`; what it begins, `end` ends. */
  readonly fail: (scene: Scene) => Promise<void>;
  readonly end: (scene: Scene) => Promise<void> | void;
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const whole = () => wait(seconds * 1_000);

const scenarios: readonly Scenario[] = [
  { name: "healthy", fail: async () => void (await whole()), end: () => undefined },
  {
    name: "stopped (SIGSTOP)",
    async fail({ redis }) {
      redis.freeze();
      await whole();
    },
    end: ({ redis }) => redis.thaw(),
  },
  {
    name: "killed",
    async fail({ redis }) {
      await redis.kill();
      await whole();
    },
    end: ({ redis }) => redis.start(),
  },
  {
    name: "restarted half-way",
    async fail({ redis }) {
      await wait(seconds * 500);
      await redis.kill();
      await redis.start();
      await wait(seconds * 500);
    },
    end: () => undefined,
  },
  {
    name: "flushed every second",
    async fail({ redis }) {
      for (let second = 0; second < seconds; second += 1) {
        await redis.admin.flushall();
        await wait(1_000);
      }
    },
    end: () => undefined,
  },
  {
    name: "200 ms late",
    async fail({ late }) {
      late(200);
      await whole();
    },
    end: ({ late }) => late(0),
  },
];

async function measure({ name, fail, end }: Scenario): Promise<Outcome> {
  const redis = await startRedis();
  const guard = await startGuarded(redis.port);
  let load: Load | undefined;
  try {
    load = startLoad(guard.url, { agents, perSecond });
    // Code that is still being compiled, and the first connections.
    await wait(8_000);
    load.take();
    const scene = { redis, late: guard.late };
    const began = performance.now();
    const busyShare = cpuBusy();
    await fail(scene);
    const samples = load.take();
    const busy = busyShare();
    const ended = performance.now();
    await end(scene);
    const backAfterMs = await guard.back(ended);
    const remembers = await guard.remembers();
    return { name, samples, busy, changes: guard.changes(began), backAfterMs, remembers };
  } finally {
    await load?.stop();
    await guard.stop();
    await redis.stop();
  }
}

/** From now on: the share of all processors' time that was not idle, whoever used it. */
function cpuBusy(): () => number {
  const times = () => {
    const all = cpus().map((cpu) => cpu.times);
    const idle = all.reduce((sum, one) => sum + one.idle, 0);
    return { idle, total: all.reduce((sum, one) => sum + one.user + one.nice + one.sys + one.irq, idle) };
  };
  const start = times();
  return () => {
    const end = times();
    return 1 - (end.idle - start.idle) / (end.total - start.total);
  };
}

const outcomes: Outcome[] = [];
for (const scenario of scenarios.filter(({ name }) => name.includes(values.only))) {
  process.stderr.write(`${scenario.name} …\n`);
  outcomes.push(await measure(scenario));
}
console.log(`${agents} connections, ${perSecond} requests a second, ${seconds} s each, deadline 50 ms\n`);
console.log(table(outcomes));
const broken = outcomes.filter((outcome) => !holds(outcome));
if (broken.length > 0) {
  console.log(`\nNot as promised: ${broken.map(({ name }) => name).join(", ")}`);
  process.exitCode = 1;
}

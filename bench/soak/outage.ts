import { setTimeout as pause } from "node:timers/promises";
import { eventually, type RedisServer } from "../../test/support/servers/redis.ts";
import type { LogLine, Server } from "./server.ts";

/** A stretch of time; Unix time, in milliseconds. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Redis goes away for so long and comes back; the span is until the guard says that it uses it again. */
type Outage = (redis: RedisServer, server: Server, awayMs: number) => Promise<Span>;

/** Requests that were under way when it began or ended. */
const SLACK_MS = 500;

/** Everything that it knew is gone. */
export const killed: Outage = (redis, server, awayMs) => away(server, awayMs, redis.kill, redis.start);

/** What it knew is there again. */
export const restarted: Outage = (redis, server, awayMs) => {
  const stop = async () => {
    const pid = Number(/process_id:(\d+)/.exec(await redis.admin.info("server"))?.[1]);
    await redis.admin.save();
    process.kill(pid, "SIGTERM");
    await eventually("Redis has ended", async () => !isAlive(pid));
  };
  return away(server, awayMs, stop, redis.start);
};

async function away(
  server: Server,
  awayMs: number,
  stop: () => Promise<void>,
  start: () => Promise<void>,
): Promise<Span> {
  const from = Date.now();
  await stop();
  await pause(awayMs);
  // What was logged before tells of other times.
  const since = Date.now();
  await start();
  const isBack = async () =>
    server.log.findLast(({ event, at }) => event === "store-back" && at >= since) !== undefined;
  await eventually("the guard uses Redis again", isBack);
  return { from: from - SLACK_MS, until: Date.now() + SLACK_MS };
}

/** So long after the first failure the guard gives Redis up: a few commands that have missed their deadline. */
const GIVING_UP_MS = 2_000;

/** When the guard did without Redis, as its log tells, whether that was there or not. */
export function outagesIn(log: readonly LogLine[]): readonly Span[] {
  return log.flatMap(({ event, at }, index) => {
    if (event !== "store-lost") return [];
    const back = log.slice(index).find((line) => line.event === "store-back");
    return [{ from: at - GIVING_UP_MS, until: (back?.at ?? Number.POSITIVE_INFINITY) + SLACK_MS }];
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // That is the answer.
    return false;
  }
}

import { Cluster, type Redis } from "ioredis";
import { UnloopError } from "../../errors.ts";
import { StoreRefusal } from "../refusals.ts";
import type { RedisClient } from "./client.ts";

export type RunCommand = <T>(command: () => Promise<T>) => Promise<T>;

/** Tells a failure in one sentence of ours: ioredis hangs the arguments on its errors, and they may be logged. */
export function runCommand({ redis, lastFailure }: RedisClient, pace: Pace): RunCommand {
  const sendTogether = sendingTogether(redis);
  return async (command) => {
    sendTogether();
    const start = performance.now();
    try {
      return await command();
    } catch (error) {
      const why = error instanceof Error ? error.message : "unknown";
      if (error instanceof Error && error.name === "ReplyError") throw new StoreRefusal(`Redis failed: ${why}`);
      throw new UnloopError(
        "store_unavailable",
        redis.status === "ready" ? `Redis failed: ${why}` : `Redis is not connected: ${lastFailure() ?? why}`,
      );
    } finally {
      pace.took(performance.now() - start);
    }
  };
}

/**
 * Output batching: what is sent from the first call on in one turn of the event loop leaves in one write for each connection.
 * The system call is most of what a command costs. Unlike ioredis's own pipelining it leaves each command what it is.
 */
function sendingTogether(redis: Redis | Cluster): () => void {
  let isHeld = false;
  return () => {
    if (isHeld) return;
    isHeld = true;
    const sockets = connectionsOf(redis).map(({ stream }) => stream);
    for (const socket of sockets) socket?.cork();
    // Right behind the events that this turn of the loop has brought, whose commands are all here then.
    setImmediate(() => {
      isHeld = false;
      for (const socket of sockets) socket?.uncork();
    });
  };
}

/** Each connection has its socket from the moment that it begins to connect. */
function connectionsOf(redis: Redis | Cluster): readonly { readonly stream?: Redis["stream"] }[] {
  return redis instanceof Cluster ? redis.nodes() : [redis];
}

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

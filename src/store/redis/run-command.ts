import { UnloopError } from "../../errors.ts";
import { StoreRefusal } from "../refusals.ts";
import type { RedisClient } from "./client.ts";
import type { Pace } from "./pace.ts";
import { sendingTogether } from "./send-together.ts";

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

import { UnloopError } from "../../errors.ts";
import type { RedisClient } from "./client.ts";
import { sendingTogether } from "./send-together.ts";

export type RunCommand = <T>(command: () => Promise<T>) => Promise<T>;

/** Tells a failure in one sentence of ours: ioredis hangs the arguments on its errors, and they may be logged. */
export function asking({ redis, lastFailure }: RedisClient): RunCommand {
  const sendTogether = sendingTogether(redis);
  return async (command) => {
    sendTogether();
    try {
      return await command();
    } catch (error) {
      const why = error instanceof Error ? error.message : "unknown";
      throw new UnloopError(
        "store_unavailable",
        redis.status === "ready" ? `Redis failed: ${why}` : `Redis is not connected: ${lastFailure() ?? why}`,
      );
    }
  };
}

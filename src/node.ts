import { pino } from "pino";
import type { Settings } from "./config.ts";
import { unloop } from "./index.ts";
import type { Log } from "./proxy/proxy.ts";
import { memoryStore } from "./store/memory.ts";
import { nodeTransport } from "./transport/node.ts";
import { listen } from "./transport/node-server.ts";

export { readSettings, type Settings } from "./config.ts";
export { type NodeTransportOptions, nodeTransport } from "./transport/node.ts";

export interface Serving {
  /** Where the guard listens, without `/v1`. */
  readonly url: string;
  /** Takes no new exchange, lets the open ones finish for up to `ms`, then ends what is left. */
  drain(ms: number): Promise<void>;
}

/**
 * The guard as a server on Node.
 * @throws UnloopError `bad_setting` when it cannot listen where it was told to.
 */
export async function serve(settings: Settings, log: Log = jsonLog(settings)): Promise<Serving> {
  const store = memoryStore({ maxEntries: settings.maxSessions });
  const transport = nodeTransport(settings);
  const app = unloop({
    ...settings,
    ...(settings.secret === undefined ? {} : { secret: settings.secret }),
    store,
    transport,
    log,
  });
  const { url, drain } = await listen(app, settings);
  return {
    url,
    async drain(ms) {
      await drain(ms);
      await transport.close();
      await store.close();
    },
  };
}

/** One JSON object a line on standard error: standard output belongs to what is asked for. */
export function jsonLog({ log }: Pick<Settings, "log">): Log {
  return pino(
    { name: "unloop", level: log, base: null, messageKey: "event" },
    pino.destination({ dest: 2, sync: false }),
  );
}

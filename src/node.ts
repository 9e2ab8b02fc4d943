import { Hono } from "hono";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { adminApp, isLoopback, tokensIn } from "./admin/admin.ts";
import { observersFor } from "./admin/observers.ts";
import { promMetrics } from "./admin/metrics/prometheus.ts";
import { judgeIn, type Settings } from "./config/config.ts";
import { guardOf, policyNamed } from "./index.ts";
import { guardApp, type Log } from "./proxy/proxy.ts";
import { readPageFile } from "./page/files.ts";
import { memoryStores } from "./store/memory/memory.ts";
import { redisStores } from "./store/redis/redis.ts";
import type { Stores } from "./store/store.ts";
import { nodeTransport } from "./transport/node.ts";
import { version } from "./version.ts";
import { listen } from "./transport/node-server.ts";

export { readPageFile };
export { readSettings, type Settings } from "./config/config.ts";
export { redisStores, type RedisStoreOptions } from "./store/redis/redis.ts";
export { type NodeTransportOptions, nodeTransport } from "./transport/node.ts";

export interface Serving {
  /** Where the guard listens, without `/v1`. */
  readonly url: string;
  /** Takes no new exchange, lets the open ones finish for up to `ms`, then ends what is left. */
  drain(ms: number): Promise<void>;
}

/** How long a start waits for Redis; a server whose Redis is down starts without it. */
const REDIS_WAIT_MS = 1_000;

/** How often a process asks what operators have ordered. */
const POLL_MS = 250;

/** How long what sessions do is gathered: a second is as good as live, and a busy session is one command. */
const GATHER_MS = 1_000;

/** A thread's record, and the trail that leads to it; and its plan's record where one is made. */
const ENTRIES_PER_SESSION = 2;

/**
 * The guard as a server on Node.
 * @throws UnloopError `bad_setting` when it cannot listen where it was told to, or a URL cannot be read.
 */
export async function serve(settings: Settings, log: Log = jsonLog(settings)): Promise<Serving> {
  const stores = await storesFor(settings, log);
  const transport = nodeTransport(settings);
  const metrics = promMetrics();
  let draining = false;
  const app = new Hono();
  const open = isLoopback(settings.host);
  const judge = judgeIn(settings);
  const gatherMs = stores.isShared ? GATHER_MS : 0;
  const options = {
    ...settings,
    judge,
    gatherMs,
    stores,
    transport,
    log,
    meter: metrics,
    onStoreChange: metrics.storeUp,
  };
  const observers = await observersFor({ settings, env: process.env, version, log });
  const guard = guardOf({ ...options, observer: observers.observe });
  const { control } = guard;
  const api = { version, stores: control.stores, control, now: Date.now };
  const access = { tokens: tokensIn(settings), open };
  app.route("/unloop", adminApp({ ready: () => !draining, metrics: metrics.read, access, api, page: readPageFile }));
  await guard.refresh();
  const polling = stores.isShared ? setInterval(() => void guard.refresh(), POLL_MS).unref() : undefined;
  app.route("/", guardApp(guard, transport));
  const { url, drain } = await listen(app, settings, (incoming, outgoing) => {
    if (mayBeAdmins(incoming.url)) return false;
    transport.take(incoming, outgoing, guard);
    return true;
  });
  return {
    url,
    async drain(ms) {
      draining = true;
      await sleep(settings.shutdownDelayMs);
      await drain(ms);
      clearInterval(polling);
      await guard.settle();
      await transport.close();
      await stores.sessions.close();
      await observers.close();
    },
  };
}

/** Whether the app's router, which decodes a path and resolves its dots, could take this target for one of the admin's. */
function mayBeAdmins(target = ""): boolean {
  return !target.startsWith("/") || /^\/unloop(?![^/?#])|^[^?]*(?:[%\\]|\/\.)/.test(target);
}

async function storesFor(settings: Settings, log: Log): Promise<Stores> {
  const { redisUrl: url, redisPrefix: prefix, maxSessions, policy } = settings;
  const entries = ENTRIES_PER_SESSION + (policyNamed(policy).planning === undefined ? 0 : 1);
  if (url === undefined) return memoryStores({ maxEntries: entries * maxSessions });
  const stores = redisStores({ url, prefix });
  if (!(await stores.whenReady(REDIS_WAIT_MS))) log.warn({ waitedMs: REDIS_WAIT_MS }, "store-not-ready");
  return stores;
}

/** Batching delay of the log: one write for each line would cost a tenth of an exchange. */
const LOG_TOGETHER_MS = 50;

/** One JSON object a line on standard error: standard output belongs to what is asked for. */
export function jsonLog({ log }: Pick<Settings, "log">): Log {
  // What is left when the process ends, pino's destination writes then.
  const standardError = pino.destination({ dest: 2, sync: false, minLength: 65_536, maxWrite: 131_072 });
  let isWaiting = false;
  const flush = () => {
    isWaiting = false;
    standardError.flush();
  };
  const lines = {
    write(line: string) {
      standardError.write(line);
      if (!isWaiting) setTimeout(flush, LOG_TOGETHER_MS).unref();
      isWaiting = true;
    },
  };
  return pino({ name: "unloop", level: log, base: null, messageKey: "event" }, lines);
}

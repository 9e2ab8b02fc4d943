import { setTimeout as sleep } from "node:timers/promises";
import { Cluster, type CommonRedisOptions, Redis } from "ioredis";
import { UnloopError } from "../../errors.ts";
import { StoreRefusal } from "../records.ts";
import type { RedisTarget } from "./url.ts";

/** How long a connection may say nothing while an answer is due; then it is given up and made anew. */
const SILENCE_MS = 1_000;
const CONNECT_MS = 2_000;

export type RunCommand = <T>(command: () => Promise<T>) => Promise<T>;

/** A Redis beside the process answers within one millisecond. */
const LATE_MS = 20;
/** Fewer commands say nothing. */
const LEAST = 10;

/** Connects at once and again after each loss, for ever; commands fail at once while there is no connection. */
export function connectRedis(target: RedisTarget, ca: string | undefined) {
  const redis = clientFor(target, ca);
  let failure: string | undefined;
  let [all, late, wasSlow] = [0, 0, false];
  const note = (error: unknown) => {
    failure = reasonOf(error);
  };
  // Without a listener ioredis prints each failure; and what fails here shows in the commands as well.
  redis.on("error", note);
  redis.on("ready", () => {
    failure = undefined;
  });
  if (redis instanceof Cluster) connectNodesEarly(redis, note);

  /** Tells a failure in one sentence of ours: ioredis hangs the arguments on its errors, and they may be logged. */
  const ask: RunCommand = async (command) => {
    const start = performance.now();
    try {
      return await command();
    } catch (error) {
      const why = error instanceof Error ? error.message : "unknown";
      if (error instanceof Error && error.name === "ReplyError") throw new StoreRefusal(`Redis failed: ${why}`);
      throw new UnloopError(
        "store_unavailable",
        redis.status === "ready" ? `Redis failed: ${why}` : `Redis is not connected: ${failure ?? why}`,
      );
    } finally {
      all++;
      if (performance.now() - start > LATE_MS) late++;
    }
  };

  return {
    redis,
    ask,
    lastFailure: () => failure,
    whenReady: (timeoutMs: number) => whenReady(redis, timeoutMs),
    /** Whether half of the commands since the last look were late. */
    isSlow() {
      if (all >= LEAST) wasSlow = late * 2 >= all;
      [all, late] = [0, 0];
      return wasSlow;
    },
  };
}

/** Connects every node up front: on demand, the first command connects and those right behind it fail. */
function connectNodesEarly(cluster: Cluster, note: (error: unknown) => void): void {
  const connect = (node: Redis) => {
    if (node.status === "wait") node.connect().catch(note);
  };
  cluster.on("node error", note);
  cluster.on("ready", () => cluster.nodes().forEach(connect));
  // Not while the cluster itself is being connected: it would find its nodes busy, and begin again.
  cluster.on("+node", (node: Redis) => cluster.status === "ready" && connect(node));
}

function clientFor(target: RedisTarget, ca: string | undefined): Redis | Cluster {
  const { kind, hosts, db, tls, master, username, password, sentinelUsername, sentinelPassword } = target;
  const secure = tls && (ca === undefined ? {} : { ca });
  const common = {
    ...failFast,
    reconnectOnError: demotion(),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(secure && { tls: secure }),
  };
  if (kind === "single") return new Redis({ ...common, ...hosts[0], db, enableOfflineQueue: false });
  if (kind === "sentinel")
    return new Redis({
      ...common,
      ...(sentinelUsername !== undefined && { sentinelUsername }),
      ...(sentinelPassword !== undefined && { sentinelPassword }),
      ...(secure && { sentinelTLS: secure }),
      sentinels: [...hosts],
      name: master ?? "",
      db,
      enableOfflineQueue: false,
      enableTLSForSentinelMode: tls,
      sentinelCommandTimeout: SILENCE_MS,
      sentinelRetryStrategy: backOff,
      // Its own connections print when they fail; a failover cuts ours off anyway, and the sentinels are asked again.
      failoverDetector: false,
    });
  return new Cluster([...hosts], {
    redisOptions: common,
    enableOfflineQueue: false,
    clusterRetryStrategy: backOff,
    slotsRefreshTimeout: SILENCE_MS,
    // A command that waits for a better time would be too late when it comes.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 0,
    // Certificates name hosts, so a host must not become its address before it is connected to.
    ...(tls && { dnsLookup: (host, callback) => callback(null, host) }),
  });
}

const failFast = {
  connectTimeout: CONNECT_MS,
  socketTimeout: SILENCE_MS,
  retryStrategy: backOff,
  // Sending again what may have been carried out would count twice.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // Slower for single commands, measured.
  enableAutoPipelining: false,
  // All that is needed, and understood by every server and proxy there is.
  protocol: 2,
  disableClientInfo: true,
  connectionName: "unloop",
} satisfies CommonRedisOptions;

const DEMOTION_PAUSE_MS = 10_000;

/** A master that became a replica while we were connected is left; one that was a replica from the start not again and again. */
function demotion(): (error: Error) => boolean {
  let nextAt = 0;
  return ({ message }) => {
    const now = performance.now();
    if (!message.startsWith("READONLY") || now < nextAt) return false;
    nextAt = now + DEMOTION_PAUSE_MS;
    return true;
  };
}

function backOff(times: number): number {
  return Math.min(25 * 2 ** Math.min(times, 10), 1_000) + Math.floor(Math.random() * 50);
}

async function whenReady(redis: Redis | Cluster, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  const isReady = () =>
    redis.status === "ready" &&
    (redis instanceof Redis || redis.nodes("master").every(({ status }) => status === "ready"));
  while (!isReady() && performance.now() < until) await sleep(10);
  return isReady();
}

/** One line; several addresses that failed together have only codes to tell, and a cluster the reason of its last node. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { code, lastNodeError } = error as { code?: unknown; lastNodeError?: unknown };
  if (lastNodeError instanceof Error) return reasonOf(lastNodeError);
  return error.message || String(code ?? error.name);
}

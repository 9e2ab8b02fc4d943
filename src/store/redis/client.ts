import { Cluster, type CommonRedisOptions, Redis } from "ioredis";
import { UnloopError } from "../../errors.ts";
import { StoreRefusal } from "../refusals.ts";
import type { RedisTarget } from "./url.ts";

/** How long a connection may say nothing while an answer is due; then it is given up and made anew. */
const SILENCE_MS = 1_000;
const CONNECT_MS = 2_000;

export interface RedisClient {
  readonly redis: Redis | Cluster;
  /** Why the connection failed last; undefined while all is well. */
  lastFailure(): string | undefined;
  /** Resolves to true once commands can be sent, to false when that takes longer. */
  whenReady(timeoutMs: number): Promise<boolean>;
}

/** Connects at once and again after each loss, for ever; commands fail at once while there is no connection. */
export function connectRedis(target: RedisTarget, ca: string | undefined): RedisClient {
  const redis = clientFor(target, ca);
  let failure: string | undefined;
  const note = (error: unknown) => {
    failure = reasonOf(error);
  };
  // Without a listener ioredis prints each failure; and what fails here shows in the commands as well.
  redis.on("error", note);
  redis.on("ready", () => {
    failure = undefined;
  });
  if (redis instanceof Cluster) connectNodesEarly(redis, note);
  return {
    redis,
    lastFailure: () => failure,
    whenReady: (timeoutMs) => whenReady(redis, timeoutMs),
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
  const common = { ...failFast, reconnectOnError: demotion(), ...accessOf(target, ca) };
  switch (target.kind) {
    case "single":
      return new Redis({ ...common, ...target.at, db: target.db, enableOfflineQueue: false });
    case "sentinel":
      return new Redis({
        ...common,
        ...sentinelAccess(target, ca),
        sentinels: [...target.sentinels],
        name: target.name,
        db: target.db,
        enableOfflineQueue: false,
        enableTLSForSentinelMode: target.tls,
        sentinelCommandTimeout: SILENCE_MS,
        sentinelRetryStrategy: backOff,
        // Its own connections print when they fail; a failover cuts ours off anyway, and the sentinels are asked again.
        failoverDetector: false,
      });
    case "cluster":
      return new Cluster([...target.nodes], {
        redisOptions: common,
        enableOfflineQueue: false,
        clusterRetryStrategy: backOff,
        slotsRefreshTimeout: SILENCE_MS,
        // A command that waits for a better time would be too late when it comes.
        retryDelayOnFailover: 0,
        retryDelayOnClusterDown: 0,
        retryDelayOnTryAgain: 0,
        // Certificates name hosts, so a host must not become its address before it is connected to.
        ...(target.tls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
      });
  }
}

const failFast = {
  connectTimeout: CONNECT_MS,
  socketTimeout: SILENCE_MS,
  retryStrategy: backOff,
  // Sending again what may have been carried out would count twice.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // Slower for single commands, measured; what leaves together is seen to by `sendingTogether`.
  enableAutoPipelining: false,
  // All that is needed, and understood by every server and proxy there is.
  protocol: 2,
  disableClientInfo: true,
  connectionName: "unloop",
} satisfies CommonRedisOptions;

const MAX_DEMOTION_PAUSE_MS = 60_000;

/** A master that became a replica while we were connected is left; one that was a replica from the start not again and again. */
function demotion(): (error: Error) => boolean {
  let pauseMs = 0;
  let nextAt = 0;
  return ({ message }) => {
    const now = performance.now();
    if (!message.startsWith("READONLY") || now < nextAt) return false;
    const isNew = now > nextAt + 2 * MAX_DEMOTION_PAUSE_MS;
    pauseMs = isNew ? 1_000 : Math.min(2 * pauseMs + 1_000, MAX_DEMOTION_PAUSE_MS);
    nextAt = now + pauseMs;
    return true;
  };
}

function backOff(times: number): number {
  return Math.min(25 * 2 ** Math.min(times, 10), 1_000) + Math.floor(Math.random() * 50);
}

function accessOf(target: RedisTarget, ca: string | undefined) {
  return {
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.tls ? { tls: ca === undefined ? {} : { ca } } : {}),
  };
}

function sentinelAccess(target: RedisTarget & { kind: "sentinel" }, ca: string | undefined) {
  return {
    ...(target.sentinelUsername === undefined ? {} : { sentinelUsername: target.sentinelUsername }),
    ...(target.sentinelPassword === undefined ? {} : { sentinelPassword: target.sentinelPassword }),
    ...(target.tls ? { sentinelTLS: ca === undefined ? {} : { ca } } : {}),
  };
}

async function whenReady(redis: Redis | Cluster, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  if (!(await readyWithin(redis, timeoutMs))) return false;
  if (redis instanceof Redis) return true;
  const left = Math.max(1, until - performance.now());
  const nodes = await Promise.all(redis.nodes("master").map((node) => readyWithin(node, left)));
  return nodes.every(Boolean);
}

function readyWithin(redis: Redis | Cluster, ms: number): Promise<boolean> {
  if (redis.status === "ready") return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (ready: boolean) => {
      clearTimeout(timer);
      redis.off("ready", onReady);
      resolve(ready);
    };
    const onReady = () => settle(true);
    const timer = setTimeout(settle, ms, false);
    redis.on("ready", onReady);
  });
}

/** One line; several addresses that failed together have only codes to tell, and a cluster the reason of its last node. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { code, lastNodeError } = error as { code?: unknown; lastNodeError?: unknown };
  if (lastNodeError instanceof Error) return reasonOf(lastNodeError);
  return error.message || String(code ?? error.name);
}

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

import { type Context, Hono } from "hono";
import { compress } from "hono/compress";
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import {
  type AdminApp,
  adminApp,
  adminPath,
  type AdminToken,
  healthApp,
  identifyBy,
  operatorToken,
  pageApp,
  tokensIn,
} from "./admin/admin.ts";
import { type Audit, openAudit } from "./admin/audit.ts";
import { observersFor } from "./admin/observers.ts";
import { promMetrics } from "./admin/metrics/prometheus.ts";
import { judgeIn, type Settings } from "./config/config.ts";
import { readPageFile } from "./page/files.ts";
import { type InForce, type LoadedSettings, revisionOf } from "./config-file/config-file.ts";
import { keepConfigured, type ServedConfiguration } from "./keep-configured.ts";
import { assembledGuard, changeFor } from "./assembled-guard.ts";
import { policyNamed } from "./policy/policy.ts";
import type { GuardChange, Log } from "./proxy/proxy.ts";
import { areInMemory, memoryStores } from "./store/memory/memory.ts";
import { resilient } from "./store/resilient/resilient.ts";
import type { Stores } from "./store/store.ts";
import { isLoopback } from "./text/loopback.ts";
import { matchAddress, nodeTransport } from "./transport/node.ts";
import { version } from "./version.ts";
import { listen } from "./transport/node-server.ts";
import { warmUp } from "./warm-up.ts";
import { type Troubled, watchTroubles } from "./watch-troubles.ts";

export { readPageFile, type ServedConfiguration };
export { readSettings, type Settings } from "./config/config.ts";
export { redisStores, type RedisStoreOptions } from "./store/redis/redis.ts";
export { type NodeTransportOptions, nodeTransport } from "./transport/node.ts";

/** A running server. */
export interface Serving {
  /** Where the guard listens, without `/v1`. */
  readonly url: string;
  /** Where operators look, without `/unloop`. */
  readonly adminUrl: string;
  /** Token for operators' acts, made for this start; undefined where others are set, or where more than this machine can ask. */
  readonly adminToken: string | undefined;
  /** Takes no new exchange, lets the open ones finish for up to `ms` or as configured, then ends what is left. */
  drain(ms?: number): Promise<void>;
}

/** What a server does beside what its settings say. */
export interface ServeOptions {
  /** Plays made-up runs until the first request of a client, at most for 0.5 s of CPU; the readiness check says `warming-up` meanwhile. */
  readonly warmsUp?: boolean;
}

/** Longest wait for Redis at the start, in milliseconds. If Redis is down, the server starts without it. */
const REDIS_WAIT_MS = 1_000;

/** Until then each request is judged by its history alone. */
const REDIS_CURE = "Start Redis, or correct REDIS_URL; `unloop doctor` looks into it. Requests pass meanwhile.";

/** Interval at which operators' orders are read, in milliseconds. */
const POLL_MS = 250;

/** How long what sessions do is gathered: a busy session is one command, and who reads here is told of it at once. */
const GATHER_MS = 1_000;

/**
 * The guard as a server on Node.
 * @throws UnloopError `bad_setting` when it cannot listen where it was told to, or a URL cannot be read.
 */
export async function serve(
  settings: Settings,
  log: Log = jsonLog(settings),
  configuration?: ServedConfiguration,
  { warmsUp = false }: ServeOptions = {},
): Promise<Serving> {
  const policy = configuration?.loaded.configured?.policy ?? policyNamed(settings.policy);
  const stores = await storesFor(settings, log);
  const transport = nodeTransport(settings);
  const metrics = promMetrics();
  const audit = openAudit(settings, log);
  const draining = new AbortController();
  const asked = new AbortController();
  // Where operators look, if not where agents ask.
  const { admin: adminAddress } = settings;
  const localToken = isLoopback((adminAddress ?? settings).host) ? randomBytes(24).toString("hex") : undefined;
  const judge = judgeIn(settings);
  const options = {
    ...settings,
    policy,
    judge,
    gatherMs: GATHER_MS,
    stores,
    transport,
    log,
    meter: metrics,
    onStoreChange: metrics.storeChanged,
  };
  const shared = stores.isShared ? resilient(stores, { deadlineMs: settings.storeDeadlineMs }) : undefined;
  const observers = await observersFor({ env: process.env, version, metrics, log, shared });
  const guard = assembledGuard({ ...options, observer: observers.use([]) }, areInMemory);
  metrics.watch(guard.held);
  const troubles = watchTroubles(stores, { log, metrics });
  const api = {
    version,
    stores: guard.context().stores,
    guard: guard.context,
    warnings: troubles.sentences,
    now: Date.now,
  };
  const ownTokens = tokensIn(settings);
  let fileTokens: readonly AdminToken[] = [];
  const tokens = () => [...ownTokens, ...fileTokens];
  const local = localToken === undefined ? undefined : operatorToken("loopback", localToken);
  let isWarm = !warmsUp;
  const status = () => (draining.signal.aborted ? "draining" : isWarm ? "ready" : "warming-up");
  let isProxy = matchAddress([]);
  const access = { tokens, local, identify: identifyBy((address) => isProxy(address), tokens), audit: audit.record };
  const admin = adminApp({ status, metrics: metrics.read, access, api, page: pageApp(readPageFile) });
  const operators = new Hono().use(compress()).route("/", mounted(admin));
  const app = adminAddress === undefined ? operators : mounted(healthApp(status));
  let { drainMs } = settings;
  guard.use({ onKeyRefused: keyRefusals(audit) });
  const revise = (inForce: InForce) => {
    const revision = revisionOf(inForce);
    metrics.configured(revision);
    audit.revise(revision);
    return revision;
  };
  const take = (taken: LoadedSettings) => {
    const { configured, settings: fileSettings } = taken;
    guard.use({
      observer: observers.use(configured?.alerts ?? []),
      ...(configured && changeFor(configured, fileSettings)),
    });
    fileTokens = configured?.tokens ?? [];
    isProxy = matchAddress(configured?.proxies ?? []);
    drainMs = fileSettings.drainMs;
    return revise(taken);
  };
  if (configuration === undefined) revise({ settings, configured: undefined });
  const unwatch =
    configuration === undefined ? undefined : keepConfigured(configuration, take, { log, metrics, guard, audit });
  await guard.refresh();
  const polling = stores.isShared ? setInterval(() => void guard.refresh(), POLL_MS).unref() : undefined;
  // A browser that is sent to the guard looks for its page.
  const isLed = ({ method, url, headers: { accept = "" } }: IncomingMessage) =>
    adminAddress === undefined && method === "GET" && url === "/" && /\btext\/html\b/.test(accept);
  const shortcut = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (adminPath(incoming.url ?? "") !== undefined) return false;
    if (isLed(incoming)) outgoing.writeHead(302, { location: "/unloop/" }).end();
    else {
      if (!isWarm) asked.abort();
      transport.take(incoming, outgoing, guard);
    }
    return true;
  };
  const upgrade: Parameters<typeof listen>[3] = (incoming, socket, head) =>
    adminPath(incoming.url ?? "") === undefined && transport.takeUpgrade(incoming, socket, head, guard);
  const { url, drain } = await listen(app, settings, shortcut, upgrade);
  const warming = warmsUp ? warmUp(policy, AbortSignal.any([draining.signal, asked.signal]), log) : Promise.resolve();
  void warming.then(() => {
    isWarm = true;
  });
  const own = adminAddress && (await listen(operators, { ...settings, ...adminAddress }));
  return {
    url,
    adminUrl: (own ?? { url }).url,
    adminToken: tokens().length === 0 ? localToken : undefined,
    async drain(ms) {
      draining.abort();
      await warming;
      await sleep(settings.shutdownDelayMs);
      await Promise.all([drain(ms ?? drainMs), own?.drain(ms ?? drainMs)]);
      clearInterval(polling);
      troubles.stop();
      unwatch?.();
      await guard.settle();
      await transport.close();
      await stores.sessions.close();
      await observers.close();
    },
  };
}

/** Which key was refused, and where it came from; never the key. */
function keyRefusals({ record }: Audit): Required<GuardChange>["onKeyRefused"] {
  return ({ address, fields }, actor) => {
    const forwardedFor = fields["x-forwarded-for"]?.toString();
    const reason = actor === undefined ? "no client key" : "expired";
    record({ act: "refused-key", actor, reason, address, forwardedFor });
  };
}

const mounted = (admin: AdminApp) =>
  new Hono().all("*", ({ req, env }: Context) => admin(req.raw, env?.incoming?.socket?.remoteAddress));

async function storesFor(
  { redisUrl: url, storeBytes: maxBytes }: Settings,
  log: Log,
): Promise<Stores & Partial<Troubled>> {
  if (url === undefined) return memoryStores({ maxBytes });
  const { redisStores } = await import("./store/redis/redis.ts");
  const stores = redisStores({ url });
  if (!(await stores.whenReady(REDIS_WAIT_MS)))
    log.warn({ waitedMs: REDIS_WAIT_MS, why: stores.lastFailure(), cure: REDIS_CURE }, "store-not-ready");
  return stores;
}

/** Batching delay of the log: a write costs as much as judging a quiet step, for it wakes another thread. */
const LOG_TOGETHER_MS = 250;

/** One JSON object a line on standard error: standard output belongs to what is asked for. @param dest a file descriptor */
export function jsonLog({ log }: Pick<Settings, "log">, dest = 2): Log {
  let sink: LogSink | undefined;
  let isWaiting = false;
  const flush = () => {
    isWaiting = false;
    sink?.flush();
  };
  const lines = {
    write(line: string) {
      sink ??= logSink(dest, () => {
        sink = undefined;
      });
      sink.write(Buffer.from(line));
      if (!isWaiting) setTimeout(flush, LOG_TOGETHER_MS);
      isWaiting = true;
    },
  };
  return pino({ name: "unloop", level: log, base: null, messageKey: "event" }, lines);
}

/** Takes lines as bytes: of lines that are text it would measure all that it has gathered at each. */
interface LogSink extends Pick<SonicBoom, "flush"> {
  write(line: Uint8Array): boolean;
}

/** What is left when the process ends, it writes then; on a full disk it would try that for ever, so what cannot be written is lost. */
function logSink(dest: number, onLoss: () => void): LogSink {
  const sink = pino.destination({ dest, sync: false, minLength: 65_536, maxWrite: 131_072, contentMode: "buffer" });
  sink.on("error", () => {
    sink.destroy();
    onLoss();
  });
  // Its types know text alone.
  return sink as unknown as LogSink;
}

type SonicBoom = ReturnType<typeof pino.destination>;

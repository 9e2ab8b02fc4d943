import { waitUntil } from "cloudflare:workers";
import type { ExecutionContext } from "hono";
import { judgeIn, type Settings } from "./config/config.ts";
import { type EdgeConfiguration, edgeConfiguration, followed, isKept } from "./config-file/config-file.ts";
import { UnloopError } from "./errors.ts";
import { adminApp, adminPath, tokensIn } from "./admin/admin.ts";
import { assembledGuard, changeFor } from "./assembled-guard.ts";
import { webTransport } from "./transport/web.ts";
import type { Fields } from "./transport/transport.ts";
import { brokenOffEvent, fallbackProtocol } from "./protocols/protocols.ts";
import type { Log } from "./proxy/proxy.ts";
import { version } from "./version.ts";
import { durableObjectStores, type ObjectNamespaces } from "./store/durable-object/durable-object.ts";

export {
  DirectoryObject,
  JournalObject,
  durableObjectStores,
  type DurableObjectStoreOptions,
  type ObjectNamespaces,
  ThreadObject,
} from "./store/durable-object/durable-object.ts";

/** The guard as a Worker: `wrangler.toml` says what it is bound to. */
export default {
  fetch: guardWorker(),
};

type Bindings = ObjectNamespaces & { readonly UNLOOP_CONFIG?: unknown };
type Fetch = (request: Request, bindings: Bindings, context: ExecutionContext) => Promise<Response>;
type App = (request: Request) => Promise<Response>;

/** One guard for each isolate, made at its first request: only then are there bindings. */
function guardWorker(): Fetch {
  let current: (() => Promise<App>) | undefined;
  return async (request, bindings) => {
    current ??= currentApp(bindings);
    return (await current())(request);
  };
}

/** There is no start that could fail, so settings that are wrong answer each request with what is wrong. */
function currentApp(bindings: Bindings): () => Promise<App> {
  const { UNLOOP_CONFIG: kept } = bindings;
  if (!isKept(kept)) {
    const app = orRefusing(() => workerApp(bindings, edgeConfiguration(bindings)));
    return () => app;
  }
  // A guard of its own for each configuration: all that it sets holds at once, and open answers end as they began.
  const latest = followed<EdgeConfiguration & { readonly app: App }>(kept, {
    make(text, before) {
      const configuration = edgeConfiguration({ ...bindings, UNLOOP_CONFIG: text }, before?.configured);
      jsonLog(configuration.settings.log).info({}, before === undefined ? "config-in-force" : "config-taken");
      return { ...configuration, app: workerApp(bindings, configuration) };
    },
    onRefused: ({ code, message }) => jsonLog("error").error({ code, message }, "config-refused"),
    outlive: waitUntil,
    now: Date.now,
  });
  return () => orRefusing(async () => (await latest()).app);
}

async function orRefusing(make: () => App | Promise<App>): Promise<App> {
  try {
    return await make();
  } catch (error) {
    return refusing(error);
  }
}

const OPEN =
  "This Worker is an open relay: whoever has a provider's key can send requests through it, on your bill. Set `clients` in UNLOOP_CONFIG, or put Cloudflare Access or a WAF rule in front (docs/deployment.md).";

/** How old what an isolate knows of operators' orders may become before a request reads them anew. */
const ORDERS_MS = 2_000;

/** An isolate has 128 MB, and a body is in memory more than once: of all bodies together three times as much is held. */
const READ_BYTES = 10 * 1024 * 1024;

/** What operators look at is written together by each isolate. */
const GATHER_MS = 5_000;

function workerApp(bindings: ObjectNamespaces, { settings, configured }: EdgeConfiguration): App {
  const log = jsonLog(settings.log);
  const stores = durableObjectStores(bindings, settings);
  // workerd ends an answer whose stream errors as if it were complete (workerd issue 6818).
  const transport = webTransport({ ...settings, lastWords: brokenOff, joinsWebSockets: true });
  const guard = assembledGuard(
    {
      ...settings,
      judge: judgeIn(settings),
      stores,
      transport,
      log,
      readBytes: READ_BYTES,
      gatherMs: GATHER_MS,
      outlive: waitUntil,
    },
    () => false,
  );
  if (configured !== undefined) guard.use(changeFor(configured, settings));
  const warnings = (configured?.clients ?? []).length === 0 ? [OPEN] : [];
  for (const warning of warnings) log.warn({ warning }, "open-to-all");
  const api = {
    version,
    stores: guard.context().stores,
    guard: guard.context,
    warnings: () => warnings,
    now: Date.now,
  };
  const tokens = [...tokensIn(settings), ...(configured?.tokens ?? [])];
  const access = { tokens: () => tokens, local: undefined };
  const admin = adminApp({ status: () => "ready", metrics: undefined, access, api, page: undefined });
  // No timer asks between requests what operators have ordered.
  let readAt = Number.NEGATIVE_INFINITY;
  return async (request) => {
    const path = adminPath(request.url);
    const age = Date.now() - readAt;
    if (age >= ORDERS_MS) readAt = Date.now();
    if (age === Number.POSITIVE_INFINITY || path?.startsWith("/api/")) await guard.refresh();
    else if (age >= ORDERS_MS) waitUntil(guard.refresh());
    return path === undefined ? transport.take(request, guard, waitUntil) : admin(request);
  };
}

function brokenOff({ "content-type": contentType }: Fields): Uint8Array | undefined {
  const event = brokenOffEvent(String(contentType));
  return event === undefined ? undefined : new TextEncoder().encode(event);
}

function refusing(error: unknown): App {
  if (!(error instanceof UnloopError)) throw error;
  const { code, message, cure, status } = error;
  jsonLog("error").error({ code, message }, "not-started");
  const { body } = fallbackProtocol.error({ code, status, message: `${message} ${cure}` }, "body");
  // What only a new deployment mends, no SDK need ask for again.
  const headers = { "content-type": "application/json", "x-should-retry": String(status === 503) };
  return async () => new Response(body, { status, headers });
}

const SEVERITY: readonly Settings["log"][] = ["debug", "info", "warn", "error", "silent"];

/** One JSON object a line, as `wrangler tail` and Workers Logs read them. */
function jsonLog(least: Settings["log"]): Log {
  const at = (level: Exclude<Settings["log"], "silent">) => (facts: object, event: string) => {
    if (SEVERITY.indexOf(level) < SEVERITY.indexOf(least)) return;
    // biome-ignore lint/suspicious/noConsole: it is the only log there is on Workers
    console[level](JSON.stringify({ level, time: Date.now(), name: "unloop", event, ...facts }));
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

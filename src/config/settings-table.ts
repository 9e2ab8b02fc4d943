import {
  headerName,
  hostName,
  keyPrefix,
  listOf,
  LONGEST_TIMER_MS,
  oneOf,
  type Parse,
  secretText,
  upstreamsByPrefix,
  upstreamUrl,
  webhookUrl,
  wholeNumber,
} from "./setting-text.ts";

/** What an alert is about: the rung that was carried out, `cut` for an answer that had run away, `observe` for what would have been done. */
export const alertOccasions = ["observe", "nudge", "force-done", "short-circuit", "cut"] as const;
export type AlertOccasion = (typeof alertOccasions)[number];

export interface Setting {
  readonly env: `UNLOOP_${string}` | "REDIS_URL";
  /** The command line's flag of the same meaning; it overrides the environment. */
  readonly flag?: `--${string}`;
  /** It means something on Cloudflare Workers, too. */
  readonly edge?: true;
  /** A number that a configuration file may set under `limits`. */
  readonly limit?: true;
  /** The default, as it would be written in the environment; undefined if there is none. */
  readonly standard: string | undefined;
  readonly parse: Parse<unknown>;
  readonly about: string;
}

/**
 * Every setting there is, said once: its type, how it is read, its default, where it means something, and its row in
 * `docs/configuration.md` (checked) derive from its line here.
 */
export const settingsTable = {
  upstream: {
    env: "UNLOOP_UPSTREAM",
    edge: true,
    flag: "--upstream",
    standard: undefined,
    parse: (text: string, name: string) => (text === "" ? undefined : upstreamUrl(text, name)),
    about: "The API in front of which Unloop stands. Without it each wire format goes to its maker's API.",
  },
  upstreams: {
    env: "UNLOOP_UPSTREAMS",
    edge: true,
    standard: undefined,
    parse: upstreamsByPrefix,
    about:
      "Further APIs by the beginning of the path: `/groq=https://api.groq.com/openai,/local=http://127.0.0.1:11434`.",
  },
  host: {
    env: "UNLOOP_HOST",
    flag: "--host",
    standard: "127.0.0.1",
    parse: hostName,
    about: "The address to listen on.",
  },
  port: {
    env: "UNLOOP_PORT",
    flag: "--port",
    standard: "8787",
    ...wholeNumber(0, 65_535),
    about: "The port to listen on; 0 takes any free one.",
  },
  config: {
    env: "UNLOOP_CONFIG",
    flag: "--config",
    standard: undefined,
    parse: (text: string) => text || undefined,
    about: "A configuration file (YAML or JSON) with upstreams, policies, rules, client keys and admin tokens.",
  },
  mode: {
    env: "UNLOOP_MODE",
    edge: true,
    flag: "--mode",
    standard: "enforce",
    parse: oneOf(["enforce", "observe", "off"]),
    about: "`enforce` intervenes, `observe` only says what it would do, `off` passes everything on unseen.",
  },
  policy: {
    env: "UNLOOP_POLICY",
    edge: true,
    flag: "--policy",
    standard: "default",
    // What the JSON may say is the policy's business, which reads it before the server starts.
    parse: (text, name, policies) => (text.trimStart().startsWith("{") ? text : oneOf(policies)(text, name, policies)),
    about: "What counts as a loop and what is done about it: a preset's name, or a policy as JSON.",
  },
  secret: {
    env: "UNLOOP_SECRET",
    edge: true,
    standard: undefined,
    parse: secretText,
    about: "Keys the signatures that are stored; at least 16 characters. Without it each start makes its own.",
  },
  maxBodyBytes: {
    env: "UNLOOP_MAX_BODY_BYTES",
    limit: true,
    edge: true,
    standard: String(32 * 1024 * 1024),
    ...wholeNumber(1),
    about: "The largest request body that is read; a larger one is answered with 413.",
  },
  unreadable: {
    env: "UNLOOP_UNREADABLE",
    edge: true,
    standard: "pass",
    parse: oneOf(["pass", "refuse"]),
    about:
      "What becomes of a request to a guarded API that cannot be read (compressed, not JSON, its path spelt in another way): `refuse` it where budgets must hold for hostile clients, too.",
  },
  tenantHeader: {
    env: "UNLOOP_TENANT_HEADER",
    edge: true,
    standard: undefined,
    parse: headerName,
    about:
      "A request header that tells tenants apart, beside their credentials; it must come from a gateway, not from clients.",
  },
  bodyBudgetBytes: {
    env: "UNLOOP_BODY_BUDGET_BYTES",
    limit: true,
    edge: true,
    standard: String(96 * 1024 * 1024),
    ...wholeNumber(1),
    about: "The most bytes of request bodies held at once, in all; a request beyond that is answered with 503.",
  },
  sessionTtlMs: {
    env: "UNLOOP_SESSION_TTL_MS",
    limit: true,
    edge: true,
    standard: String(6 * 60 * 60 * 1000),
    ...wholeNumber(1),
    about: "How long a session is remembered after its last request, in milliseconds.",
  },
  maxSessions: {
    env: "UNLOOP_MAX_SESSIONS",
    limit: true,
    standard: "10000",
    ...wholeNumber(1),
    about: "How many sessions are remembered at once without Redis; the least recently used make room.",
  },
  storeBytes: {
    env: "UNLOOP_STORE_BYTES",
    limit: true,
    standard: String(96 * 1024 * 1024),
    ...wholeNumber(1_048_576),
    about:
      "What sessions, sums, journal and directory take up together without Redis, in bytes; in a full store each tenant has an even share.",
  },
  threadCacheSteps: {
    env: "UNLOOP_THREAD_CACHE_STEPS",
    limit: true,
    standard: "16384",
    ...wholeNumber(0),
    about: "Steps of live threads at hand, so that of their next requests only new messages are read; about 1 KB each.",
  },
  log: {
    env: "UNLOOP_LOG",
    edge: true,
    flag: "--log",
    standard: "info",
    parse: oneOf(["silent", "error", "warn", "info", "debug"]),
    about: "How much is logged: `silent`, `error`, `warn`, `info` or `debug`.",
  },
  connectTimeoutMs: {
    env: "UNLOOP_CONNECT_TIMEOUT_MS",
    limit: true,
    standard: "10000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long connecting to the upstream may take, in milliseconds.",
  },
  firstByteTimeoutMs: {
    env: "UNLOOP_FIRST_BYTE_TIMEOUT_MS",
    limit: true,
    edge: true,
    standard: "600000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long the upstream may take to begin its answer, in milliseconds.",
  },
  idleTimeoutMs: {
    env: "UNLOOP_IDLE_TIMEOUT_MS",
    limit: true,
    edge: true,
    standard: "300000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long the upstream may fall silent within an answer, in milliseconds.",
  },
  clientIdleTimeoutMs: {
    env: "UNLOOP_CLIENT_IDLE_TIMEOUT_MS",
    limit: true,
    standard: "60000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long a client may fall silent within its request, or leave an answer unread, in milliseconds.",
  },
  maxClientConnections: {
    env: "UNLOOP_MAX_CLIENT_CONNECTIONS",
    limit: true,
    standard: "2048",
    ...wholeNumber(0),
    about: "Connections of one client address at a time; 0 sets no limit, as behind a load balancer.",
  },
  upstreamConnections: {
    env: "UNLOOP_UPSTREAM_CONNECTIONS",
    limit: true,
    standard: "1024",
    ...wholeNumber(1),
    about: "Connections to one upstream at a time; requests beyond that wait for one to become free.",
  },
  upstreamWaitMs: {
    env: "UNLOOP_UPSTREAM_WAIT_MS",
    limit: true,
    standard: "5000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about:
      "How long a request may wait for a free upstream connection before it is answered with 503, in milliseconds.",
  },
  drainMs: {
    env: "UNLOOP_DRAIN_MS",
    limit: true,
    standard: "30000",
    ...wholeNumber(0, LONGEST_TIMER_MS),
    about: "How long open exchanges may take to finish when Unloop is stopped, in milliseconds.",
  },
  shutdownDelayMs: {
    env: "UNLOOP_SHUTDOWN_DELAY_MS",
    standard: "0",
    ...wholeNumber(0, LONGEST_TIMER_MS),
    about:
      "How long readiness fails before the listener closes when Unloop is stopped, in milliseconds: load balancers look away meanwhile.",
  },
  redisUrl: {
    env: "REDIS_URL",
    standard: undefined,
    // What it may say is the store's business, which reads it before the server starts.
    parse: (text) => text || undefined,
    about: "The Redis that several processes share; needs `UNLOOP_SECRET`. Without it each keeps its own sessions.",
  },
  redisPrefix: {
    env: "UNLOOP_REDIS_PREFIX",
    standard: "unloop:",
    parse: keyPrefix,
    about: "What every key in Redis begins with.",
  },
  storeDeadlineMs: {
    env: "UNLOOP_STORE_DEADLINE_MS",
    limit: true,
    edge: true,
    standard: "50",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long Redis may take to answer before a request goes on without it, in milliseconds.",
  },
  allowClientOverrides: {
    env: "UNLOOP_ALLOW_CLIENT_OVERRIDES",
    edge: true,
    standard: "no",
    parse: (text, name, policies) => oneOf(["no", "yes"])(text, name, policies) === "yes",
    about: "`yes` lets clients choose with the headers `x-unloop-mode` and `x-unloop-policy`.",
  },
  adminToken: {
    env: "UNLOOP_ADMIN_TOKEN",
    edge: true,
    standard: undefined,
    parse: secretText,
    about:
      "Opens the admin API and the metrics, sent as bearer token; at least 16 characters. Without it only a server on loopback shows them.",
  },
  adminTokenFile: {
    env: "UNLOOP_ADMIN_TOKEN_FILE",
    standard: undefined,
    parse: (text) => text || undefined,
    about:
      "A file with admin tokens, as secrets are mounted: a token by itself, or lines of role, name and token. Read again when it changes.",
  },
  webhookUrl: {
    env: "UNLOOP_WEBHOOK_URL",
    standard: undefined,
    parse: webhookUrl,
    about:
      "Where a message goes once for each loop; Slack's incoming webhooks understand it. [telemetry.md](telemetry.md) has its form.",
  },
  webhookSecret: {
    env: "UNLOOP_WEBHOOK_SECRET",
    standard: undefined,
    parse: secretText,
    about: "Signs these messages (`x-unloop-signature`); at least 16 characters.",
  },
  webhookOn: {
    env: "UNLOOP_WEBHOOK_ON",
    standard: "force-done,short-circuit,cut",
    parse: listOf(alertOccasions),
    about: "What messages are sent for, separated by commas: `observe`, `nudge`, `force-done`, `short-circuit`, `cut`.",
  },
  judgeUpstream: {
    env: "UNLOOP_JUDGE_UPSTREAM",
    edge: true,
    standard: "https://api.openai.com",
    parse: upstreamUrl,
    about: "The API of the judge: any that understands chat completions.",
  },
  judgeKey: {
    env: "UNLOOP_JUDGE_KEY",
    edge: true,
    standard: undefined,
    parse: (text) => text || undefined,
    about: "The judge's own key, sent as bearer token; none is sent without it.",
  },
  judgeModel: {
    env: "UNLOOP_JUDGE_MODEL",
    edge: true,
    standard: undefined,
    parse: (text) => text || undefined,
    about: "The model that judges how near the goal is, for policies with `judge`. Without it nobody is asked.",
  },
  judgeTimeoutMs: {
    env: "UNLOOP_JUDGE_TIMEOUT_MS",
    edge: true,
    standard: "30000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about:
      "How long the judge may take for one question, in milliseconds. Exchanges wait for it only where a policy says so.",
  },
  judgeMaxConcurrent: {
    env: "UNLOOP_JUDGE_MAX_CONCURRENT",
    edge: true,
    standard: "8",
    ...wholeNumber(1, 1_000),
    about:
      "Questions to the judge under way at a time. Further ones wait their turn, the session judged longest ago first.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settingsTable;

/** All settings, by name. */
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settingsTable)[Name]["parse"]> };

/** Those that mean something on Cloudflare Workers. */
export type EdgeSettingName = {
  [Name in SettingName]: (typeof settingsTable)[Name] extends { readonly edge: true } ? Name : never;
}[SettingName];

/** Those that a configuration file may set under `limits`. */
export type LimitName = {
  [Name in SettingName]: (typeof settingsTable)[Name] extends { readonly limit: true } ? Name : never;
}[SettingName];

export type Mode = Settings["mode"];
export type LogLevel = Settings["log"];

/** Variables that had another name before. */
export const renamedVariables: Readonly<Record<string, string>> = {
  UNLOOP_REMEMBERED_STEPS: settingsTable.threadCacheSteps.env,
  UNLOOP_CLIENT_MAY_CHOOSE: settingsTable.allowClientOverrides.env,
};

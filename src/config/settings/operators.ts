import {
  headerName,
  hostAndPort,
  hostName,
  LONGEST_TIMER_MS,
  oneOf,
  type Parse,
  secretText,
  upstreamsByPrefix,
  upstreamUrl,
  webhookUrl,
  wholeNumber,
} from "../setting-text.ts";

/** What an alert is about: the rung that was carried out, `cut` for an answer that had run away, `observe` for what would have been done. */
export const alertOccasions = ["observe", "nudge", "force-done", "short-circuit", "cut"] as const;
export type AlertOccasion = (typeof alertOccasions)[number];

/** Who may look in, and what is written down. */
export const operatorSettings = {
  adminToken: {
    env: "UNLOOP_ADMIN_TOKEN",
    edge: true,
    standard: undefined,
    parse: secretText,
    about:
      "Bearer token for the admin API and the metrics; at least 16 characters. Without it they are available only on a server that listens on loopback: for reading, and for acts with a token that is printed at the start.",
  },
  admin: {
    env: "UNLOOP_ADMIN",
    standard: undefined,
    parse: (text, name) => (text === "" ? undefined : hostAndPort(text, name)),
    about:
      "With an address such as `127.0.0.1:8788`, all under `/unloop` but the health checks gets a listener of its own there.",
  },
  audit: {
    env: "UNLOOP_AUDIT",
    standard: undefined,
    parse: (text, name) => (/^https?:/.test(text) ? webhookUrl(text, name) : text || undefined),
    about:
      "Where the audit goes, one JSON line for each act, reload and refusal: `stdout`, a file, or a webhook, signed with `UNLOOP_AUDIT_SECRET`. [telemetry.md](telemetry.md#audit) describes the lines.",
  },
  auditSecret: {
    env: "UNLOOP_AUDIT_SECRET",
    standard: undefined,
    parse: secretText,
    about: "Signs the audit that goes to a webhook (`x-unloop-signature`); at least 16 characters.",
  },
  decisions: {
    env: "UNLOOP_DECISIONS",
    standard: undefined,
    parse: (text) => text || undefined,
    about:
      "Where the decision export goes, one JSON line for each guarded exchange: `stdout` or a file. Off by default. `unloop replay` reads it; [replay.md](replay.md#export-decisions) describes the lines.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

export interface Setting {
  readonly env: `UNLOOP_${string}` | "REDIS_URL";
  /** The command line's flag of the same meaning; it overrides the environment. */
  readonly flag?: `--${string}`;
  /** Whether Cloudflare Workers support it. */
  readonly edge?: true;
  /** A number that a configuration file may set under `limits`. */
  readonly limit?: true;
  /** The default, as it would be written in the environment; undefined if there is none. */
  readonly standard: string | undefined;
  readonly parse: Parse<unknown>;
  readonly about: string;
}

/** Settings of detection and enforcement. */
export const enforcementSettings = {
  mode: {
    env: "UNLOOP_MODE",
    edge: true,
    flag: "--mode",
    standard: "enforce",
    parse: oneOf(["enforce", "observe", "off"]),
    about: "`enforce` intervenes; `observe` only reports what it would do; `off` passes everything through unread.",
  },
  policy: {
    env: "UNLOOP_POLICY",
    edge: true,
    flag: "--policy",
    standard: "default",
    // What the JSON may say is the policy's business, which reads it before the server starts.
    parse: (text, name, policies) => (text.trimStart().startsWith("{") ? text : oneOf(policies)(text, name, policies)),
    about: "What counts as a loop and how to intervene: the name of a preset, or a policy as JSON.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The model that judges how near a goal is. */
export const judgeSettings = {
  judgeUpstream: {
    env: "UNLOOP_JUDGE_UPSTREAM",
    edge: true,
    standard: "https://api.openai.com",
    parse: upstreamUrl,
    about: "The judge's API; any chat completions API works.",
  },
  judgeKey: {
    env: "UNLOOP_JUDGE_KEY",
    edge: true,
    standard: undefined,
    parse: (text) => text || undefined,
    about: "The judge's own API key, sent as bearer token. Without it no key is sent.",
  },
  judgeModel: {
    env: "UNLOOP_JUDGE_MODEL",
    edge: true,
    standard: undefined,
    parse: (text) => text || undefined,
    about: "The model that scores how near the goal is, for policies with `judge`. Without it there is no judge.",
  },
  judgeTimeoutMs: {
    env: "UNLOOP_JUDGE_TIMEOUT_MS",
    edge: true,
    standard: "30000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about:
      "Time limit for one question to the judge, in milliseconds. Exchanges wait for the judge only if the policy says so.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Settings of the requests that clients may send. */
export const requestSettings = {
  maxBodyBytes: {
    env: "UNLOOP_MAX_BODY_BYTES",
    limit: true,
    edge: true,
    standard: String(32 * 1024 * 1024),
    ...wholeNumber(1),
    about:
      "Maximum size of a request body; a larger one is answered with 413. All bodies held at once may be three times as large; a request beyond that is answered with 503.",
  },
  unreadable: {
    env: "UNLOOP_UNREADABLE",
    edge: true,
    standard: "pass",
    parse: oneOf(["pass", "refuse"]),
    about:
      "How to treat a request to a guarded API that Unloop cannot read (compressed, not JSON, an unusual spelling of the path): `pass`, or `refuse` if budgets must also hold for hostile clients.",
  },
  tenantHeader: {
    env: "UNLOOP_TENANT_HEADER",
    edge: true,
    standard: undefined,
    parse: headerName,
    about:
      "A request header that separates tenants, in addition to their credentials. It must be set by a gateway, not by clients.",
  },
  maxHeaderBytes: {
    env: "UNLOOP_MAX_HEADER_BYTES",
    limit: true,
    standard: String(128 * 1024),
    ...wholeNumber(1_024),
    about: "Maximum size of a request's header with its path and query, and of an answer's header, in bytes.",
  },
  clientIdleTimeoutMs: {
    env: "UNLOOP_CLIENT_IDLE_TIMEOUT_MS",
    limit: true,
    standard: "60000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long a client may stall while it sends a request, or leave an answer unread, in milliseconds.",
  },
  maxClientConnections: {
    env: "UNLOOP_MAX_CLIENT_CONNECTIONS",
    limit: true,
    standard: "2048",
    ...wholeNumber(0),
    about: "Maximum number of connections from one client address; 0 means no limit, for use behind a load balancer.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The process: where it listens, what it reads at the start, what it logs, and how it stops. */
export const serverSettings = {
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
  log: {
    env: "UNLOOP_LOG",
    edge: true,
    flag: "--log",
    standard: "info",
    parse: oneOf(["silent", "error", "warn", "info", "debug"]),
    about: "Log level: `silent`, `error`, `warn`, `info` or `debug`.",
  },
  drainMs: {
    env: "UNLOOP_DRAIN_MS",
    limit: true,
    standard: "30000",
    ...wholeNumber(0, LONGEST_TIMER_MS),
    about: "How long open exchanges may take to finish when Unloop shuts down, in milliseconds.",
  },
  warmUpMs: {
    env: "UNLOOP_WARM_UP_MS",
    standard: "500",
    ...wholeNumber(0, LONGEST_TIMER_MS),
    about: "CPU time for warming up at the start, in milliseconds.",
  },
  shutdownDelayMs: {
    env: "UNLOOP_SHUTDOWN_DELAY_MS",
    standard: "0",
    ...wholeNumber(0, LONGEST_TIMER_MS),
    about:
      "How long the readiness check fails before the listener closes at shutdown, in milliseconds. Load balancers stop sending traffic meanwhile.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Longer than APIs and their SDKs wait: silence is theirs to end, or the client's. */
const AN_HOUR_MS = "3600000";

/** Where requests are sent, and how long that may take. */
export const upstreamSettings = {
  upstream: {
    env: "UNLOOP_UPSTREAM",
    edge: true,
    flag: "--upstream",
    standard: undefined,
    parse: (text: string, name: string) => (text === "" ? undefined : upstreamUrl(text, name)),
    about: "The API that Unloop forwards to. Without it each wire format goes to its vendor's API.",
  },
  upstreams: {
    env: "UNLOOP_UPSTREAMS",
    edge: true,
    standard: undefined,
    parse: upstreamsByPrefix,
    about: "Further APIs by path prefix: `/groq=https://api.groq.com/openai,/local=http://127.0.0.1:11434`.",
  },
  connectTimeoutMs: {
    env: "UNLOOP_CONNECT_TIMEOUT_MS",
    limit: true,
    standard: "10000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "Timeout for connecting to the upstream, in milliseconds.",
  },
  firstByteTimeoutMs: {
    env: "UNLOOP_FIRST_BYTE_TIMEOUT_MS",
    limit: true,
    edge: true,
    standard: AN_HOUR_MS,
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long the upstream may take to start its answer, in milliseconds.",
  },
  idleTimeoutMs: {
    env: "UNLOOP_IDLE_TIMEOUT_MS",
    limit: true,
    edge: true,
    standard: AN_HOUR_MS,
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long the upstream may be silent during an answer, in milliseconds.",
  },
  upstreamConnections: {
    env: "UNLOOP_UPSTREAM_CONNECTIONS",
    limit: true,
    standard: "1024",
    ...wholeNumber(1),
    about: "Maximum number of connections to one upstream; further requests wait for a free one.",
  },
  upstreamWaitMs: {
    env: "UNLOOP_UPSTREAM_WAIT_MS",
    limit: true,
    standard: "5000",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about:
      "How long a request may wait for a free upstream connection before it is answered with 503, in milliseconds.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

import {
  baseUrl,
  feed,
  headerName,
  hostAndPort,
  hostName,
  type InputShape,
  oneOfChoices,
  secretText,
  text,
  urlsByPrefix,
  wholeNumberFrom,
} from "../shapes/shapes.ts";

/** A setting: its environment variable is its name in capitals behind `UNLOOP_`. */
export interface Setting {
  readonly env?: "REDIS_URL";
  /** The command line has a flag of its name. */
  readonly flag?: true;
  /** Cloudflare Workers support it. */
  readonly edge?: true;
  /** A number that a configuration file may set under `limits`. */
  readonly limit?: true;
  /** The default; undefined if there is none. */
  readonly standard?: unknown;
  readonly shape: InputShape;
  readonly about: string;
}

/** Longest delay that timers accept on all platforms. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Longer than APIs and their SDKs wait: silence is theirs to end, or the client's. */
const AN_HOUR_MS = 3_600_000;

const milliseconds = (standard: number, least = 1) => ({ standard, shape: wholeNumberFrom(least, LONGEST_TIMER_MS) });

/** Every setting there is, with its row in `docs/configuration.md` (checked). */
export const settingsTable = {
  // Where requests are sent, and how long that may take.
  upstream: {
    edge: true,
    flag: true,
    shape: baseUrl,
    about: "The API that Unloop forwards to. Without it each wire format goes to its vendor's API.",
  },
  upstreams: {
    edge: true,
    standard: {},
    shape: urlsByPrefix,
    about: "Further APIs by path prefix: `/groq=https://api.groq.com/openai,/local=http://127.0.0.1:11434`.",
  },
  connectTimeoutMs: {
    limit: true,
    ...milliseconds(10_000),
    about: "Timeout for connecting to the upstream.",
  },
  firstByteTimeoutMs: {
    limit: true,
    edge: true,
    ...milliseconds(AN_HOUR_MS),
    about: "How long the upstream may take to start its answer.",
  },
  idleTimeoutMs: {
    limit: true,
    edge: true,
    ...milliseconds(AN_HOUR_MS),
    about: "How long the upstream may be silent during an answer.",
  },
  upstreamConnections: {
    limit: true,
    standard: 1_024,
    shape: wholeNumberFrom(1),
    about:
      "Maximum number of connections to one upstream; further requests wait 5 s for a free one, then they are answered with 503.",
  },
  // The process.
  host: { flag: true, standard: "127.0.0.1", shape: hostName, about: "The address to listen on." },
  port: {
    flag: true,
    standard: 8_787,
    shape: wholeNumberFrom(0, 65_535),
    about: "The port to listen on; 0 takes any free one.",
  },
  config: {
    flag: true,
    shape: text,
    about: "A configuration file (YAML or JSON) with upstreams, policies, rules, client keys and admin tokens.",
  },
  log: {
    edge: true,
    flag: true,
    standard: "info",
    shape: oneOfChoices("silent", "error", "warn", "info", "debug"),
    about: "Log level: `silent`, `error`, `warn`, `info` or `debug`.",
  },
  drainMs: {
    limit: true,
    ...milliseconds(30_000, 0),
    about: "How long open exchanges may take to finish when Unloop shuts down.",
  },
  shutdownDelayMs: {
    ...milliseconds(0, 0),
    about:
      "How long the readiness check fails before the listener closes at shutdown. Load balancers stop sending traffic meanwhile.",
  },
  // Detection and enforcement.
  mode: {
    edge: true,
    flag: true,
    standard: "enforce",
    shape: oneOfChoices("enforce", "observe", "off"),
    about: "`enforce` intervenes; `observe` only reports what it would do; `off` passes everything through unread.",
  },
  policy: {
    edge: true,
    flag: true,
    standard: "default",
    shape: text,
    about: "What counts as a loop and how to intervene: the name of a preset, or a policy as JSON.",
  },
  // Requests that clients may send.
  maxBodyBytes: {
    limit: true,
    edge: true,
    standard: 0,
    shape: wholeNumberFrom(0),
    about:
      "Maximum size of a request body; a larger one is answered with 413. 0 means no limit: what is larger than 32 MB, or more than 96 MB in all bodies at once, is forwarded unread, as `unguarded`.",
  },
  unreadable: {
    edge: true,
    standard: "pass",
    shape: oneOfChoices("pass", "refuse"),
    about:
      "How to treat a request to a guarded API that Unloop cannot read (an unknown coding, not JSON, over 32 MB, an unusual spelling of the path): `pass`, or `refuse` if budgets must also hold for hostile clients.",
  },
  tenantHeader: {
    edge: true,
    shape: headerName,
    about:
      "A request header that separates tenants, in addition to their credentials. It must be set by a gateway, not by clients.",
  },
  maxHeaderBytes: {
    limit: true,
    standard: 128 * 1024,
    shape: wholeNumberFrom(1_024),
    about: "Maximum size of a request's header with its path and query, and of an answer's header, in bytes.",
  },
  clientIdleTimeoutMs: {
    limit: true,
    ...milliseconds(60_000),
    about: "How long a client may stall while it sends a request, or leave an answer unread.",
  },
  maxClientConnections: {
    limit: true,
    standard: 2_048,
    shape: wholeNumberFrom(0),
    about: "Maximum number of connections from one client address; 0 means no limit, for use behind a load balancer.",
  },
  // What is known of sessions: where, how much, and for how long.
  secret: {
    edge: true,
    shape: secretText,
    about: "The key for stored signatures; at least 16 characters. Without it, each start generates a new one.",
  },
  sessionTtlMs: {
    limit: true,
    edge: true,
    standard: 6 * 60 * 60 * 1000,
    shape: wholeNumberFrom(1),
    about: "How long a session is kept after its last request.",
  },
  sessionNames: {
    edge: true,
    standard: "short",
    shape: oneOfChoices("short", "whole"),
    about:
      "`whole` shows, logs and stores clients' names for sessions as they are; `short` cuts those of more than 12 characters, which may be secrets.",
  },
  storeBytes: {
    limit: true,
    standard: 96 * 1024 * 1024,
    shape: wholeNumberFrom(1_048_576),
    about:
      "Maximum total size of sessions, sums, journal and directory without Redis, in bytes; the least recently used are dropped first. In a full store each tenant has an equal share.",
  },
  redisUrl: {
    env: "REDIS_URL",
    // What it may say is the store's business, which reads it before the server starts.
    shape: text,
    about:
      "The Redis that several processes share; needs `UNLOOP_SECRET`. `?prefix=` in place of `unloop:` begins every key. Without it each process keeps its own sessions.",
  },
  storeDeadlineMs: {
    limit: true,
    edge: true,
    ...milliseconds(50),
    about: "How long a request waits for Redis before it continues without it.",
  },
  jurisdiction: {
    edge: true,
    shape: oneOfChoices("eu", "fedramp"),
    about:
      "On Workers: `eu` or `fedramp` keeps all Durable Objects and their data there. Another value begins with empty stores.",
  },
  locationHint: {
    edge: true,
    shape: oneOfChoices("wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"),
    about:
      "On Workers: where new Durable Objects should be, such as `weur`. Without it they are near whoever asks first.",
  },
  // Who may look in, and what is written down.
  adminToken: {
    edge: true,
    shape: secretText,
    about:
      "Bearer token for the admin API and the metrics; at least 16 characters. Without it they are available only on a server that listens on loopback: for reading, and for acts with a token that is printed at the start.",
  },
  admin: {
    shape: hostAndPort,
    about:
      "With an address such as `127.0.0.1:8788`, all under `/unloop` but the health checks gets a listener of its own there.",
  },
  audit: {
    shape: feed,
    about:
      "Where the audit goes, one JSON line for each act, reload and refusal: `stdout`, a file, or a webhook, signed with `UNLOOP_AUDIT_SECRET`. [telemetry.md](telemetry.md#audit) describes the lines.",
  },
  auditSecret: {
    shape: secretText,
    about: "Signs the audit that goes to a webhook (`x-unloop-signature`); at least 16 characters.",
  },
  decisions: {
    shape: text,
    about:
      "Where the decision export goes, one JSON line for each guarded exchange: `stdout` or a file. Off by default. `unloop replay` reads it; [replay.md](replay.md#export-decisions) describes the lines.",
  },
  // The model that judges how near a goal is.
  judgeUpstream: {
    edge: true,
    standard: new URL("https://api.openai.com"),
    shape: baseUrl,
    about: "The judge's API; any chat completions API works.",
  },
  judgeKey: {
    edge: true,
    shape: text,
    about: "The judge's own API key, sent as bearer token. Without it no key is sent.",
  },
  judgeModel: {
    edge: true,
    shape: text,
    about: "The model that scores how near the goal is, for policies with `judge`. Without it there is no judge.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settingsTable;

type ValueOfSetting<One> = One extends { readonly shape: InputShape<infer Value> }
  ? One extends { readonly standard: unknown }
    ? Value
    : Value | undefined
  : never;

/** All settings, by name. */
export type Settings = { readonly [Name in SettingName]: ValueOfSetting<(typeof settingsTable)[Name]> };

/** Those that a configuration file may set under `limits`. */
export type LimitName = {
  [Name in SettingName]: (typeof settingsTable)[Name] extends { readonly limit: true } ? Name : never;
}[SettingName];

/** Those that mean something on Cloudflare Workers. */
export type EdgeSettingName = {
  [Name in SettingName]: (typeof settingsTable)[Name] extends { readonly edge: true } ? Name : never;
}[SettingName];

export const settingNames = Object.keys(settingsTable) as readonly SettingName[];

/** Limits that a configuration file may set. */
export const limitNames = settingNames.filter((name): name is LimitName => "limit" in settingsTable[name]);

/** `UNLOOP_MAX_BODY_BYTES` of `maxBodyBytes`. */
export function variableOf(name: SettingName): string {
  const { env }: Setting = settingsTable[name];
  return env ?? `UNLOOP_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Whether Unloop intervenes (`enforce`), reports what it would do (`observe`) or passes everything through (`off`). */
export type Mode = Settings["mode"];

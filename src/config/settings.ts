import {
  baseUrl,
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
  readonly flag?: true;
  /** Cloudflare Workers support it. */
  readonly edge?: true;
  /** A number that a configuration file may set under `limits`. */
  readonly limit?: true;
  readonly standard?: unknown;
  readonly shape: InputShape;
  /** Shown by `--help` or an editor. Of the others docs/configuration.md tells. */
  readonly about?: string;
}

/** Longest delay that timers accept on all platforms. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Longer than APIs and their SDKs wait: silence is theirs to end, or the client's. */
const AN_HOUR_MS = 3_600_000;

const milliseconds = (standard: number, least = 1) => ({ standard, shape: wholeNumberFrom(least, LONGEST_TIMER_MS) });
const limit = (standard: number, shape: InputShape<number>, about: string) =>
  ({ limit: true, standard, shape, about }) as const;
const timeout = (standard: number, about: string, least = 1) =>
  ({ limit: true, ...milliseconds(standard, least), about }) as const;

/** Every setting there is, with its row in `docs/configuration.md` (checked). */
export const settingsTable = {
  upstream: {
    edge: true,
    flag: true,
    shape: baseUrl,
    about: "The API that Unloop forwards to. Without it each wire format goes to its vendor's API.",
  },
  upstreams: { edge: true, standard: {}, shape: urlsByPrefix },
  connectTimeoutMs: timeout(10_000, "Timeout for connecting to the upstream."),
  firstByteTimeoutMs: { edge: true, ...timeout(AN_HOUR_MS, "How long the upstream may take to start its answer.") },
  idleTimeoutMs: {
    edge: true,
    ...timeout(AN_HOUR_MS, "Longest silence of the upstream within an answer, or on Node of a WebSocket."),
  },
  upstreamConnections: limit(
    1_024,
    wholeNumberFrom(1),
    "Maximum number of connections to one upstream, and of WebSockets in all; further HTTP requests wait 5 s for a free one, then they are answered with 503.",
  ),
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
  drainMs: timeout(30_000, "How long open exchanges may take to finish when Unloop shuts down.", 0),
  shutdownDelayMs: milliseconds(0, 0),
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
  maxBodyBytes: {
    edge: true,
    ...limit(
      0,
      wholeNumberFrom(0),
      "Maximum size of a request body; a larger one is answered with 413. 0 means no limit: what is larger than 32 MB, or more than 96 MB in all bodies at once, is forwarded unread, as `unguarded`.",
    ),
  },
  unreadable: { edge: true, standard: "pass", shape: oneOfChoices("pass", "refuse") },
  tenantHeader: { edge: true, shape: headerName },
  maxHeaderBytes: limit(
    128 * 1024,
    wholeNumberFrom(1_024),
    "Maximum size of a request's header with its path and query, and of an answer's header, in bytes.",
  ),
  clientIdleTimeoutMs: timeout(
    60_000,
    "How long a client may stall while it sends a request, or leave an answer unread.",
  ),
  maxClientConnections: limit(
    2_048,
    wholeNumberFrom(0),
    "Maximum number of connections from one client address; 0 means no limit, for use behind a load balancer.",
  ),
  secret: { edge: true, shape: secretText },
  sessionTtlMs: {
    edge: true,
    ...limit(6 * 60 * 60 * 1000, wholeNumberFrom(1), "How long a session is kept after its last request."),
  },
  sessionNames: { edge: true, standard: "short", shape: oneOfChoices("short", "whole") },
  storeBytes: limit(
    96 * 1024 * 1024,
    wholeNumberFrom(1_048_576),
    "Maximum total size of sessions, sums, journal and directory without Redis, in bytes; the least recently used are dropped first. In a full store each tenant has an equal share.",
  ),
  // What it may say is the store's business, which reads it before the server starts.
  redisUrl: { env: "REDIS_URL", shape: text },
  storeDeadlineMs: { edge: true, ...timeout(50, "How long a request waits for Redis before it continues without it.") },
  jurisdiction: { edge: true, shape: oneOfChoices("eu", "fedramp") },
  locationHint: { edge: true, shape: oneOfChoices("wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me") },
  adminToken: { edge: true, shape: secretText },
  admin: { shape: hostAndPort },
  audit: { shape: text },
  judgeUpstream: { edge: true, standard: new URL("https://api.openai.com"), shape: baseUrl },
  judgeKey: { edge: true, shape: text },
  judgeModel: { edge: true, shape: text },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settingsTable;

type ValueOfSetting<One> = One extends { readonly shape: InputShape<infer Value> }
  ? One extends { readonly standard: unknown }
    ? Value
    : Value | undefined
  : never;

/** All settings, by name. */
export type Settings = { readonly [Name in SettingName]: ValueOfSetting<(typeof settingsTable)[Name]> };

export type LimitName = {
  [Name in SettingName]: (typeof settingsTable)[Name] extends { readonly limit: true } ? Name : never;
}[SettingName];

export type EdgeSettingName = {
  [Name in SettingName]: (typeof settingsTable)[Name] extends { readonly edge: true } ? Name : never;
}[SettingName];

export const settingNames = Object.keys(settingsTable) as readonly SettingName[];

export const limitNames = settingNames.filter((name): name is LimitName => "limit" in settingsTable[name]);

/** `UNLOOP_MAX_BODY_BYTES` of `maxBodyBytes`. */
export function variableOf(name: SettingName): string {
  const { env }: Setting = settingsTable[name];
  return env ?? `UNLOOP_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Whether Unloop intervenes (`enforce`), reports what it would do (`observe`) or passes everything through (`off`). */
export type Mode = Settings["mode"];

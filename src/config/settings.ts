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
  /** Shown by `--help`. docs/configuration.md tells of the others, and docs/config.schema.json of the limits. */
  readonly about?: string;
}

/** Longest delay that timers accept on all platforms. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Longer than APIs and their SDKs wait: silence is theirs to end, or the client's. */
const AN_HOUR_MS = 3_600_000;

const milliseconds = (standard: number, least = 1) => ({ standard, shape: wholeNumberFrom(least, LONGEST_TIMER_MS) });
const limit = (standard: number, shape: InputShape<number>) => ({ limit: true, standard, shape }) as const;
const timeout = (standard: number, least = 1) => ({ limit: true, ...milliseconds(standard, least) }) as const;

/** Every setting there is, with its row in `docs/configuration.md` (checked). */
export const settingsTable = {
  upstream: {
    edge: true,
    flag: true,
    shape: baseUrl,
    about: "The API that Unloop forwards to. Without it each wire format goes to its vendor's API.",
  },
  upstreams: { edge: true, standard: {}, shape: urlsByPrefix },
  connectTimeoutMs: timeout(10_000),
  firstByteTimeoutMs: { edge: true, ...timeout(AN_HOUR_MS) },
  idleTimeoutMs: {
    edge: true,
    ...timeout(AN_HOUR_MS),
  },
  upstreamConnections: limit(1_024, wholeNumberFrom(1)),
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
  drainMs: timeout(30_000, 0),
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
    ...limit(0, wholeNumberFrom(0)),
  },
  unreadable: { edge: true, standard: "pass", shape: oneOfChoices("pass", "refuse") },
  tenantHeader: { edge: true, shape: headerName },
  maxHeaderBytes: limit(128 * 1024, wholeNumberFrom(1_024)),
  clientIdleTimeoutMs: timeout(60_000),
  maxClientConnections: limit(2_048, wholeNumberFrom(0)),
  secret: { edge: true, shape: secretText },
  sessionTtlMs: {
    edge: true,
    ...limit(6 * 60 * 60 * 1000, wholeNumberFrom(1)),
  },
  sessionNames: { edge: true, standard: "short", shape: oneOfChoices("short", "whole") },
  storeBytes: limit(96 * 1024 * 1024, wholeNumberFrom(1_048_576)),
  // What it may say is the store's business, which reads it before the server starts.
  redisUrl: { env: "REDIS_URL", shape: text },
  storeDeadlineMs: { edge: true, ...timeout(50) },
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

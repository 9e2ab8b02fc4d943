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

/** A setting: its environment variable is its name in capitals behind `UNLOOP_`. docs/configuration.md says what it means. */
export interface Setting {
  readonly env?: "REDIS_URL";
  /** Cloudflare Workers support it. */
  readonly edge?: true;
  /** A number that a configuration file may set under `limits`. */
  readonly limit?: true;
  readonly standard?: unknown;
  readonly shape: InputShape;
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
  upstream: { edge: true, shape: baseUrl },
  upstreams: { edge: true, standard: {}, shape: urlsByPrefix },
  connectTimeoutMs: timeout(10_000),
  firstByteTimeoutMs: { edge: true, ...timeout(AN_HOUR_MS) },
  idleTimeoutMs: { edge: true, ...timeout(AN_HOUR_MS) },
  upstreamConnections: limit(1_024, wholeNumberFrom(1)),
  host: { standard: "127.0.0.1", shape: hostName },
  port: { standard: 8_787, shape: wholeNumberFrom(0, 65_535) },
  config: { shape: text },
  log: { edge: true, standard: "info", shape: oneOfChoices("silent", "error", "warn", "info", "debug") },
  drainMs: timeout(30_000, 0),
  shutdownDelayMs: milliseconds(0, 0),
  mode: { edge: true, standard: "enforce", shape: oneOfChoices("enforce", "observe", "off") },
  policy: { edge: true, standard: "default", shape: text },
  maxBodyBytes: { edge: true, ...limit(0, wholeNumberFrom(0)) },
  unreadable: { edge: true, standard: "pass", shape: oneOfChoices("pass", "refuse") },
  tenantHeader: { edge: true, shape: headerName },
  maxHeaderBytes: limit(128 * 1024, wholeNumberFrom(1_024)),
  clientIdleTimeoutMs: timeout(60_000),
  maxClientConnections: limit(2_048, wholeNumberFrom(0)),
  secret: { edge: true, shape: secretText },
  sessionTtlMs: { edge: true, ...limit(6 * 60 * 60 * 1000, wholeNumberFrom(1)) },
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

type Marked<Mark extends "edge" | "limit"> = {
  [Name in SettingName]: (typeof settingsTable)[Name] extends { readonly [_ in Mark]: true } ? Name : never;
}[SettingName];

export type LimitName = Marked<"limit">;
export type EdgeSettingName = Marked<"edge">;

export const settingNames = Object.keys(settingsTable) as readonly SettingName[];

export const limitNames = settingNames.filter((name): name is LimitName => "limit" in settingsTable[name]);

/** `UNLOOP_MAX_BODY_BYTES` of `maxBodyBytes`. */
export function variableOf(name: SettingName): string {
  const { env }: Setting = settingsTable[name];
  return env ?? `UNLOOP_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Whether Unloop intervenes (`enforce`), reports what it would do (`observe`) or passes everything through (`off`). */
export type Mode = Settings["mode"];

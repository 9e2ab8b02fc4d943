import { LONGEST_TIMER_MS, oneOf, secretText, wholeNumber } from "../setting-text.ts";
import type { Setting } from "./operators.ts";

/** Settings of the memory of sessions: where, how much, and for how long. */
export const sessionSettings = {
  secret: {
    env: "UNLOOP_SECRET",
    edge: true,
    standard: undefined,
    parse: secretText,
    about: "The key for stored signatures; at least 16 characters. Without it, each start generates a new one.",
  },
  sessionTtlMs: {
    env: "UNLOOP_SESSION_TTL_MS",
    limit: true,
    edge: true,
    standard: String(6 * 60 * 60 * 1000),
    ...wholeNumber(1),
    about: "How long a session is kept after its last request, in milliseconds.",
  },
  sessionNames: {
    env: "UNLOOP_SESSION_NAMES",
    edge: true,
    standard: "short",
    parse: oneOf(["short", "whole"]),
    about:
      "`whole` shows, logs and stores clients' names for sessions as they are; `short` cuts those of more than 12 characters, which may be secrets.",
  },
  maxSessions: {
    env: "UNLOOP_MAX_SESSIONS",
    limit: true,
    standard: "10000",
    ...wholeNumber(1),
    about: "Maximum number of sessions kept without Redis; the least recently used are dropped first.",
  },
  storeBytes: {
    env: "UNLOOP_STORE_BYTES",
    limit: true,
    standard: String(96 * 1024 * 1024),
    ...wholeNumber(1_048_576),
    about:
      "Maximum total size of sessions, sums, journal and directory without Redis, in bytes. In a full store each tenant has an equal share.",
  },
  redisUrl: {
    env: "REDIS_URL",
    standard: undefined,
    // What it may say is the store's business, which reads it before the server starts.
    parse: (text) => text || undefined,
    about:
      "The Redis that several processes share; needs `UNLOOP_SECRET`. `?prefix=` in place of `unloop:` begins every key. Without it each process keeps its own sessions.",
  },
  jurisdiction: {
    env: "UNLOOP_JURISDICTION",
    edge: true,
    standard: undefined,
    parse: oneOf(["", "eu", "fedramp"]),
    about:
      "On Workers: `eu` or `fedramp` keeps all Durable Objects and their data there. Another value begins with empty stores.",
  },
  locationHint: {
    env: "UNLOOP_LOCATION_HINT",
    edge: true,
    standard: undefined,
    parse: oneOf(["", "wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"]),
    about:
      "On Workers: where new Durable Objects should be, such as `weur`. Without it they are near whoever asks first.",
  },
  storeDeadlineMs: {
    env: "UNLOOP_STORE_DEADLINE_MS",
    limit: true,
    edge: true,
    standard: "50",
    ...wholeNumber(1, LONGEST_TIMER_MS),
    about: "How long a request waits for Redis before it continues without it, in milliseconds.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

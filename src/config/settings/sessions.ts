import { keyPrefix, LONGEST_TIMER_MS, secretText, wholeNumber } from "../setting-text.ts";
import type { Setting } from "./setting.ts";

/** What is remembered of sessions: where, how much, and for how long. */
export const sessionSettings = {
  secret: {
    env: "UNLOOP_SECRET",
    edge: true,
    standard: undefined,
    parse: secretText,
    about: "The key of the signatures that are stored; at least 16 characters. Without it each start makes its own.",
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
} as const satisfies Readonly<Record<string, Setting>>;

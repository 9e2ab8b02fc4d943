const BODIES = "All request bodies held at once may be 96 MB; what is more is forwarded unread.";
const ADMIN = "UNLOOP_ADMIN names both, such as 127.0.0.1:8788.";
const ALERTS = "`alerts` in the configuration file, each with its `url`, `secret` and `on`.";
const READ = "Nothing: 12 MB of one request are read.";
const WAITS = "Nothing: a request waits 5 s for a free upstream connection.";
const BYTES = "UNLOOP_STORE_BYTES bounds what is kept without Redis.";
const THREADS = "Nothing: a process remembers 16,384 steps of live threads, some 16 MB.";

/**
 * What earlier builds had, each with a sentence on what takes its place, which is told to whoever still asks for it: settings, fields of
 * the configuration file and of a policy by their path, flags behind their command, commands, operations of the admin API.
 */
export const removed: ReadonlyMap<string, string> = new Map([
  ["UNLOOP_CONFIG_COPY", "Keep the file in version control, and run check-config on it before it is put in place."],
  ["UNLOOP_BODY_BUDGET_BYTES", BODIES],
  ["limits.bodyBudgetBytes", BODIES],
  ["UNLOOP_READ_BUDGET_BYTES", READ],
  ["limits.readBudgetBytes", READ],
  ["UNLOOP_THREAD_CACHE_STEPS", THREADS],
  ["limits.threadCacheSteps", THREADS],
  ["UNLOOP_ADMIN_HOST", ADMIN],
  ["UNLOOP_ADMIN_PORT", ADMIN],
  ["UNLOOP_ADMIN_TOKEN_FILE", "`admin.tokens` in the configuration file; a token may stand in a file of its own."],
  ["UNLOOP_REDIS_PREFIX", "`?prefix=` in REDIS_URL."],
  ["UNLOOP_WARM_UP_MS", "Nothing: a server warms up until its first request, at most for half a second of CPU."],
  ["UNLOOP_UPSTREAM_WAIT_MS", WAITS],
  ["limits.upstreamWaitMs", WAITS],
  ["UNLOOP_MAX_SESSIONS", BYTES],
  ["limits.maxSessions", BYTES],
  ["UNLOOP_JUDGE_TIMEOUT_MS", "Nothing: one question to the judge may take 30 s."],
  ["UNLOOP_JUDGE_MAX_CONCURRENT", "Nothing: a process asks its judge 8 questions at a time."],
  ["UNLOOP_WEBHOOK_URL", ALERTS],
  ["UNLOOP_WEBHOOK_SECRET", `${ALERTS} UNLOOP_AUDIT_SECRET signs the audit.`],
  ["UNLOOP_WEBHOOK_ON", ALERTS],
  ["UNLOOP_ALLOW_CLIENT_OVERRIDES", "`allowClientOverrides: true` in the configuration file."],
  ["rules.when.userAgent", "`agent`, which matches the whole user agent, too."],
  ["unwrap", "Nothing: `unloop wrap` changes no file of an agent's."],
  ["client-key", "`unloop keys create` makes a key and its entry."],
  ["doctor --model", "Ask the model through the guard as its agent does, and look at the header x-unloop-verdict."],
  ["planning", '`judge: { "asks": "goal" }`; its `actions` say with `undo` what `reversals` said.'],
  ["secondOpinion", '`judge: { "asks": "near" }` or `"doubt"`, with `model` for one of the run\'s own upstream.'],
  ["maxReasks", "Nothing: the upstream is asked again once, or with `intercept: off` not at all."],
  ["whenBudgetUnknown", "`budget.whenUnknown`"],
  ["judge.maxTokens", "`judge.maxCalls`: a question has a bounded length."],
  ["judge.excerpts", "`judge.excerptChars`, with 0 for `off`."],
  ["GET /analytics", "Prometheus has its sums at /unloop/metrics; GET /overview sums up the sessions of a day."],
  ["GET /sessions/{id}/report", "The page's Share saves the same as one HTML file; GET /sessions/{id} has it as JSON."],
  ["GET /config", "GET /status has it."],
  ["GET /savings", "GET /overview has it as `rollouts`."],
  ["GET /journal/stream", "GET /journal has the newest entries first; `alerts` tells of each loop as it comes."],
  ["GET /policies", "GET /status has their names."],
]);

/** The sentence for something that was removed; undefined for what never was there. */
export function removedSentence(name: string): string | undefined {
  const instead = removed.get(name);
  return instead && `${name} was removed. ${instead}`;
}

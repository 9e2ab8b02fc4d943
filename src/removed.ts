/** Something that earlier builds had. */
export interface Removed {
  readonly kind: "operation" | "metric" | "setting" | "field" | "flag" | "command" | "policy";
  /** An operation by method and path, a field of the configuration file or of a policy by its path without numbers, a flag behind its command, anything else by its name. */
  readonly name: string;
  /** A sentence: what takes its place. */
  readonly instead: string;
}

const metric = (name: string, instead: string): Removed => ({ kind: "metric", name, instead });
const setting = (name: string, instead: string): Removed => ({ kind: "setting", name, instead });
const field = (name: string, instead: string): Removed => ({ kind: "field", name, instead });
const flag = (name: string, instead: string): Removed => ({ kind: "flag", name, instead });
const policy = (name: string, instead: string): Removed => ({ kind: "policy", name, instead });
const operation = (name: string, instead: string): Removed => ({ kind: "operation", name, instead });

const BODIES = "All request bodies held at once may be 96 MB; what is more is forwarded unread.";
const ADMIN = "UNLOOP_ADMIN names both, such as 127.0.0.1:8788.";
const ALERTS = "`alerts` in the configuration file, each with its `url`, `secret` and `on`.";
const READ = "Nothing: 12 MB of one request are read.";
const WAITS = "Nothing: a request waits 5 s for a free upstream connection.";
const BYTES = "UNLOOP_STORE_BYTES bounds what is kept without Redis.";
const THREADS = "Nothing: a process remembers 16,384 steps of live threads, some 16 MB.";

/** All that was removed: whoever still asks for it is told what takes its place, and so is a reader of docs/removed.md. */
export const removed: readonly Removed[] = [
  operation(
    "GET /analytics",
    "Prometheus has its sums at /unloop/metrics; GET /overview sums up the sessions of a day.",
  ),
  setting(
    "UNLOOP_CONFIG_COPY",
    "Keep the file in version control, and run check-config on it before it is put in place: a start refuses a file with a mistake.",
  ),
  setting("UNLOOP_BODY_BUDGET_BYTES", BODIES),
  field("limits.bodyBudgetBytes", BODIES),
  setting("UNLOOP_READ_BUDGET_BYTES", READ),
  field("limits.readBudgetBytes", READ),
  setting("UNLOOP_THREAD_CACHE_STEPS", THREADS),
  field("limits.threadCacheSteps", THREADS),
  setting("UNLOOP_ADMIN_HOST", ADMIN),
  setting("UNLOOP_ADMIN_PORT", ADMIN),
  setting(
    "UNLOOP_ADMIN_TOKEN_FILE",
    "`admin.tokens` in the configuration file; a token may stand in a file of its own.",
  ),
  setting("UNLOOP_REDIS_PREFIX", "`?prefix=` in REDIS_URL."),
  setting("UNLOOP_WARM_UP_MS", "Nothing: a server warms up until its first request, at most for half a second of CPU."),
  setting("UNLOOP_UPSTREAM_WAIT_MS", WAITS),
  field("limits.upstreamWaitMs", WAITS),
  setting("UNLOOP_MAX_SESSIONS", BYTES),
  field("limits.maxSessions", BYTES),
  setting("UNLOOP_JUDGE_TIMEOUT_MS", "Nothing: one question to the judge may take 30 s."),
  setting("UNLOOP_WEBHOOK_URL", ALERTS),
  setting("UNLOOP_WEBHOOK_SECRET", `${ALERTS} UNLOOP_AUDIT_SECRET signs the audit.`),
  setting("UNLOOP_WEBHOOK_ON", ALERTS),
  setting("UNLOOP_ALLOW_CLIENT_OVERRIDES", "`allowClientOverrides: true` in the configuration file."),
  field("rules.when.userAgent", "`agent`, which matches the whole user agent, too."),
  { kind: "command", name: "unwrap", instead: "Nothing: `unloop wrap` changes no file of an agent's." },
  { kind: "command", name: "client-key", instead: "`unloop keys create` makes a key and its entry." },
  flag("doctor --model", "Ask the model through the guard as its agent does, and look at the header x-unloop-verdict."),
  setting("UNLOOP_JUDGE_MAX_CONCURRENT", "Nothing: a process asks its judge 8 questions at a time."),
  policy(
    "planning",
    '`judge: { "asks": "goal" }`; its `actions` say with `undo` what `reversals` said, and `maxSteps` is there. The other fields were right for all.',
  ),
  policy("secondOpinion", '`judge: { "asks": "near" }` or `"doubt"`, with `model` for one of the run\'s own upstream.'),
  policy("maxReasks", "Nothing: the upstream is asked again once, or with `intercept: off` not at all."),
  policy("whenBudgetUnknown", "`budget.whenUnknown`"),
  policy("judge.maxTokens", "`judge.maxCalls`: a question has a bounded length."),
  policy("judge.excerpts", "`judge.excerptChars`, with 0 for `off`."),
  operation(
    "GET /sessions/{id}/report",
    "The page's Share saves the same as one HTML file; GET /sessions/{id} has it as JSON.",
  ),
  operation("GET /config", "GET /status has it."),
  operation("GET /savings", "GET /overview has it as `rollouts`."),
  operation(
    "GET /journal/stream",
    "GET /journal has the newest entries first; `alerts` tells of each loop as it comes.",
  ),
  operation("GET /policies", "GET /status has their names."),
  metric(
    "unloop_requests_read_total",
    "The log's `exchange` lines have it: `read` is there where a request was read in part.",
  ),
  metric("unloop_forwarded_first_total", "Nothing: it told how a request was sent, not what came of it."),
  metric("unloop_thread_cache_steps", "Node's own metrics have the memory of the process."),
  metric(
    "unloop_event_loop_stalls_total",
    "nodejs_eventloop_lag_max_seconds; the log's `event-loop-stalled` has phase and size.",
  ),
  metric("unloop_poll_tokens_total", "unloop_tokens_total has them among all others."),
  metric("unloop_judge_tokens_total", "The bill of the judge's API, and unloop_judged_total."),
  metric("unloop_store_up", 'unloop_store_state{state="up"}'),
  metric("unloop_store_writable", 'unloop_store_state{state="writable"}'),
  metric("unloop_store_trouble", "unloop_store_state, whose label state names the trouble."),
];

/** What was removed under this name. */
export function removedAs(kind: Removed["kind"], name: string): Removed | undefined {
  return removed.find((one) => one.kind === kind && one.name === name);
}

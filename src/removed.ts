const ADMIN = "UNLOOP_ADMIN names both, such as 127.0.0.1:8788.";
const ALERTS = "`alerts` in the configuration file, each with its `url`, `secret` and `on`.";

/** Settings and fields of a policy that earlier builds had, each with what takes its place, which is told to whoever still asks for it. */
export const removed: ReadonlyMap<string, string> = new Map([
  ["UNLOOP_ADMIN_HOST", ADMIN],
  ["UNLOOP_ADMIN_PORT", ADMIN],
  ["UNLOOP_ADMIN_TOKEN_FILE", "`admin.tokens` in the configuration file; a token may stand in a file of its own."],
  ["UNLOOP_ALLOW_CLIENT_OVERRIDES", "`allowClientOverrides: true` in the configuration file."],
  ["UNLOOP_AUDIT_SECRET", "Nothing: the audit goes to a file or to standard output."],
  ["UNLOOP_MAX_SESSIONS", "UNLOOP_STORE_BYTES bounds what is kept without Redis."],
  ["UNLOOP_REDIS_PREFIX", "`?prefix=` in REDIS_URL."],
  ["UNLOOP_WEBHOOK_URL", ALERTS],
  ["UNLOOP_WEBHOOK_SECRET", ALERTS],
  ["UNLOOP_WEBHOOK_ON", ALERTS],
  ["planning", '`judge: { "asks": "goal" }`; its `actions` say with `undo` what `reversals` said.'],
  ["secondOpinion", '`judge: { "asks": "doubt" }`, with `model` for one of the run\'s own upstream.'],
  ["UNLOOP_WARM_UP_MS", "Nothing: a server warms up until its first request."],
  ["maxReasks", "Nothing: the upstream is asked again once, or with `intercept: off` not at all."],
  ["whenBudgetUnknown", "`budget.whenUnknown`"],
]);

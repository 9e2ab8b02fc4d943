/** One metric as Prometheus sees it. Series stay few: no label holds a session or a text, and of tenants and rules the biggest have theirs. */
export interface MetricDefinition {
  readonly name: MetricName;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Values of its one label that are there from the start, so that a rate has something to begin from. */
  readonly starts?: readonly string[];
  /** Upper bounds of a histogram's buckets, in the unit that the name ends with. */
  readonly buckets?: readonly number[];
}

/** Where a client key or a rule says whose an exchange is. */
export const teamLabels = ["tenant", "rule"] as const;

type MetricName = `${"unloop" | "gen_ai"}_${string}`;

const counter = (name: MetricName, help: string, ...labels: readonly string[]) =>
  ({ name, type: "counter", help, labels }) as const;
/** @param starts values of its one label that are there from the start */
const started = <const Definition extends object>(definition: Definition, ...starts: readonly string[]) => ({
  ...definition,
  starts,
});
const gauge = (name: MetricName, help: string, ...labels: readonly string[]) =>
  ({ name, type: "gauge", help, labels }) as const;
const histogram = (name: MetricName, help: string, buckets: readonly number[], ...labels: readonly string[]) =>
  ({ name, type: "histogram", help, labels, buckets }) as const;

/** Every metric there is; what is exposed, the dashboard, the alert rules and the table in docs/telemetry.md derive from it. */
export const metricDefinitions = {
  exchanges: counter("unloop_exchanges_total", "Guarded exchanges by verdict.", "verdict", ...teamLabels),
  untold: counter(
    "unloop_untold_exchanges_total",
    "Guarded exchanges of clients whose requests never contain a step, so Unloop cannot see their loops.",
  ),
  unguarded: counter(
    "unloop_unguarded_requests_total",
    "Requests at endpoints that are not guarded, by endpoint; other: models, files and whatever else tells no run. unread-…: at a guarded one, with a body that could not be read, by why (size, coding, encoding, json, shape).",
    "endpoint",
  ),
  changesRefused: started(
    counter(
      "unloop_refused_changes_total",
      "Requests that the API refused as Unloop had changed them, by what was sent instead: change (without the begun turn), notes (the client's own choice of tools) or plain (the client's own request).",
      "instead",
    ),
    "change",
    "notes",
    "plain",
  ),
  interventions: counter(
    "unloop_interventions_total",
    "Interventions by rung and detector; observe:<rung> is what enforce mode would have done.",
    "rung",
    "detector",
    ...teamLabels,
  ),
  feedback: counter(
    "unloop_feedback_total",
    "What operators said of interventions (word: right or wrong), by detector.",
    "word",
    "detector",
  ),
  sessions: counter(
    "unloop_sessions_total",
    "Sessions started, by policy and side of a rollout (arm: enforced, held-out, none).",
    "policy",
    "arm",
    ...teamLabels,
  ),
  tokens: counter(
    "unloop_tokens_total",
    "Tokens of guarded exchanges, as reported in the answers, by kind: input, cached (part of the input) and output.",
    "policy",
    "arm",
    "kind",
    ...teamLabels,
  ),
  loopTokens: counter(
    "unloop_loop_tokens_total",
    "Tokens of exchanges with an intervention, or with one in observe mode.",
    "policy",
    "arm",
    ...teamLabels,
  ),
  avoidedTokens: counter(
    "unloop_avoided_tokens_estimate_total",
    "Estimate: input tokens of requests that Unloop answered itself, without calling the upstream.",
    "policy",
    "arm",
    ...teamLabels,
  ),
  keptBack: counter(
    "unloop_kept_back_total",
    "Answers with a repeated call that the agent never got, and requests that the model never got.",
    "policy",
    "arm",
    ...teamLabels,
  ),
  upstreamErrors: counter(
    "unloop_upstream_errors_total",
    "Guarded exchanges that the upstream did not answer, by status, or by why no answer came.",
    "status",
    ...teamLabels,
  ),
  // A fraction of a millisecond as a rule.
  processing: histogram(
    "unloop_processing_seconds",
    "Unloop's own time before forwarding.",
    [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3],
  ),
  errors: started(
    counter(
      "unloop_errors_total",
      "Requests that Unloop answered with an error of its own, by code, such as overloaded or upstream_busy.",
      "code",
    ),
    "overloaded",
    "upstream_busy",
    "upstream_unreachable",
  ),
  heldBytes: gauge(
    "unloop_held_bytes",
    "Approximate bytes held in this process: bodies of requests in flight, or the store if it is in memory.",
    "of",
  ),
  storeFailures: counter("unloop_store_failures_total", "Exchanges that continued without the session store."),
  storeState: started(
    gauge(
      "unloop_store_state",
      "The session store, 1 for each state that it is in: up (0 while its circuit breaker is open), writable (0 while it refuses writes, as a full Redis does), and what is the matter with a Redis that serves: evicts-all, nearly-full, read-only, slow.",
      "state",
    ),
    "up",
    "writable",
    "evicts-all",
    "nearly-full",
    "read-only",
    "slow",
  ),
  configReload: started(
    gauge(
      "unloop_config_last_reload_timestamp_seconds",
      "When a configuration file was last read, by result: applied or refused; 0 for never.",
      "result",
    ),
    "applied",
    "refused",
  ),
  configInfo: gauge(
    "unloop_config_info",
    "1 for the revision of the configuration in force: replicas that agree share it.",
    "revision",
  ),
  alerts: counter("unloop_alerts_total", "Webhook messages by outcome: sent or lost.", "outcome"),
  judged: counter(
    "unloop_judged_total",
    "Questions to the judge by outcome: scored, confirmed or cleared (loops), unparsable, refused, failed, skipped (no free slot in time).",
    "outcome",
  ),
  judgeTime: histogram("unloop_judge_seconds", "Time the judge took to answer.", [0.1, 0.3, 1, 3, 10, 30]),
} satisfies Readonly<Record<string, MetricDefinition>>;

const operation = ["gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_response_model"];

/** OpenTelemetry's GenAI metrics, under the names that its conventions have in Prometheus, with their buckets. Exposed where they are asked for. */
export const genAiDefinitions = {
  tokenUsage: histogram(
    "gen_ai_client_token_usage",
    "Tokens of an operation, as its answer reports them, by kind: input and output.",
    Array.from({ length: 14 }, (_, i) => 4 ** i),
    ...operation,
    "gen_ai_token_type",
  ),
  operationDuration: histogram(
    "gen_ai_client_operation_duration_seconds",
    "Time from a request's arrival to its answer's last byte.",
    Array.from({ length: 14 }, (_, i) => 0.01 * 2 ** i),
    ...operation,
    "error_type",
  ),
} satisfies Readonly<Record<string, MetricDefinition>>;

/** One metric as Prometheus sees it. Series stay few: no label holds a session, a tenant or a text. */
export interface MetricDefinition {
  readonly name: `unloop_${string}`;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram's buckets, in the unit that the name ends with. */
  readonly buckets?: readonly number[];
}

/** Every metric there is; what is exposed, the dashboard, the alert rules and the table in docs/telemetry.md derive from it. */
export const metricDefinitions = {
  exchanges: {
    name: "unloop_exchanges_total",
    type: "counter",
    help: "Guarded exchanges by verdict.",
    labels: ["verdict"],
  },
  untold: {
    name: "unloop_untold_exchanges_total",
    type: "counter",
    help: "Guarded exchanges of clients whose requests never contain a step, so Unloop cannot see their loops.",
  },
  read: {
    name: "unloop_requests_read_total",
    type: "counter",
    help: "Guarded requests by how much of them was read: tail (only the new messages), whole, or nothing (unread).",
    labels: ["how"],
  },
  unguarded: {
    name: "unloop_unguarded_requests_total",
    type: "counter",
    help: "Requests at endpoints that are not guarded, by endpoint; other: models, files and whatever else tells no run.",
    labels: ["endpoint"],
  },
  forwardedFirst: {
    name: "unloop_forwarded_first_total",
    type: "counter",
    help: "Requests sent upstream before they were judged, by outcome: kept or withdrawn.",
    labels: ["outcome"],
  },
  interventions: {
    name: "unloop_interventions_total",
    type: "counter",
    help: "Interventions by rung and detector; observe:<rung> is what enforce mode would have done.",
    labels: ["rung", "detector"],
  },
  sessions: {
    name: "unloop_sessions_total",
    type: "counter",
    help: "Sessions started, by policy and side of a rollout (arm: enforced, held-out, none).",
    labels: ["policy", "arm"],
  },
  tokens: {
    name: "unloop_tokens_total",
    type: "counter",
    help: "Tokens of guarded exchanges, as reported in the answers, by kind: input, cached (part of the input) and output.",
    labels: ["policy", "arm", "kind"],
  },
  loopTokens: {
    name: "unloop_loop_tokens_total",
    type: "counter",
    help: "Tokens of exchanges with an intervention, or with one in observe mode.",
    labels: ["policy", "arm"],
  },
  pollTokens: {
    name: "unloop_poll_tokens_total",
    type: "counter",
    help: "Tokens of exchanges whose request ended with a poll: the cost of re-sending the history to wait once more.",
    labels: ["policy", "arm"],
  },
  avoidedTokens: {
    name: "unloop_avoided_tokens_estimate_total",
    type: "counter",
    help: "Estimate: input tokens of requests that Unloop answered itself, without calling the upstream.",
    labels: ["policy", "arm"],
  },
  processing: {
    name: "unloop_processing_seconds",
    type: "histogram",
    help: "Unloop's own time before forwarding.",
    // A fraction of a millisecond as a rule.
    buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3],
  },
  errors: {
    name: "unloop_errors_total",
    type: "counter",
    help: "Requests that Unloop answered with an error of its own, by code, such as overloaded or upstream_busy.",
    labels: ["code"],
  },
  heldBytes: {
    name: "unloop_held_bytes",
    type: "gauge",
    help: "Approximate bytes held in this process: bodies of requests in flight, or the store if it is in memory.",
    labels: ["of"],
  },
  cachedSteps: {
    name: "unloop_thread_cache_steps",
    type: "gauge",
    help: "Steps in the thread cache.",
  },
  storeFailures: {
    name: "unloop_store_failures_total",
    type: "counter",
    help: "Exchanges that continued without the session store.",
  },
  storeUp: {
    name: "unloop_store_up",
    type: "gauge",
    help: "1 while the session store is in use, 0 while its circuit breaker is open.",
  },
  storeWritable: {
    name: "unloop_store_writable",
    type: "gauge",
    help: "1 while the session store accepts writes, 0 while it answers but refuses them, as a full Redis does.",
  },
  configReload: {
    name: "unloop_config_last_reload_timestamp_seconds",
    type: "gauge",
    help: "When a configuration file was last read, valid or not; 0 without one.",
  },
  configReloadSuccess: {
    name: "unloop_config_last_reload_success_timestamp_seconds",
    type: "gauge",
    help: "When a configuration file was last applied; older than the read time while an invalid file is refused.",
  },
  alerts: {
    name: "unloop_alerts_total",
    type: "counter",
    help: "Webhook messages by outcome: sent or lost.",
    labels: ["outcome"],
  },
  judged: {
    name: "unloop_judged_total",
    type: "counter",
    help: "Questions to the judge by outcome: scored, confirmed or cleared (second opinions), unparsable, refused, failed, skipped (no free slot in time).",
    labels: ["outcome"],
  },
  judgeTime: {
    name: "unloop_judge_seconds",
    type: "histogram",
    help: "Time the judge took to answer.",
    buckets: [0.1, 0.3, 1, 3, 10, 30],
  },
  judgeTokens: {
    name: "unloop_judge_tokens_total",
    type: "counter",
    help: "Tokens of questions to the judge and of its answers.",
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

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
    help: "Guarded exchanges of clients whose requests never tell a step, so that no loop of theirs can be seen.",
  },
  read: {
    name: "unloop_requests_read_total",
    type: "counter",
    help: "Guarded requests by how they were read: tail (the new messages alone), whole, or not at all (unread).",
    labels: ["how"],
  },
  forwardedFirst: {
    name: "unloop_forwarded_first_total",
    type: "counter",
    help: "Requests that were sent upstream before they were judged, by what became of them (outcome: kept, withdrawn).",
    labels: ["outcome"],
  },
  interventions: {
    name: "unloop_interventions_total",
    type: "counter",
    help: "What was done about loops, by rung and detector; observe:<rung> is what would have been done.",
    labels: ["rung", "detector"],
  },
  sessions: {
    name: "unloop_sessions_total",
    type: "counter",
    help: "Sessions that began, by policy and side of a rollout (arm: enforced, held-out, none).",
    labels: ["policy", "arm"],
  },
  tokens: {
    name: "unloop_tokens_total",
    type: "counter",
    help: "Tokens of guarded exchanges, as far as answers told them, by kind: input, cached (of the input) and output.",
    labels: ["policy", "arm", "kind"],
  },
  loopTokens: {
    name: "unloop_loop_tokens_total",
    type: "counter",
    help: "Tokens of exchanges whose verdict was an intervention, or would have been.",
    labels: ["policy", "arm"],
  },
  pollTokens: {
    name: "unloop_poll_tokens_total",
    type: "counter",
    help: "Tokens of exchanges whose request ended with a wait for somebody else's progress: what polls re-send and answer.",
    labels: ["policy", "arm"],
  },
  avoidedTokens: {
    name: "unloop_avoided_tokens_estimate_total",
    type: "counter",
    help: "An estimate: input tokens of requests that were answered here in place of the upstream.",
    labels: ["policy", "arm"],
  },
  processing: {
    name: "unloop_processing_seconds",
    type: "histogram",
    help: "The guard's own time before forwarding.",
    // A fraction of a millisecond as a rule.
    buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3],
  },
  errors: {
    name: "unloop_errors_total",
    type: "counter",
    help: "Requests answered with an error of the guard's own, by its code, such as overloaded or upstream_busy.",
    labels: ["code"],
  },
  heldBytes: {
    name: "unloop_held_bytes",
    type: "gauge",
    help: "Held in this process, about, by what it is: bodies of requests under way, or the store where it is in memory.",
    labels: ["of"],
  },
  cachedSteps: {
    name: "unloop_thread_cache_steps",
    type: "gauge",
    help: "Steps of threads in the thread cache.",
  },
  storeFailures: {
    name: "unloop_store_failures_total",
    type: "counter",
    help: "Exchanges that went on without the session store.",
  },
  storeUp: {
    name: "unloop_store_up",
    type: "gauge",
    help: "1 while the session store is used, 0 while it is left alone.",
  },
  storeWritable: {
    name: "unloop_store_writable",
    type: "gauge",
    help: "1 while the session store takes writes, 0 while it answers and refuses them, as a full Redis does.",
  },
  configReload: {
    name: "unloop_config_last_reload_timestamp_seconds",
    type: "gauge",
    help: "When a configuration file was last read, whether it was taken or not; 0 without one.",
  },
  configReloadSuccess: {
    name: "unloop_config_last_reload_success_timestamp_seconds",
    type: "gauge",
    help: "When a configuration file was last taken; older than the one above while a bad file is refused.",
  },
  alerts: {
    name: "unloop_alerts_total",
    type: "counter",
    help: "Messages to webhooks, by what became of them: sent, lost.",
    labels: ["outcome"],
  },
  judged: {
    name: "unloop_judged_total",
    type: "counter",
    help: "Questions to the judge, by what came of them: scored, confirmed or cleared (second opinions), unparsable, refused, failed, skipped (no room in time).",
    labels: ["outcome"],
  },
  judgeTime: {
    name: "unloop_judge_seconds",
    type: "histogram",
    help: "How long the judge took.",
    buckets: [0.1, 0.3, 1, 3, 10, 30],
  },
  judgeTokens: {
    name: "unloop_judge_tokens_total",
    type: "counter",
    help: "Tokens that the judge was asked with and answered in.",
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** One metric as Prometheus sees it. Series stay few: no label holds a session or a text, and of tenants and rules the biggest have theirs. */
export interface MetricDefinition {
  readonly name: string;
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

/** Names that have series of their own; one behind the first so many is one of the others, which no name can be: none has parentheses. */
export function boundedNames(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < most) known.add(name);
    return known.has(name) ? name : "(other)";
  };
}

type Series = `unloop_${string}`;

function named(series: Series) {
  const [name = series, labels = ""] = series.split(/[{}]/);
  return { name, labels: labels === "" ? [] : labels.split(",") };
}

const counter = (series: Series, help: string, ...starts: readonly string[]) =>
  ({ ...named(series), type: "counter", help, starts }) as const;
const gauge = (series: Series, help: string, ...starts: readonly string[]) =>
  ({ ...named(series), type: "gauge", help, starts }) as const;
const histogram = (series: Series, help: string, buckets: readonly number[]) =>
  ({ ...named(series), type: "histogram", help, buckets }) as const;

/** Every metric there is; what is exposed, the dashboard, the alert rules and the table in docs/telemetry.md derive from it. */
export const metricDefinitions = {
  exchanges: counter("unloop_exchanges_total{verdict,tenant,rule}", "Guarded exchanges by verdict."),
  untold: counter(
    "unloop_untold_exchanges_total",
    "Guarded exchanges of clients whose requests never contain a step, so Unloop cannot see their loops.",
  ),
  unguarded: counter(
    "unloop_unguarded_requests_total{endpoint}",
    "Requests at endpoints that are not guarded, by endpoint; other: models, files and whatever else tells no run. unread-…: at a guarded one, with a body that could not be read, by why (size, coding, encoding, json, shape).",
  ),
  changesRefused: counter(
    "unloop_refused_changes_total{instead}",
    "Requests that the API refused as Unloop had changed them, by what was sent instead: change (without the begun turn), notes (the client's own choice of tools) or plain (the client's own request).",
    "change",
    "notes",
    "plain",
  ),
  interventions: counter(
    "unloop_interventions_total{rung,detector,tenant,rule}",
    "Interventions by rung and detector; observe:<rung> is what enforce mode would have done.",
  ),
  feedback: counter(
    "unloop_feedback_total{word,detector}",
    "What operators said of interventions (word: right or wrong), by detector.",
  ),
  threads: counter(
    "unloop_threads_total{policy,arm,tenant,rule}",
    "Threads started (a session has one for each of its agents), by policy and side of a rollout (arm: enforced, held-out, none).",
  ),
  tokens: counter(
    "unloop_tokens_total{policy,arm,kind,tenant,rule}",
    "Tokens of guarded exchanges, as reported in the answers, by kind: input, cached (part of the input) and output.",
  ),
  loopTokens: counter(
    "unloop_loop_tokens_total{policy,arm,tenant,rule}",
    "Tokens of exchanges with an intervention, or with one in observe mode.",
  ),
  avoidedTokens: counter(
    "unloop_avoided_tokens_estimate_total{policy,arm,tenant,rule}",
    "Estimate: input tokens of requests that Unloop answered itself, without calling the upstream.",
  ),
  keptBack: counter(
    "unloop_kept_back_total{policy,arm,tenant,rule}",
    "Answers with a repeated call that the agent never got, and requests that the model never got.",
  ),
  upstreamErrors: counter(
    "unloop_upstream_errors_total{status,tenant,rule}",
    "Guarded exchanges that the upstream did not answer, by status, or by why no answer came.",
  ),
  // A fraction of a millisecond as a rule.
  processing: histogram(
    "unloop_processing_seconds",
    "Unloop's own time before forwarding.",
    [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3],
  ),
  errors: counter(
    "unloop_errors_total{code}",
    "Requests that Unloop answered with an error of its own, by code, such as overloaded or upstream_busy.",
    "overloaded",
    "upstream_busy",
    "upstream_unreachable",
  ),
  heldBytes: gauge(
    "unloop_held_bytes{of}",
    "Approximate bytes held in this process: bodies of requests in flight, or the store if it is in memory.",
  ),
  storeFailures: counter("unloop_store_failures_total", "Exchanges that continued without the session store."),
  storeState: gauge(
    "unloop_store_state{state}",
    "The session store, 1 for each state that it is in: up (0 while its circuit breaker is open), writable (0 while it refuses writes, as a full Redis does), and what is the matter with a Redis that serves: evicts-all, nearly-full, read-only, slow.",
    "up",
    "writable",
    "evicts-all",
    "nearly-full",
    "read-only",
    "slow",
  ),
  configReload: gauge(
    "unloop_config_last_reload_timestamp_seconds{result}",
    "When a configuration file was last read, by result: applied or refused; 0 for never.",
    "applied",
    "refused",
  ),
  configInfo: gauge(
    "unloop_config_info{revision}",
    "1 for the revision of the configuration in force: replicas that agree share it.",
  ),
  alerts: counter("unloop_alerts_total{outcome}", "Webhook messages by outcome: sent or lost."),
  judged: counter(
    "unloop_judged_total{outcome}",
    "Questions to the judge by outcome: scored, confirmed or cleared (loops), unparsable, refused, failed, skipped (one is under way for the thread, or 64 in all).",
  ),
  judgeTime: histogram("unloop_judge_seconds", "Time the judge took to answer.", [0.1, 0.3, 1, 3, 10, 30]),
} satisfies Readonly<Record<string, MetricDefinition>>;

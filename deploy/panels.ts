import { metricDefinitions as metrics } from "../src/admin/metrics/definitions.ts";

/** One panel of the dashboard. */
export interface Panel {
  readonly title: string;
  /** What a reader should make of it. */
  readonly about: string;
  /** Grafana's unit: `ops`, `s`, `bytes`, `percentunit`, … */
  readonly unit: string;
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
}

const rate = (metric: string, by = "") => `sum${by === "" ? "" : ` by (${by})`} (rate(${metric}[$__rate_interval]))`;

const quantiles = (metric: string) =>
  [0.5, 0.95, 0.99].map((q) => ({
    expr: `histogram_quantile(${q}, sum by (le) (rate(${metric}_bucket[$__rate_interval])))`,
    legend: `p${q * 100}`,
  }));

/** The dashboard, panel by panel: what the guard does first, then what it costs, then how it is. */
export const panels: readonly Panel[] = [
  {
    title: "Exchanges by verdict",
    about: "All guarded traffic. Nearly all of it should be ok; observe:<rung> is what enforce mode would have done.",
    unit: "ops",
    queries: [{ expr: rate(metrics.exchanges.name, "verdict"), legend: "{{verdict}}" }],
  },
  {
    title: "Interventions by rung",
    about: "How hard Unloop had to intervene. A nudge that no harder rung follows has worked.",
    unit: "ops",
    queries: [{ expr: rate(metrics.interventions.name, "rung"), legend: "{{rung}}" }],
  },
  {
    title: "Interventions by detector",
    about: "Which kinds of loops occur.",
    unit: "ops",
    queries: [{ expr: rate(metrics.interventions.name, "detector"), legend: "{{detector}}" }],
  },
  {
    title: "What operators said of interventions",
    about: "`wrong` is a false alarm: raise the ladder of that detector, or of the tool.",
    unit: "short",
    queries: [
      {
        expr: `sum by (word, detector) (increase(${metrics.feedback.name}[1d]))`,
        legend: "{{detector}}: {{word}}",
      },
    ],
  },
  {
    title: "Tokens per thread, by side of a rollout",
    about:
      "What the guard saves: the difference between held-out and enforced over a day. GET /unloop/api/overview has a confidence interval, as `rollouts`.",
    unit: "short",
    queries: [
      {
        expr: `sum by (policy, arm) (increase(${metrics.tokens.name}{arm!="none",kind!="cached"}[1d])) / sum by (policy, arm) (increase(${metrics.threads.name}{arm!="none"}[1d]))`,
        legend: "{{policy}} {{arm}}",
      },
    ],
  },
  {
    title: "Tokens inside loops",
    about:
      "Tokens spent in exchanges with an intervention, and tokens not spent because Unloop answered itself (an estimate).",
    unit: "short",
    queries: [
      { expr: rate(metrics.loopTokens.name, "policy"), legend: "{{policy}} spent" },
      { expr: rate(metrics.avoidedTokens.name, "policy"), legend: "{{policy}} avoided (estimate)" },
    ],
  },
  {
    title: "Calls kept back",
    about: "Answers with a repeated call that no agent got, and requests that Unloop answered in the model's place.",
    unit: "ops",
    queries: [{ expr: rate(metrics.keptBack.name, "policy"), legend: "{{policy}}" }],
  },
  {
    title: "Errors of the upstream",
    about: "Guarded exchanges that the upstream did not answer, by status.",
    unit: "ops",
    queries: [{ expr: rate(metrics.upstreamErrors.name, "status"), legend: "{{status}}" }],
  },
  {
    title: "Tokens inside loops, by team",
    about:
      "Which team's agents spend most of their tokens in loops. Choose a tenant above to see the rest of its figures.",
    unit: "short",
    queries: [{ expr: `topk(10, ${rate(metrics.loopTokens.name, "tenant")})`, legend: "{{tenant}}" }],
  },
  {
    title: "Traffic that was not read",
    about: "The share of exchanges whose body Unloop did not understand, and the share of those without any step.",
    unit: "percentunit",
    queries: [
      {
        expr: `sum(rate(${metrics.untold.name}[$__rate_interval])) / sum(rate(${metrics.exchanges.name}[$__rate_interval]))`,
        legend: "without steps",
      },
      {
        // Zero, and not nothing, as long as there has been none.
        expr: `(sum(rate(${metrics.exchanges.name}{verdict="unguarded"}[$__rate_interval])) or vector(0)) / sum(rate(${metrics.exchanges.name}[$__rate_interval]))`,
        legend: "unguarded",
      },
    ],
  },
  {
    title: "Requests at endpoints that are not guarded",
    about: "Requests to models that pass unseen. Loops of these agents are not noticed.",
    unit: "reqps",
    queries: [
      {
        expr: `sum by (endpoint) (rate(${metrics.unguarded.name}{endpoint!="other"}[$__rate_interval]))`,
        legend: "{{endpoint}}",
      },
    ],
  },
  {
    title: "Unloop's own time",
    about: "Time before a request is forwarded. Above 100 ms the process is short of CPU.",
    unit: "s",
    queries: quantiles(metrics.processing.name),
  },
  {
    title: "Session store",
    about:
      "1 while the store is in use, and while it accepts writes. Without it traffic continues, judged by the history in each request.",
    unit: "short",
    queries: [
      { expr: `min by (state) (${metrics.storeState.name}{state=~"up|writable"})`, legend: "{{state}}" },
      { expr: rate(metrics.storeFailures.name), legend: "exchanges without it" },
      { expr: `max by (state) (${metrics.storeState.name}{state!~"up|writable"})`, legend: "{{state}}" },
    ],
  },
  {
    title: "Age of the configuration",
    about: "Time since a file was last applied, and since one was last refused.",
    unit: "s",
    queries: [{ expr: `time() - (${metrics.configReload.name} > 0)`, legend: "{{result}}" }],
  },
  {
    title: "Revisions of the configuration",
    about:
      "How many replicas run with each. More than one revision, other than in a rollout, is a replica that was left behind.",
    unit: "short",
    queries: [{ expr: `count by (revision) (${metrics.configInfo.name})`, legend: "{{revision}}" }],
  },
  {
    title: "Alerts",
    about: "Webhook messages. For each lost one, the log says why.",
    unit: "ops",
    queries: [{ expr: rate(metrics.alerts.name, "outcome"), legend: "{{outcome}}" }],
  },
  {
    title: "Judge",
    about: "Questions to the judge by outcome. Exchanges do not wait for them unless the policy sets judge.wait.",
    unit: "ops",
    queries: [{ expr: rate(metrics.judged.name, "outcome"), legend: "{{outcome}}" }],
  },
  { title: "Judge's time", about: "How long the judge takes.", unit: "s", queries: quantiles(metrics.judgeTime.name) },
  {
    title: "Refused changes",
    about: "Requests that the API refused as Unloop had changed them, by what it was asked instead.",
    unit: "ops",
    queries: [{ expr: rate(metrics.changesRefused.name, "instead"), legend: "{{instead}}" }],
  },
  {
    title: "Unloop's own errors",
    about:
      "Requests that Unloop answered with an error of its own, by code. overloaded: clients send more than fits into memory.",
    unit: "ops",
    queries: [{ expr: rate(metrics.errors.name, "code"), legend: "{{code}}" }],
  },
  {
    title: "Memory",
    about: "Resident memory of each process, including the bodies of requests in flight and the store in memory.",
    unit: "bytes",
    queries: [
      { expr: "process_resident_memory_bytes", legend: "{{instance}}" },
      { expr: metrics.heldBytes.name, legend: "{{instance}} {{of}}" },
    ],
  },
  {
    title: "Event loop lag",
    about: "Delay of the event loop. It should stay near zero.",
    unit: "s",
    queries: [{ expr: "nodejs_eventloop_lag_p99_seconds", legend: "{{instance}}" }],
  },
];

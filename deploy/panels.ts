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
    about: "All guarded traffic. Nearly all of it should be ok; observe:<rung> is what enforcing would have done.",
    unit: "ops",
    queries: [{ expr: rate(metrics.exchanges.name, "verdict"), legend: "{{verdict}}" }],
  },
  {
    title: "Interventions by rung",
    about: "How hard the guard had to act. Nudges that are not followed by harder rungs have worked.",
    unit: "ops",
    queries: [{ expr: rate(metrics.interventions.name, "rung"), legend: "{{rung}}" }],
  },
  {
    title: "Interventions by detector",
    about: "Which loops there are.",
    unit: "ops",
    queries: [{ expr: rate(metrics.interventions.name, "detector"), legend: "{{detector}}" }],
  },
  {
    title: "Tokens per session, by side of a rollout",
    about:
      "What the guard saves: the distance between held-out and enforced, over a day. GET /unloop/api/savings has it with its uncertainty.",
    unit: "short",
    queries: [
      {
        expr: `sum by (policy, arm) (increase(${metrics.tokens.name}{arm!="none",kind!="cached"}[1d])) / sum by (policy, arm) (increase(${metrics.sessions.name}{arm!="none"}[1d]))`,
        legend: "{{policy}} {{arm}}",
      },
    ],
  },
  {
    title: "Tokens inside loops",
    about: "Spent in exchanges with an intervention, and (an estimate) not spent because the guard answered.",
    unit: "short",
    queries: [
      { expr: rate(metrics.loopTokens.name, "policy"), legend: "{{policy}} spent" },
      { expr: rate(metrics.avoidedTokens.name, "policy"), legend: "{{policy}} avoided (estimate)" },
    ],
  },
  {
    title: "Tokens spent on polls",
    about:
      "The share of all tokens whose request ended with a wait. A tool that waits longer in one call, or tells when it is done, saves them.",
    unit: "percentunit",
    queries: [
      {
        expr: `sum by (policy) (rate(${metrics.pollTokens.name}[$__rate_interval])) / sum by (policy) (rate(${metrics.tokens.name}{kind!="cached"}[$__rate_interval]))`,
        legend: "{{policy}}",
      },
    ],
  },
  {
    title: "Traffic that was not read",
    about:
      "The share of exchanges whose body was not understood and passed as it was, and of those that told no steps.",
    unit: "percentunit",
    queries: [
      {
        expr: `sum(rate(${metrics.untold.name}[$__rate_interval])) / sum(rate(${metrics.exchanges.name}[$__rate_interval]))`,
        legend: "told no steps",
      },
      {
        // Zero, and not nothing, as long as there has been none.
        expr: `(sum(rate(${metrics.exchanges.name}{verdict="unguarded"}[$__rate_interval])) or vector(0)) / sum(rate(${metrics.exchanges.name}[$__rate_interval]))`,
        legend: "unguarded",
      },
    ],
  },
  {
    title: "The guard's own time",
    about: "Before a request is forwarded. Above 100 ms the process is short of CPU.",
    unit: "s",
    queries: quantiles(metrics.processing.name),
  },
  {
    title: "Requests read whole",
    about:
      "The share of requests of which more than the new messages was read. High where balancers scatter runs, or clients rewrite histories.",
    unit: "percentunit",
    queries: [
      {
        expr: `sum(rate(${metrics.read.name}{how="whole"}[$__rate_interval])) / sum(rate(${metrics.read.name}[$__rate_interval]))`,
        legend: "read whole",
      },
    ],
  },
  {
    title: "Requests forwarded first",
    about:
      "The share of requests that were sent upstream before they were judged, since one more step could lead to nothing, and the share that was withdrawn after all.",
    unit: "percentunit",
    queries: ["kept", "withdrawn"].map((outcome) => ({
      expr: `sum(rate(${metrics.forwardedFirst.name}{outcome="${outcome}"}[$__rate_interval])) / sum(rate(${metrics.exchanges.name}[$__rate_interval]))`,
      legend: outcome,
    })),
  },
  {
    title: "Session store",
    about:
      "1 while the store is used, and while it takes writes. Without it traffic goes on, judged by the history in each request.",
    unit: "short",
    queries: [
      { expr: `min(${metrics.storeUp.name})`, legend: "in use" },
      { expr: `min(${metrics.storeWritable.name})`, legend: "takes writes" },
      { expr: rate(metrics.storeFailures.name), legend: "exchanges without it" },
    ],
  },
  {
    title: "Age of the configuration",
    about: "Since the file was last taken, and last read. They part while a bad file is refused.",
    unit: "s",
    queries: [
      { expr: `time() - ${metrics.configReloadSuccess.name}`, legend: "taken" },
      { expr: `time() - ${metrics.configReload.name}`, legend: "read" },
    ],
  },
  {
    title: "Alerts",
    about: "Messages to webhooks. Lost ones have a line in the log that says why.",
    unit: "ops",
    queries: [{ expr: rate(metrics.alerts.name, "outcome"), legend: "{{outcome}}" }],
  },
  {
    title: "Judge",
    about: "Questions to the judge by outcome; no exchange waits for them.",
    unit: "ops",
    queries: [
      { expr: rate(metrics.judged.name, "outcome"), legend: "{{outcome}}" },
      { expr: rate(metrics.judgeTokens.name), legend: "tokens" },
    ],
  },
  { title: "Judge's time", about: "How long the judge takes.", unit: "s", queries: quantiles(metrics.judgeTime.name) },
  {
    title: "Own errors",
    about:
      "Requests answered with an error of the guard's own, by code. overloaded: clients send more than there is memory for.",
    unit: "ops",
    queries: [{ expr: rate(metrics.errors.name, "code"), legend: "{{code}}" }],
  },
  {
    title: "Thread cache",
    about: "Steps of threads whose next request need not be read whole.",
    unit: "short",
    queries: [{ expr: metrics.cachedSteps.name, legend: "{{instance}}" }],
  },
  {
    title: "Memory",
    about: "Resident memory of each process, and of it the bodies of requests under way and the store in memory.",
    unit: "bytes",
    queries: [
      { expr: "process_resident_memory_bytes", legend: "{{instance}}" },
      { expr: metrics.heldBytes.name, legend: "{{instance}} {{of}}" },
    ],
  },
  {
    title: "Event loop lag",
    about: "How late the process comes to its work. It should stay near zero.",
    unit: "s",
    queries: [{ expr: "nodejs_eventloop_lag_p99_seconds", legend: "{{instance}}" }],
  },
];

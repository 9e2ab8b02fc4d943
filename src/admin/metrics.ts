import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Meter } from "../proxy/proxy.ts";

export interface Metrics extends Meter {
  /** 1 while the session store is used, 0 while it is left alone. */
  storeUp(up: boolean): void;
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Own time is a fraction of a millisecond as a rule. In seconds. */
const BUCKETS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3];

/** In seconds. */
const JUDGE_BUCKETS = [0.1, 0.3, 1, 3, 10, 30];

/** Counts for Prometheus. */
export function promMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const exchanges = new Counter({
    name: "unloop_exchanges_total",
    help: "Guarded exchanges by verdict.",
    labelNames: ["verdict"],
    registers,
  });
  const interventions = new Counter({
    name: "unloop_interventions_total",
    help: "What was done about loops, by rung and detector; observe:<rung> is what would have been done.",
    labelNames: ["rung", "detector"],
    registers,
  });
  const own = new Histogram({
    name: "unloop_processing_seconds",
    help: "The guard's own time before forwarding.",
    buckets: BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: "unloop_store_failures_total",
    help: "Exchanges that went on without the session store.",
    registers,
  });
  const up = new Gauge({
    name: "unloop_store_up",
    help: "1 while the session store is used, 0 while it is left alone.",
    registers,
  });
  up.set(1);
  const judgements = new Counter({
    name: "unloop_judged_total",
    help: "Questions to the judge, by what came of them: scored, unparsable, refused, failed.",
    labelNames: ["outcome"],
    registers,
  });
  const judgeSeconds = new Histogram({
    name: "unloop_judge_seconds",
    help: "How long the judge took. No exchange waits for it.",
    buckets: JUDGE_BUCKETS,
    registers,
  });
  const judgeTokens = new Counter({
    name: "unloop_judge_tokens_total",
    help: "Tokens that the judge was asked with and answered in.",
    registers,
  });
  return {
    exchange(verdict, ownSeconds) {
      exchanges.inc({ verdict });
      own.observe(ownSeconds);
    },
    intervention: (rung, detector) => interventions.inc({ rung, detector }),
    storeFailed: () => failures.inc(),
    judged(outcome, seconds, tokens) {
      judgements.inc({ outcome });
      judgeSeconds.observe(seconds);
      judgeTokens.inc(tokens);
    },
    storeUp: (isUp) => up.set(isUp ? 1 : 0),
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

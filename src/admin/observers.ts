import type { ExchangeObserver, Log } from "../proxy/proxy.ts";
import type { SessionKey, Stores } from "../store/store.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import { type AlertDestination, type Alerting, alerting } from "./alerts/alerts.ts";
import { webhook } from "./alerts/webhook.ts";
import type { Metrics } from "./metrics/prometheus.ts";
import { tracing, wantsTraces } from "./telemetry.ts";

interface ObserversOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly metrics: Pick<Metrics, "alerted">;
  readonly log: Log;
  /** Where other processes are, and what they have told of. */
  readonly shared: Pick<Stores, "counters"> | undefined;
}

/** All that wants to be told of exchanges beside log and metrics: who the configuration file and the standard OpenTelemetry variables ask for. */
export async function observersFor(options: ObserversOptions) {
  const { env, version } = options;
  const traces = wantsTraces(env) ? await tracing(version) : undefined;
  const alerts = alertsOf(options);
  return {
    /** @returns undefined where nobody is told, so that no exchange is timed in vain */
    use(next: readonly AlertDestination[]): ExchangeObserver | undefined {
      alerts.use(next);
      const alert = next.length > 0 ? alerts.observe : undefined;
      const observers = [traces?.observe, alert].filter((observe) => observe !== undefined);
      return observers.length === 0 ? undefined : (report) => observers.forEach((observe) => void observe(report));
    },
    /** Sends what is waiting, or gives it up. Never rejects. */
    close: () => Promise.all([traces?.close(), alerts.close()]),
  };
}

/** Time for which an alert on the same loop is not sent again. */
const TOLD_MS = 24 * 60 * 60 * 1_000;

function alertsOf({ log, metrics, shared }: ObserversOptions): Alerting {
  const open = (address: () => AlertDestination) =>
    webhook({
      address,
      onSent: () => metrics.alerted("sent"),
      onLost(reason) {
        metrics.alerted("lost");
        log.warn({ alert: address().name, reason }, "alert-lost");
      },
    });
  if (shared === undefined) return alerting(open);
  // The first to count is the first to tell.
  return alerting(open, async (destination, subject) => {
    const key = `alert-${sha256Hex(JSON.stringify([destination, subject]))}` as SessionKey;
    return (await shared.counters.add(key, { told: 1 }, TOLD_MS)).told === 1;
  });
}

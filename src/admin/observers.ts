import type { ExchangeObserver, Log } from "../proxy/proxy.ts";
import type { SessionKey, Stores } from "../store/store.ts";
import { sha256Hex } from "../text/keyed-hash.ts";
import { type AlertDestination, type Alerting, alerting } from "./alerts/alerts.ts";
import { webhook } from "./alerts/webhook.ts";
import type { DecisionExport } from "./decisions.ts";
import { type GenAiHistograms, genAiObserver, tracing, wantsGenAiMetrics, wantsTraces } from "./telemetry.ts";

/** All that wants to be told of exchanges beside log and metrics. */
export interface Observers {
  /**
   * Who is told from now on, beside what variables ask for.
   * @returns undefined where nothing is, so that no exchange is timed in vain
   */
  use(destinations: readonly AlertDestination[]): ExchangeObserver | undefined;
  /** Destinations of alerts that are in force. */
  alerts(): readonly AlertDestination[];
  /** Sends what is waiting, or gives it up. Never rejects. */
  close(): Promise<void>;
}

export interface ObserversOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Exposes OpenTelemetry's GenAI metrics. */
  readonly genAi: () => GenAiHistograms;
  /** Undefined where none are exported. */
  readonly decisions: DecisionExport | undefined;
  readonly log: Log;
  /** Told of each alert that was taken, or given up. */
  readonly onAlert: (outcome: "sent" | "lost") => void;
  /** Where other processes are, and what they have told of. */
  readonly shared: Pick<Stores, "counters"> | undefined;
}

/** The observers that the configuration file and the standard OpenTelemetry variables ask for. */
export async function observersFor(options: ObserversOptions): Promise<Observers> {
  const { env, version, genAi, decisions } = options;
  const traces = wantsTraces(env) ? await tracing(version) : undefined;
  const always = [traces?.observe, wantsGenAiMetrics(env) ? genAiObserver(genAi()) : undefined, decisions?.observe];
  const alerts = alertsOf(options);
  let destinations: readonly AlertDestination[] = [];
  return {
    alerts: () => destinations,
    use(next) {
      destinations = next;
      alerts.use(destinations);
      const observers = [...always, destinations.length > 0 ? alerts.observe : undefined].filter(
        (observe) => observe !== undefined,
      );
      return observers.length === 0 ? undefined : (report) => observers.forEach((observe) => void observe(report));
    },
    async close() {
      await Promise.all([traces?.close(), decisions?.close(), alerts.close()]);
    },
  };
}

/** Time for which an alert on the same loop is not sent again. */
const TOLD_MS = 24 * 60 * 60 * 1_000;

function alertsOf({ log, onAlert, shared }: Pick<ObserversOptions, "log" | "onAlert" | "shared">): Alerting {
  return alerting({
    open: ({ name, url, secret }) =>
      webhook({
        url,
        secret,
        onSent: () => onAlert("sent"),
        onLost(reason) {
          onAlert("lost");
          log.warn({ alert: name, reason }, "alert-lost");
        },
      }),
    now: () => Math.floor(Date.now() / 1000),
    // The first to count is the first to tell.
    claim:
      shared &&
      (async (destination, subject) => {
        const key = `alert-${sha256Hex(JSON.stringify([destination, subject]))}` as SessionKey;
        return (await shared.counters.add(key, { told: 1 }, TOLD_MS)).told === 1;
      }),
  });
}

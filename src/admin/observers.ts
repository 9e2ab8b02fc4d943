import type { Settings } from "../config/config.ts";
import type { ExchangeObserver, Log } from "../proxy/proxy.ts";
import { alerting } from "./alerts/alerts.ts";
import { webhook } from "./alerts/webhook.ts";
import { wantsTraces } from "./telemetry/wants-traces.ts";

/** All that wants to be told of exchanges beside log and metrics. */
export interface Observers {
  /** Undefined where nothing does, so that an exchange is not timed for nobody. */
  readonly observe: ExchangeObserver | undefined;
  /** Sends what is waiting, or gives it up. Never rejects. */
  close(): Promise<void>;
}

interface Observer {
  readonly observe: ExchangeObserver;
  close(): Promise<void>;
}

type ObserverSettings = Pick<Settings, "webhookUrl" | "webhookSecret" | "webhookOn">;

export interface ObserversOptions {
  readonly settings: ObserverSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly log: Log;
}

/** The observers that settings and the standard OpenTelemetry variables ask for. The SDK is loaded only where traces are wanted. */
export async function observersFor({ settings, env, version, log }: ObserversOptions): Promise<Observers> {
  const { tracing } = wantsTraces(env) ? await import("./telemetry/traces.ts") : {};
  const chosen = [tracing?.(version), webhookFor(settings, log)].filter((one) => one !== undefined);
  return {
    observe: chosen.length === 0 ? undefined : toAll(chosen),
    async close() {
      await Promise.all(chosen.map((one) => one.close()));
    },
  };
}

function toAll(observers: readonly Observer[]): ExchangeObserver {
  return (report) => {
    for (const { observe } of observers) observe(report);
  };
}

function webhookFor(
  { webhookUrl: url, webhookSecret: secret, webhookOn: on }: ObserverSettings,
  log: Log,
): Observer | undefined {
  if (url === undefined) return undefined;
  const destination = webhook({ url, secret, onLost: (reason) => log.warn({ reason }, "alert-lost") });
  return {
    observe: alerting([{ webhook: destination, on }], () => Math.floor(Date.now() / 1000)),
    close: destination.close,
  };
}

import type { ExchangeObserver } from "../../proxy/proxy.ts";
import { type AlertOccasion, alertFor } from "./alert.ts";
import { oncePerLoop } from "./once.ts";
import type { Webhook } from "./webhook.ts";

/** A webhook with what it wants to be told of. */
export interface AlertDestination {
  readonly webhook: Webhook;
  readonly on: readonly AlertOccasion[];
  /** Names of policies; undefined: of all. */
  readonly policies?: readonly string[] | undefined;
  /** Names of detectors; undefined: of all. */
  readonly detectors?: readonly string[] | undefined;
}

/** Tells each destination once of each loop that it wants to hear of. @param now Unix time, seconds */
export function alerting(destinations: readonly AlertDestination[], now: () => number): ExchangeObserver {
  const told = destinations.map((destination) => ({ ...destination, isNew: oncePerLoop() }));
  return (report) => {
    const alert = alertFor(report, now());
    if (alert === undefined) return;
    for (const { webhook, on, policies, detectors, isNew } of told) {
      const isWanted =
        on.includes(alert.occasion) &&
        (policies?.includes(alert.policy) ?? true) &&
        (detectors?.includes(alert.detector) ?? true);
      if (isWanted && isNew(alert)) webhook.send(alert);
    }
  };
}

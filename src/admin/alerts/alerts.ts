import type { AlertOccasion } from "../../config/config.ts";
import type { ExchangeObserver } from "../../proxy/proxy.ts";
import { type Alert, alertFor } from "./alert.ts";
import type { Webhook, WebhookAddress } from "./webhook.ts";

/** A webhook with what it wants to be told of. A filter that is undefined lets everything through. */
export interface AlertDestination extends WebhookAddress {
  /** Tells destinations apart. */
  readonly name: string;
  readonly on: readonly AlertOccasion[];
  readonly policies?: readonly string[] | undefined;
  readonly rules?: readonly string[] | undefined;
  readonly tenants?: readonly string[] | undefined;
  readonly detectors?: readonly string[] | undefined;
}

export interface Alerting {
  readonly observe: ExchangeObserver;
  /**
   * From now on these are told. What waits for one that is still there goes to its present address, and it is not told
   * again of what it has heard; what waits for one that is gone is given up.
   */
  use(destinations: readonly AlertDestination[]): void;
  /** Gives up what is waiting; resolves when the messages under way have ended. */
  close(): Promise<void>;
}

interface Receiver {
  readonly destination: AlertDestination;
  readonly webhook: Webhook<Alert>;
  readonly isNew: (alert: Alert) => boolean;
}

export interface AlertingOptions {
  readonly open: (destination: AlertDestination) => Webhook<Alert>;
  /** Unix time, seconds. */
  readonly now: () => number;
  /**
   * Whether this process is the first of all that share a store to tell of it; undefined where there is none but this one.
   * Whatever fails over it, people are told rather twice than never.
   */
  readonly claim: ((destination: string, subject: string) => Promise<boolean>) | undefined;
}

/** Tells each destination once of each loop that it wants to hear of. */
export function alerting({ open, now, claim }: AlertingOptions): Alerting {
  let receivers: readonly Receiver[] = [];

  async function tell(alert: Alert, name: string, webhook: Webhook<Alert>): Promise<void> {
    const isFirst = claim === undefined || (await claim(name, alertSubject(alert)).catch(() => true));
    if (isFirst) webhook.send(alert);
  }

  return {
    observe(report) {
      const alert = alertFor(report, now());
      if (alert === undefined) return;
      for (const { destination, webhook, isNew } of receivers)
        if (isWanted(alert, destination) && isNew(alert)) void tell(alert, destination.name, webhook);
    },
    use(destinations) {
      const before = new Map(receivers.map((receiver) => [receiver.destination.name, receiver]));
      receivers = destinations.map((destination) => {
        const { webhook = open(destination), isNew = oncePerLoop() } = before.get(destination.name) ?? {};
        webhook.moveTo(destination);
        before.delete(destination.name);
        return { destination, webhook, isNew };
      });
      for (const { webhook } of before.values()) void webhook.close();
    },
    async close() {
      await Promise.all(receivers.map(({ webhook }) => webhook.close()));
    },
  };
}

function isWanted(
  { occasion, policy, rule, tenant, detector }: Alert,
  { on, policies, rules, tenants, detectors }: AlertDestination,
): boolean {
  const fits = (names: readonly string[] | undefined, name: string | undefined) =>
    names === undefined || (name !== undefined && names.includes(name));
  return (
    on.includes(occasion) &&
    fits(policies, policy) &&
    fits(rules, rule) &&
    fits(tenants, tenant) &&
    fits(detectors, detector)
  );
}

/** Loops that are remembered as told of; the oldest make room. */
const MAX_LOOPS = 10_000;

/** Subject of an alert: the same for every rung of one loop in one session, so that each loop is reported once. */
function alertSubject({ session, sessionId, detector, loop, occasion }: Alert): string {
  return JSON.stringify([sessionId ?? session, detector, loop, occasion === "observe"]);
}

/** Lets the first alert about each loop of each session through. */
function oncePerLoop(): (alert: Alert) => boolean {
  const keys = new Set<string>();
  return (alert) => {
    const subject = alertSubject(alert);
    if (keys.has(subject)) return false;
    keys.add(subject);
    for (const oldest of keys) {
      if (keys.size <= MAX_LOOPS) break;
      keys.delete(oldest);
    }
    return true;
  };
}

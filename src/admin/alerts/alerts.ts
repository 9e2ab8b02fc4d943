import type { AlertOccasion } from "../../config/config.ts";
import type { ExchangeObserver, ExchangeReport } from "../../proxy/proxy.ts";
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

/** One loop, told to people. Facts alone: no text of the conversation. */
export interface Alert {
  readonly type: "loop";
  /** Unix time, seconds. */
  readonly created: number;
  /** One line for a chat channel; Slack's incoming webhooks show it. */
  readonly text: string;
  readonly occasion: AlertOccasion;
  /** The name that the client gives it, or that was derived. */
  readonly session: string | undefined;
  /** Its id in the admin API. */
  readonly sessionId: string | undefined;
  readonly model: string | undefined;
  readonly policy: string;
  /** The rule of the configuration file that chose it; undefined for the operator's defaults. */
  readonly rule: string | undefined;
  /** Tenant of the client key. */
  readonly tenant: string | undefined;
  readonly detector: string;
  readonly count: number | undefined;
  readonly loop: string | undefined;
  readonly tools: readonly string[];
  readonly note: string | undefined;
}

/** Undefined for an exchange that is no reason for an alert. */
export function alertFor(report: ExchangeReport, created: number): Alert | undefined {
  const { intervention, session, sessionKey, model, policy, placement } = report;
  const occasion = occasionOf(report);
  if (occasion === undefined) return undefined;
  const detector = occasion === "cut" ? "runaway-output" : (intervention?.detector ?? "unknown");
  const facts = {
    occasion,
    session,
    sessionId: sessionKey,
    model,
    policy,
    rule: placement.rule,
    tenant: placement.tenant,
    detector,
    count: intervention?.count,
    loop: intervention?.loop,
    tools: intervention?.tools ?? [],
    note: intervention?.note,
  };
  return { type: "loop", created, text: textOf(facts), ...facts };
}

function occasionOf({ cut, intervention, verdict }: ExchangeReport): AlertOccasion | undefined {
  if (verdict.startsWith("observe:")) return "observe";
  if (cut) return "cut";
  return intervention?.rung;
}

/** Wording of each occasion within a sentence. */
const DONE: Readonly<Record<AlertOccasion, string>> = {
  observe: "would have acted on",
  nudge: "warned the model in",
  "force-done": "made the model finish",
  "short-circuit": "ended",
  cut: "cut off a runaway answer in",
};

function textOf({
  occasion,
  session,
  policy,
  detector,
  count,
  tools,
  note,
}: Omit<Alert, "type" | "created" | "text">): string {
  const run = session === undefined ? "a run" : `run ${plain(session)}`;
  const times = count === undefined ? "" : ` ×${count}`;
  const which = tools.length === 0 ? "" : ` (${tools.map(plain).join(", ")})`;
  return `Unloop ${DONE[occasion]} ${run}: ${detector}${times}${which}, policy ${policy}.${note === undefined ? "" : ` ${plain(note)}`}`;
}

/** Names come from clients: nothing in them is to be a link, a mention or markup of a chat program. */
function plain(text: string): string {
  return text.replace(/[<>&*`~|@\p{Cc}\p{Cf}]+/gu, " ").slice(0, 200);
}

import type { AlertOccasion } from "../../config/config.ts";
import type { ExchangeObserver, ExchangeReport } from "../../proxy/proxy.ts";
import { BoundedMap } from "../../text/bounded-map.ts";
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
  const receiverFor = (destination: AlertDestination) => ({
    destination,
    webhook: open(destination),
    told: new BoundedMap<string, true>(MAX_LOOPS),
  });
  let receivers: readonly ReturnType<typeof receiverFor>[] = [];

  async function tell(alert: Alert, { destination, webhook, told }: (typeof receivers)[number]): Promise<void> {
    const subject = alertSubject(alert);
    if (!isWanted(alert, destination) || told.has(subject)) return;
    told.set(subject, true);
    const isFirst = claim === undefined || (await claim(destination.name, subject).catch(() => true));
    if (isFirst) webhook.send(alert);
  }

  return {
    observe(report) {
      const alert = alertFor(report, now());
      if (alert !== undefined) for (const receiver of receivers) void tell(alert, receiver);
    },
    use(destinations) {
      const before = new Map(receivers.map((receiver) => [receiver.destination.name, receiver]));
      receivers = destinations.map((destination) => {
        const receiver = { ...(before.get(destination.name) ?? receiverFor(destination)), destination };
        receiver.webhook.moveTo(destination);
        before.delete(destination.name);
        return receiver;
      });
      for (const { webhook } of before.values()) void webhook.close();
    },
    async close() {
      await Promise.all(receivers.map(({ webhook }) => webhook.close()));
    },
  };
}

function isWanted(alert: Alert, { on, policies, rules, tenants, detectors }: AlertDestination): boolean {
  const fits = (names: readonly string[] | undefined, name: string | undefined) =>
    names === undefined || (name !== undefined && names.includes(name));
  const { occasion, policy, rule, tenant, detector } = alert;
  return (
    fits(on, occasion) &&
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

/** One loop, told to people. Facts alone: no text of the conversation. */
export type Alert = NonNullable<ReturnType<typeof alertFor>>;

/** Undefined for an exchange that is no reason for an alert. @param created Unix time, seconds */
export function alertFor(report: ExchangeReport, created: number) {
  const { intervention, session, sessionKey: sessionId, model, policy, placement } = report;
  const { count, loop, tools = [], note } = intervention ?? {};
  const occasion = occasionOf(report);
  if (occasion === undefined) return undefined;
  const detector = occasion === "cut" ? "runaway-output" : (intervention?.detector ?? "unknown");
  const run = session === undefined ? "a run" : `run ${plain(session)}`;
  const times = count === undefined ? "" : ` ×${count}`;
  const which = tools.length === 0 ? "" : ` (${tools.map(plain).join(", ")})`;
  const seen = note === undefined ? "" : ` ${plain(note)}`;
  return {
    type: "loop",
    created,
    /** One line for a chat channel; Slack's incoming webhooks show it. */
    text: `Unloop ${DONE[occasion]} ${run}: ${detector}${times}${which}, policy ${policy}.${seen}`,
    occasion,
    ...{ session, sessionId, model, policy, rule: placement.rule, tenant: placement.tenant },
    ...{ detector, count, loop, tools, note },
  } as const;
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

/** Names come from clients: nothing in them is to be a link, a mention or markup of a chat program. */
function plain(text: string): string {
  return text.replace(/[<>&*`~|@\p{Cc}\p{Cf}]+/gu, " ").slice(0, 200);
}

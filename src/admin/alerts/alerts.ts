import type { AlertOccasion } from "../../config/config.ts";
import type { ExchangeReport } from "../../proxy/proxy.ts";
import { BoundedMap } from "../../text/bounded-map.ts";
import type { Webhook, WebhookAddress } from "./webhook.ts";

/** A webhook with what it wants to be told of. A filter that is undefined lets everything through. */
export interface AlertDestination extends WebhookAddress {
  readonly name: string;
  readonly on: readonly AlertOccasion[];
  readonly policies?: readonly string[] | undefined;
  readonly rules?: readonly string[] | undefined;
  readonly tenants?: readonly string[] | undefined;
  readonly detectors?: readonly string[] | undefined;
}

export type Alerting = ReturnType<typeof alerting>;

interface Receiver {
  destination: AlertDestination;
  readonly webhook: Webhook;
  readonly known: BoundedMap<string, true>;
}

/** Each destination once for each loop, rather twice than never. @param claim whether this process is the first of all that share a store */
export function alerting(
  open: (destination: () => AlertDestination) => Webhook,
  claim?: (destination: string, subject: string) => Promise<boolean>,
) {
  let receivers: ReadonlyMap<string, Receiver> = new Map();

  function receiverFor(destination: AlertDestination): Receiver {
    const receiver: Receiver = {
      destination,
      webhook: open(() => receiver.destination),
      known: new BoundedMap<string, true>(MAX_LOOPS),
    };
    return receiver;
  }

  async function tell(alert: Alert, { destination, webhook, known }: Receiver): Promise<void> {
    const subject = alertSubject(alert);
    if (!isWanted(alert, destination) || known.has(subject)) return;
    known.set(subject, true);
    if (claim === undefined || (await claim(destination.name, subject).catch(() => true))) webhook.send(alert);
  }

  return {
    observe(report: ExchangeReport): void {
      const alert = alertFor(report, Math.floor(Date.now() / 1_000));
      if (alert !== undefined) for (const receiver of receivers.values()) void tell(alert, receiver);
    },
    /** What waits for a destination that is still there goes to its present address; what waits for one that is gone is given up. */
    use(destinations: readonly AlertDestination[]): void {
      const before = receivers;
      receivers = new Map(
        destinations.map((destination) => {
          const receiver = before.get(destination.name) ?? receiverFor(destination);
          receiver.destination = destination;
          return [destination.name, receiver];
        }),
      );
      for (const [name, { webhook }] of before) if (!receivers.has(name)) void webhook.close();
    },
    close: () => Promise.all([...receivers.values()].map(({ webhook }) => webhook.close())),
  };
}

function isWanted({ occasion, policy, rule, tenant, detector }: Alert, wanted: AlertDestination): boolean {
  const filters = [
    [wanted.on, occasion],
    [wanted.policies, policy],
    [wanted.rules, rule],
    [wanted.tenants, tenant],
    [wanted.detectors, detector],
  ] as const;
  return filters.every(([names, name]) => names === undefined || names.some((one) => one === "*" || one === name));
}

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

const DONE: Readonly<Record<AlertOccasion, string>> = {
  observe: "would have acted on",
  nudge: "warned the model in",
  "force-done": "made the model finish",
  "short-circuit": "ended",
  cut: "cut off a runaway answer in",
};

/** Names come from clients: nothing in them is to be a link, a mention or markup of a chat program. */
function plain(text: string): string {
  return text.replace(/[<>&*`~|@\p{Cc}\p{Cf}]+|:\/+/gu, " ").slice(0, 200);
}

import type { AlertOccasion } from "../../config/config.ts";
import type { ExchangeReport } from "../../proxy/proxy.ts";

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

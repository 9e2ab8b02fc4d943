/**
 * A Tail Worker that tells people of loops: it reads the guard's log lines and posts to a webhook, such as Slack's.
 *
 *   npx wrangler deploy examples/tail-worker/worker.ts --name unloop-alerts --compatibility-date 2026-04-01
 *   npx wrangler secret put WEBHOOK_URL --name unloop-alerts
 *
 * The guard's own wrangler.toml names it: `tail_consumers = [{ service = "unloop-alerts" }]`.
 */

/** The part of what the platform hands a Tail Worker that is read here. */
interface TraceItem {
  readonly logs: readonly { readonly message: unknown }[];
}

/** Fields of the guard's line about an exchange. */
interface ExchangeLine {
  readonly event?: string;
  readonly verdict?: string;
  readonly session?: string;
  readonly note?: string;
}

const ALARMING = ["force-done", "short-circuit"];

export default {
  async tail(items: readonly TraceItem[], { WEBHOOK_URL }: { readonly WEBHOOK_URL: string }): Promise<void> {
    const lines = items.flatMap(({ logs }) => logs.flatMap(({ message }) => lineIn(message)));
    const alarms = lines.filter(({ event, verdict = "" }) => event === "exchange" && ALARMING.includes(verdict));
    for (const { verdict, session, note = "" } of alarms) {
      const text = `${verdict} in session ${session}. ${note}`;
      await fetch(WEBHOOK_URL, { method: "POST", body: JSON.stringify({ text }) });
    }
  },
};

/** `console` was called with one text, which is a JSON object. */
function lineIn(message: unknown): readonly ExchangeLine[] {
  const [text] = Array.isArray(message) ? message : [message];
  try {
    return [JSON.parse(String(text))];
  } catch {
    return [];
  }
}

import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";

export interface WebhookAddress {
  readonly url: URL;
  readonly secret: string | undefined;
}

export interface WebhookOptions {
  /** Asked before each try: what waits goes where its receiver has moved. */
  readonly address: () => WebhookAddress;
  readonly onSent?: () => void;
  readonly onLost: (reason: string) => void;
  /** Waits between tries, in milliseconds. */
  readonly backOffMs?: readonly number[];
}

export type Webhook = ReturnType<typeof webhook>;

/** Messages that wait at most; with more the oldest are given up. */
const MAX_WAITING = 1_000;
const TIMEOUT_MS = 10_000;
const BACK_OFF_MS = [1_000, 5_000, 25_000, 125_000];

export function webhook({ address, onSent, onLost, backOffMs = BACK_OFF_MS }: WebhookOptions) {
  const waiting: object[] = [];
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      const lost = await deliver(JSON.stringify({ id: randomUUID(), ...message }));
      if (lost === undefined) onSent?.();
      else onLost(lost);
    }
    running = undefined;
  }

  async function deliver(body: string): Promise<string | undefined> {
    for (const pause of [...backOffMs, undefined]) {
      const refusal = await attemptPost(address(), body, closing.signal);
      if (refusal === undefined) return undefined;
      if (refusal.isFinal || pause === undefined || closing.signal.aborted) return refusal.reason;
      await sleep(pause, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
    return undefined;
  }

  return {
    /** Never throws, never waits. */
    send(message: object): void {
      waiting.push(message);
      if (waiting.length > MAX_WAITING) {
        waiting.shift();
        onLost("too many waiting");
      }
      running ??= run();
    },
    async close(): Promise<void> {
      for (const _ of waiting.splice(0)) onLost("closing");
      closing.abort();
      await running;
    },
  };
}

async function attemptPost({ url, secret }: WebhookAddress, body: string, signal: AbortSignal) {
  try {
    const { statusCode, body: answer } = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "unloop", ...signatureOf(body, secret, Date.now()) },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await answer.dump();
    if (statusCode >= 200 && statusCode < 300) return undefined;
    // What the receiver refuses it will refuse again; it may ask for patience, or have a fault of its own.
    const isFinal = statusCode < 500 && statusCode !== 408 && statusCode !== 429;
    return { reason: `status ${statusCode}`, isFinal };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no answer";
    return { reason: code, isFinal: false };
  }
}

/** `t=<Unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`: the time lets a receiver refuse what is old. */
function signatureOf(body: string, secret: string | undefined, nowMs: number): Readonly<Record<string, string>> {
  if (secret === undefined) return {};
  const at = Math.floor(nowMs / 1000);
  const hash = createHmac("sha256", secret).update(`${at}.${body}`).digest("hex");
  return { "x-unloop-signature": `t=${at},v1=${hash}` };
}

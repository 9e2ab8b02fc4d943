import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";

/** Where alerts go. */
export interface WebhookAddress {
  readonly url: URL;
  /** Signs each message; undefined: unsigned. */
  readonly secret: string | undefined;
}

export interface WebhookOptions extends WebhookAddress {
  /** Told of a message that was taken. */
  readonly onSent?: () => void;
  /** Told of a message that was given up. */
  readonly onLost: (reason: string) => void;
  /** Waits between tries, in milliseconds. */
  readonly backOffMs?: readonly number[];
}

/** A destination of alerts, or of other messages. */
export interface Webhook<Message extends object> {
  /** Never throws, never waits. */
  send(message: Message): void;
  /** Alerts that are waiting are sent to the new address, too. */
  moveTo(address: WebhookAddress): void;
  /** Gives up what is waiting; resolves when the message under way has ended. */
  close(): Promise<void>;
}

/** Messages that wait at most; with more the oldest are given up. */
const MAX_WAITING = 1_000;
const TIMEOUT_MS = 10_000;
const BACK_OFF_MS = [1_000, 5_000, 25_000, 125_000];

/** Sends alerts one after the other, each until it is taken or has been tried often enough. */
export function webhook<Message extends object>({
  onSent,
  onLost,
  backOffMs = BACK_OFF_MS,
  ...first
}: WebhookOptions): Webhook<Message> {
  let address: WebhookAddress = first;
  const waiting: Message[] = [];
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      const lost = await delivered(message);
      if (lost === undefined) onSent?.();
      else onLost(lost);
    }
    running = undefined;
  }

  /** Undefined when it was taken, else why not. */
  async function delivered(message: Message): Promise<string | undefined> {
    const id = randomUUID();
    const body = JSON.stringify({ id, ...message });
    for (const pause of [...backOffMs, undefined]) {
      const outcome = await attemptPost(address, body, closing.signal);
      if (outcome === "taken") return undefined;
      if (outcome.isFinal || pause === undefined || closing.signal.aborted) return outcome.reason;
      await sleep(pause, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
    return undefined;
  }

  return {
    send(message) {
      waiting.push(message);
      if (waiting.length > MAX_WAITING) {
        waiting.shift();
        onLost("too many waiting");
      }
      running ??= run();
    },
    moveTo(next) {
      address = next;
    },
    async close() {
      for (const _ of waiting.splice(0)) onLost("closing");
      closing.abort();
      await running;
    },
  };
}

type Outcome = "taken" | { readonly reason: string; readonly isFinal: boolean };

async function attemptPost({ url, secret }: WebhookAddress, body: string, signal: AbortSignal): Promise<Outcome> {
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const { statusCode, body: answer } = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "unloop", ...signatureOf(body, secret, Date.now()) },
      body,
      signal: timeout,
    });
    await answer.dump();
    if (statusCode >= 200 && statusCode < 300) return "taken";
    // What the receiver refuses it will refuse again; it may ask for patience, or have a fault of its own.
    const isFinal = statusCode < 500 && statusCode !== 408 && statusCode !== 429;
    return { reason: `status ${statusCode}`, isFinal };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no answer";
    return { reason: code, isFinal: false };
  }
}

/** `t=<Unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`: the time lets a receiver refuse what is old. */
export function signatureOf(body: string, secret: string | undefined, nowMs: number): Readonly<Record<string, string>> {
  if (secret === undefined) return {};
  const at = Math.floor(nowMs / 1000);
  const hash = createHmac("sha256", secret).update(`${at}.${body}`).digest("hex");
  return { "x-unloop-signature": `t=${at},v1=${hash}` };
}

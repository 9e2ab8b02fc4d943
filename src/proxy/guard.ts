import type { Mode } from "../config.ts";
import type { Sign } from "../engine/engine.ts";
import type { Policy } from "../policy/policy.ts";
import { type AnswerFold, fallbackProtocol, type Protocol, protocolFor, type Stamp } from "../protocols/protocols.ts";
import { follow, identify, type Kept, load, nothingKept, save } from "../session/session.ts";
import type { SessionStore } from "../store/store.ts";
import type { Exchange, Transport } from "../transport/transport.ts";
import { answerError, answerWith } from "./answer.ts";
import { forward } from "./forward.ts";
import { factsOf, type Log, logExchange } from "./log.ts";
import { type Observed, observe } from "./observe.ts";
import { type Considered, type Plan, planFor, unguarded } from "./plan.ts";
import { tellVerdict } from "./verdict.ts";

export interface Guarding {
  readonly upstream: URL;
  readonly policy: Policy;
  readonly mode: Mode;
  /** A client may ask for another mode with `x-unloop-mode`. */
  readonly clientMayChooseMode: boolean;
  readonly store: SessionStore;
  readonly transport: Transport;
  readonly sign: Sign;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  readonly stamp: () => Stamp;
  readonly log: Log;
  readonly maxBodyBytes: number;
  readonly sessionTtlMs: number;
}

/** One exchange, from the first byte of the request to the last of the answer and the record of it. Never rejects. */
export async function guard(exchange: Exchange, guarding: Guarding): Promise<void> {
  const path = exchange.target.split("?", 1)[0] ?? "";
  const mode = modeOf(exchange, guarding);
  const protocol = mode === "off" ? undefined : protocolFor(exchange.method, path);
  try {
    if (protocol === undefined) await forward(exchange, guarding);
    else await guarded(exchange, protocol, mode, guarding);
  } catch (error) {
    answerError(exchange.answer, protocol ?? fallbackProtocol, error, guarding.log);
  }
}

async function guarded(exchange: Exchange, protocol: Protocol, mode: Mode, guarding: Guarding): Promise<void> {
  const bytes = await exchange.body(guarding.maxBodyBytes);
  const start = guarding.clock();
  const { plan, found, considered } = await decideSafely(exchange, bytes, protocol, mode, guarding);
  const ownMs = guarding.clock() - start;
  const answer = tellVerdict(exchange.answer, plan.verdict, ownMs);
  const observed = await carryOut(plan, { ...exchange, answer }, bytes, protocol, guarding);
  await recordSafely(considered, found, guarding, () => logExchange(guarding.log, plan.verdict, observed, ownMs));
}

/** Resolves after the last byte of the answer. What the upstream does not answer is answered here. */
async function carryOut(
  plan: Plan,
  exchange: Exchange,
  bytes: Uint8Array,
  protocol: Protocol,
  guarding: Guarding,
): Promise<Observed> {
  const { answer } = exchange;
  if (plan.kind === "answer") {
    answerWith(answer, plan.status, plan.reply);
    return { status: plan.status, answer: undefined };
  }
  let observed: Observed = { status: 0, answer: undefined };
  const fold = (contentType: string) => harmlessFold(() => protocol.fold(contentType), guarding.log);
  const watched = observe(answer, fold, (how) => {
    observed = how;
  });
  const body = plan.body === undefined ? bytes : new TextEncoder().encode(plan.body);
  try {
    await forward(exchange, { ...guarding, body, answer: watched, readable: true });
    return observed;
  } catch (failure) {
    return { status: answerError(answer, protocol, failure, guarding.log), answer: undefined, failure };
  }
}

interface Decided {
  readonly plan: Plan;
  readonly found: Kept;
  readonly considered?: Considered;
}

// --- The one catcher: whatever goes wrong in the guard itself, the traffic passes. ---

async function decideSafely(
  exchange: Exchange,
  bytes: Uint8Array,
  protocol: Protocol,
  mode: Mode,
  guarding: Guarding,
): Promise<Decided> {
  const passed: Decided = { plan: unguarded, found: nothingKept };
  try {
    const body = textOf(bytes);
    const ask = body === undefined ? undefined : protocol.read(body);
    if (body === undefined || ask === undefined) return passed;
    const identity = identify((name) => fieldOf(exchange, name), ask.conversation, guarding.sign);
    const kept = await loadSafely(guarding, identity.thread);
    const found = kept ?? nothingKept;
    const followed = follow(found.ledger, ask.conversation, guarding);
    const considered = { body, ask, identity, followed, degraded: kept === undefined };
    return { plan: planFor(considered, { ...guarding, protocol, mode }), found, considered };
  } catch (error) {
    guarding.log.error(factsOf(error), "guard-failed");
    return passed;
  }
}

/** Undefined when the store fails: the history alone is judged then. */
async function loadSafely(
  { store, log }: Guarding,
  thread: Considered["identity"]["thread"],
): Promise<Kept | undefined> {
  try {
    return await load(store, thread);
  } catch (error) {
    log.warn(factsOf(error), "store-failed");
    return undefined;
  }
}

/** After the last byte: nothing that fails here can reach the client any more. */
async function recordSafely(
  considered: Considered | undefined,
  found: Kept,
  guarding: Guarding,
  tell: () => void,
): Promise<void> {
  const { store, log, sessionTtlMs: ttlMs } = guarding;
  try {
    tell();
    if (considered === undefined) return;
    const { ask, identity, followed } = considered;
    const saved = await save(store, identity.thread, found, followed, {
      conversation: ask.conversation,
      judge: guarding,
      ttlMs,
    });
    if (!saved) log.warn({ session: identity.session }, "save-given-up");
  } catch (error) {
    log.warn(factsOf(error), "store-failed");
  }
}

/** A fold that throws has lost the thread; the bytes have not. */
function harmlessFold(make: () => AnswerFold, log: Log): AnswerFold {
  let lost = false;
  const attempt = <T>(look: () => T): T | undefined => {
    if (lost) return undefined;
    try {
      return look();
    } catch (error) {
      lost = true;
      log.error(factsOf(error), "fold-failed");
      return undefined;
    }
  };
  const fold = attempt(make);
  return { push: (bytes) => attempt(() => fold?.push(bytes)), end: () => attempt(() => fold?.end()) };
}

/** A log that throws loses its line and nothing else. */
export function harmlessLog(log: Log): Log {
  const at = (level: keyof Log) => (facts: object, event: string) => {
    try {
      log[level](facts, event);
    } catch {
      // There is nowhere left to tell it.
    }
  };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

// --- What is read of a request beside its body ---

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined for bytes that are no UTF-8: what cannot be read exactly cannot be edited exactly. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    // Not text, so not a request we understand; it passes as it is.
    return undefined;
  }
}

function fieldOf({ fields }: Exchange, name: string): string | undefined {
  const value = fields[name];
  return value === undefined ? undefined : String(value);
}

function modeOf(exchange: Exchange, { mode, clientMayChooseMode }: Guarding): Mode {
  const asked = fieldOf(exchange, "x-unloop-mode");
  const known = asked === "enforce" || asked === "observe" || asked === "off";
  return clientMayChooseMode && known ? asked : mode;
}

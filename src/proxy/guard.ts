import type { Sign } from "../engine/engine.ts";
import { limitsBudget } from "../policy/policy.ts";
import {
  type Answer,
  type AnswerFold,
  fallbackProtocol,
  type Protocol,
  protocolFor,
  type Stamp,
} from "../protocols/protocols.ts";
import {
  follow,
  identify,
  type Identity,
  journalEntry,
  type Kept,
  leaveTrail,
  load,
  nothingKept,
  rejoin,
  save,
  spentElsewhere,
} from "../session/session.ts";
import type { Stores } from "../store/store.ts";
import type { Exchange, Transport } from "../transport/transport.ts";
import { answerError, answerWith } from "./answer.ts";
import { type ClientChoice, evidenceOf, type Terms, termsFor } from "./evidence.ts";
import { forward } from "./forward.ts";
import { factsOf, type Log, logExchange } from "./log.ts";
import type { Meter } from "./meter.ts";
import { type Observed, observe } from "./observe.ts";
import { type Considered, type Plan, planFor, unguarded } from "./plan.ts";
import { sessionInPath } from "./session-path.ts";
import { tellVerdict } from "./verdict.ts";

export interface Guarding extends Terms, ClientChoice {
  readonly upstream: URL;
  readonly stores: Stores;
  readonly transport: Transport;
  readonly sign: Sign;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  readonly stamp: () => Stamp;
  readonly log: Log;
  readonly meter: Meter;
  readonly maxBodyBytes: number;
  readonly sessionTtlMs: number;
}

/** One exchange, from the first byte of the request to the last of the answer and the record of it. Never rejects. */
export async function guard(arrived: Exchange, guarding: Guarding): Promise<void> {
  const { target, session } = sessionInPath(arrived.target);
  const exchange = { ...arrived, target };
  const terms = termsFor(exchange, guarding);
  const protocol = terms.mode === "off" ? undefined : protocolFor(exchange.method, target.split("?", 1)[0] ?? "");
  try {
    if (protocol === undefined) await forward(exchange, guarding);
    else await guarded(exchange, session, protocol, { ...guarding, ...terms });
  } catch (error) {
    answerError(exchange.answer, protocol ?? fallbackProtocol, error, guarding.log);
  }
}

async function guarded(
  exchange: Exchange,
  pathSession: string | undefined,
  protocol: Protocol,
  guarding: Guarding,
): Promise<void> {
  const bytes = await exchange.body(guarding.maxBodyBytes);
  const start = guarding.clock();
  const decided = await decideSafely(exchange, pathSession, bytes, protocol, guarding);
  const { plan } = decided;
  const ownMs = guarding.clock() - start;
  const answer = tellVerdict(exchange.answer, plan.verdict, ownMs);
  const observed = await carryOut(plan, { ...exchange, answer }, bytes, protocol, guarding);
  guarding.meter.exchange(plan.verdict.verdict, ownMs / 1000);
  logExchange(guarding.log, plan.verdict, observed, ownMs);
  await recordSafely(decided, answeredBy(observed, protocol), guarding);
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

/** The answer as its thread is found again by it: by its id only where requests can name one. */
function answeredBy({ answer }: Observed, protocol: Protocol): Answer | undefined {
  return answer === undefined || protocol.refersToAnswers ? answer : { ...answer, id: undefined };
}

interface Decided {
  readonly plan: Plan;
  readonly found: Kept;
  readonly considered?: Considered;
}

// --- The one catcher: whatever goes wrong in the guard itself, the traffic passes. ---

async function decideSafely(
  exchange: Exchange,
  pathSession: string | undefined,
  bytes: Uint8Array,
  protocol: Protocol,
  guarding: Guarding,
): Promise<Decided> {
  const passed: Decided = { plan: unguarded, found: nothingKept };
  try {
    const body = textOf(bytes);
    const ask = body === undefined ? undefined : protocol.read(body);
    if (body === undefined || ask === undefined) return passed;
    const named = identify(evidenceOf(exchange, pathSession, ask), ask.conversation, guarding.sign);
    const kept = await loadSafely(named, ask, guarding);
    const identity = kept?.identity ?? named;
    const found = kept?.thread ?? nothingKept;
    const elsewhere = kept === undefined ? 0 : spentElsewhere(kept.steps, found);
    const followed = follow(found.ledger, ask.conversation, { ...guarding, elsewhere });
    const considered = { body, ask, identity, followed, elsewhere, degraded: kept === undefined };
    return { plan: planFor(considered, { ...guarding, protocol }), found, considered };
  } catch (error) {
    guarding.log.error(factsOf(error), "guard-failed");
    return passed;
  }
}

/**
 * One round trip: the thread, and the session's budget if there is one; one more for a request that refers to an answer.
 * Undefined when the store fails.
 */
async function loadSafely(
  named: Identity,
  ask: Considered["ask"],
  { stores, sign, policy, log, meter }: Guarding,
): Promise<{ identity: Identity; thread: Kept; steps: number } | undefined> {
  try {
    const identity = await rejoin(stores.sessions, named, ask.body.previous_response_id, sign);
    const counted = limitsBudget(policy) ? stores.counters.read(identity.key) : undefined;
    const [thread, totals] = await Promise.all([load(stores.sessions, identity, ask.conversation, sign), counted]);
    return { identity, thread, steps: totals?.steps ?? 0 };
  } catch (error) {
    meter.storeFailed();
    log.debug(factsOf(error), "store-failed");
    return undefined;
  }
}

/** After the last byte: nothing that fails here can reach the client any more. */
async function recordSafely(
  { considered, found }: Decided,
  answer: Answer | undefined,
  guarding: Guarding,
): Promise<void> {
  if (considered === undefined) return;
  const { stores, log, meter, sign, policy, sessionTtlMs: ttlMs } = guarding;
  const { identity, followed, elsewhere } = considered;
  const { conversation } = considered.ask;
  const judge = { sign, policy, elsewhere };
  try {
    const { save: news, now } = followed;
    const entry =
      news === undefined || now === undefined
        ? undefined
        : journalEntry(identity, now, { ...guarding.stamp(), mode: guarding.mode });
    const [added] = await Promise.all([
      save(stores.sessions, identity.thread, found, followed, { conversation, judge, ttlMs }),
      answer === undefined ? undefined : leaveTrail(stores.sessions, identity, { answer, conversation }, sign, ttlMs),
      entry === undefined ? undefined : stores.journal.append(entry),
    ]);
    if (added === undefined) log.warn({ session: identity.session }, "save-given-up");
    else if (added > 0 && limitsBudget(policy)) await stores.counters.add(identity.key, { steps: added }, ttlMs);
    log.debug({ session: identity.session, steps: added }, "recorded");
  } catch (error) {
    meter.storeFailed();
    log.debug(factsOf(error), "store-failed");
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

/** What the surrounding program wants to be told: if it throws over that, it misses it, and nothing else happens. */
export function harmless<Told extends readonly unknown[]>(tell: (...told: Told) => void): (...told: Told) => void {
  return (...told) => {
    try {
      tell(...told);
    } catch {
      // There is nowhere left to tell it.
    }
  };
}

export function harmlessLog(log: Log): Log {
  const at = (level: keyof Log) => harmless((facts: object, event: string) => log[level](facts, event));
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export function harmlessMeter(meter: Meter): Meter {
  return {
    exchange: harmless((verdict, ownSeconds) => meter.exchange(verdict, ownSeconds)),
    storeFailed: harmless(() => meter.storeFailed()),
  };
}

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

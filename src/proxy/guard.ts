import {
  type AnswerFold,
  fallbackProtocol,
  type Listener,
  type Protocol,
  protocolFor,
} from "../protocols/protocols.ts";
import { nothingKept } from "../session/session.ts";
import type { AnswerSink, Exchange, Signal } from "../transport/transport.ts";
import { answerError, answerWith } from "./relay/send-reply.ts";
import { askJudge } from "./settle/ask-judge.ts";
import { askUpstream } from "./relay/ask-upstream.ts";
import { keepAnswered } from "./settle/cache-thread.ts";
import { type Asked, type Decided, decide, type Found, find, readAsk } from "./request/decide-request.ts";
import { consult } from "./settle/score-goal.ts";
import { converse } from "./intercept/intercept.ts";
import type { Conversed, Conversing } from "./intercept/context.ts";
import { termsFor } from "./request/request-metadata.ts";
import { forward } from "./relay/forward.ts";
import type { Guarded, Guarding } from "./guard-context.ts";
import { type Arrived, arrivedAs } from "./request/cache-keys.ts";
import { factsOf, type Log, logExchange } from "./log.ts";
import type { Meter } from "./meter.ts";
import type { Observed } from "./relay/observe.ts";
import { unguarded } from "./request/action.ts";
import { record } from "./settle/record.ts";
import { sessionInPath } from "./request/session-path.ts";
import { turnIn } from "./request/cached-turn.ts";
import { type Telling, tellVerdict, type Verdict } from "./relay/verdict.ts";

/**
 * One exchange, from the first byte of the request to the last of the answer and the record of it. Never rejects.
 * @param standard what an exchange is treated with on the operator's own terms
 */
export async function guard(
  arrived: Exchange,
  guarding: Guarding,
  standard: (protocol: Protocol) => Guarded,
): Promise<void> {
  const { target, session } = sessionInPath(arrived.target);
  const exchange = target === arrived.target ? arrived : { ...arrived, target };
  const terms = termsFor(exchange, guarding);
  const protocol = terms.mode === "off" ? undefined : protocolFor(exchange.method, target.split("?", 1)[0] ?? "");
  try {
    if (protocol === undefined) await forward(exchange, guarding);
    else if (terms === guarding) await guarded(exchange, session, standard(protocol));
    else await guarded(exchange, session, { ...standard(protocol), mode: terms.mode, policy: terms.policy });
  } catch (error) {
    answerError(exchange.answer, protocol ?? fallbackProtocol, error, guarding.log);
  }
}

async function guarded(exchange: Exchange, pathSession: string | undefined, guarding: Guarded): Promise<void> {
  const bytes = await exchange.body(guarding.maxBodyBytes);
  const start = guarding.clock();
  const arrived = arrivedAs(exchange, pathSession, bytes, guarding);
  const decided = turnSafely(arrived, guarding) ?? (await decideSafely(arrived, guarding));
  const ownMs = guarding.clock() - start;
  const telling = tellVerdict(exchange.answer, decided.plan.verdict, ownMs);
  const keep = once((went: Conversed) => recordSafely(decided, went, arrived, guarding));
  const going = carryOut(decided, { keep, ...telling }, exchange, bytes, guarding).finally(decided.way?.over);
  const consulted = decided.planned === undefined ? undefined : consultSafely(decided, guarding);
  const went = await going;
  const verdict = telling.verdict();
  count(verdict, went, ownMs, guarding);
  logExchange(guarding.log, verdict, went, ownMs, decided.bill?.total());
  await keep(went);
  // Only so that a platform which ends what nobody waits for lets it come to its end.
  await consulted;
}

/** The first call counts; those after it wait for that. */
function once<Given>(run: (given: Given) => Promise<void>): (given: Given) => Promise<void> {
  let running: Promise<void> | undefined;
  return (given) => {
    running ??= run(given);
    return running;
  };
}

function count(
  { verdict, intervention }: Verdict,
  { runaway }: Conversed,
  ownMs: number,
  { meter, mode }: Guarded,
): void {
  meter.exchange(verdict, ownMs / 1000);
  if (intervention !== undefined) meter.intervention(verdict, intervention.detector);
  if (runaway !== undefined) meter.intervention(mode === "observe" ? "observe:cut" : "cut", "runaway-output");
}

/** Resolves after the last byte of the answer. What the upstream does not answer is answered here. */
async function carryOut(
  { plan, considered, watch, runaway, bill }: Decided,
  { answer, tell, keep }: Telling & Pick<Conversing, "keep">,
  exchange: Exchange,
  bytes: Uint8Array,
  guarding: Guarded,
): Promise<Conversed> {
  if (plan.kind === "answer") {
    answerWith(answer, plan.status, plan.reply);
    return { status: plan.status, answer: undefined };
  }
  const fold = harmlessFold(guarding);
  const ask = (body: string | undefined, reader: AnswerSink, again = false): Promise<Observed> => {
    const { transport, upstream, mode } = guarding;
    const sent = body === undefined ? bytes : new TextEncoder().encode(body);
    const asked = (shown: typeof fold) =>
      askUpstream(exchange, reader, { transport, upstream, mode, runaway, again, body: sent, fold: shown });
    return bill === undefined ? asked(fold) : bill.charge(fold, asked);
  };
  try {
    if (considered === undefined || watch === undefined) return await ask(plan.body, answer);
    const { gone } = exchange;
    const tries = <T>(run: () => Promise<T>) => attempt(run, gone, guarding.log);
    return await converse(plan.body, answer, { ...guarding, considered, watch, ask, attempt: tries, gone, tell, keep });
  } catch (failure) {
    return { status: answerError(answer, guarding.protocol, failure, guarding.log), answer: undefined, failure };
  }
}

// --- The one catcher: whatever goes wrong in the guard itself, the traffic passes. ---

/** Undefined: it is to be read whole. */
function turnSafely(arrived: Arrived, guarding: Guarded): Decided | undefined {
  try {
    return turnIn(arrived, guarding);
  } catch (error) {
    guarding.log.error(factsOf(error), "turn-failed");
    return undefined;
  }
}

async function decideSafely({ exchange, pathSession, bytes }: Arrived, guarding: Guarded): Promise<Decided> {
  try {
    const body = textOf(bytes);
    const asked = body === undefined ? undefined : readAsk(exchange, pathSession, body, guarding);
    if (asked === undefined) return { plan: unguarded, found: nothingKept };
    return decide(asked, await findSafely(asked, guarding), guarding);
  } catch (error) {
    guarding.log.error(factsOf(error), "guard-failed");
    return { plan: unguarded, found: nothingKept };
  }
}

/** Undefined when the store fails. */
async function findSafely(asked: Asked, guarding: Guarded): Promise<Found | undefined> {
  try {
    return await find(asked, guarding);
  } catch (error) {
    guarding.meter.storeFailed();
    guarding.log.debug(factsOf(error), "store-failed");
    return undefined;
  }
}

/** After the last byte: nothing that fails here can reach the client any more. */
async function recordSafely(decided: Decided, went: Conversed, arrived: Arrived, guarding: Guarded): Promise<void> {
  try {
    if (decided.turn === undefined) return await record(decided, went, arrived, guarding);
    if (await keepAnswered(decided, went, arrived, guarding)) return;
    const whole = await decideSafely(arrived, guarding);
    whole.way?.over();
    const { way } = decided;
    await record({ ...whole, roams: true, ...(way && { way }) }, went, arrived, guarding);
  } catch (error) {
    guarding.meter.storeFailed();
    guarding.log.debug(factsOf(error), "store-failed");
  }
}

/** Beside the exchange, which neither waits for it nor hears of its failure. */
async function consultSafely(decided: Decided, guarding: Guarded): Promise<void> {
  try {
    await consult(decided, guarding, (body, endpoint) => tryJudge(() => askJudge(body, endpoint, guarding.transport)));
  } catch (error) {
    guarding.meter.storeFailed();
    guarding.log.debug(factsOf(error), "store-failed");
  }
}

/** A judge that is down has one metric of its own, and no line for each exchange. */
async function tryJudge<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch {
    // Its outcome is counted as failed where it was asked.
    return undefined;
  }
}

/** For what can be done without. */
async function attempt<T>(run: () => Promise<T>, gone: Signal, log: Log): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!gone.aborted) log.warn(factsOf(error), "intercept-failed");
    return undefined;
  }
}

/** A fold that throws has lost the thread; the bytes have not. */
function harmlessFold({ protocol, log }: Guarded): (contentType: string, listener?: Listener) => AnswerFold {
  let lost = false;
  const look = <T>(run: () => T): T | undefined => {
    if (lost) return undefined;
    try {
      return run();
    } catch (error) {
      lost = true;
      log.error(factsOf(error), "fold-failed");
      return undefined;
    }
  };
  return (contentType, listener) => {
    const fold = look(() => protocol.fold(contentType, listener));
    return {
      push: (bytes) => look(() => fold?.push(bytes)),
      end: () => look(() => fold?.end()),
      close: () => look(() => fold?.close()),
    };
  };
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
    intervention: harmless((rung, detector) => meter.intervention(rung, detector)),
    storeFailed: harmless(() => meter.storeFailed()),
    judged: harmless((outcome, seconds, tokens) => meter.judged(outcome, seconds, tokens)),
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

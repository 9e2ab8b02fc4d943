import { type AnswerTap, factsOf, type Log, type Meter } from "../evaluation/evaluation.ts";
import { answerReader, type Protocol } from "../protocols/protocols.ts";
import type { Signal } from "../transport/transport.ts";

/* The catcher: whatever goes wrong in the guard itself, the traffic passes. */

/** Runs a stage of the guard; where it fails, `otherwise` takes its place. */
export async function failOpen<T>(run: () => Promise<T>, otherwise: () => T, log: Log): Promise<T> {
  try {
    return await run();
  } catch (error) {
    log.error(factsOf(error), "guard-failed");
    return otherwise();
  }
}

/** Undefined where an optional step on the answer fails. */
export async function attempt<T>(run: () => Promise<T>, gone: Signal, log: Log): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!gone.aborted) log.warn(factsOf(error), "intercept-failed");
    return undefined;
  }
}

/** Tap of the answer to a request at this path and query, so that a reader's failure does not disturb the bytes. */
export function answerTap(protocol: Protocol, target: string, log: Log): AnswerTap {
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
    const reader = look(() => answerReader(protocol, contentType, listener, target));
    return {
      get framing() {
        return look(() => reader?.framing);
      },
      push: (bytes) => look(() => reader?.push(bytes)),
      unread: () => look(() => reader?.unread()) ?? 0,
      end: () => look(() => reader?.end()),
      close: (acts) => look(() => reader?.close(acts)),
    };
  };
}

/** Wraps a callback of the surrounding program, so that its exceptions have no effect here. */
export function noThrow<Given extends readonly unknown[]>(call: (...args: Given) => void): (...given: Given) => void {
  return (...args) => {
    try {
      call(...args);
    } catch {
      // There is nowhere left to report it.
    }
  };
}

export function noThrowLog(log: Log): Log {
  const at = (level: keyof Log) => noThrow((facts: object, event: string) => log[level](facts, event));
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export function noThrowMeter(meter: Meter): Meter {
  return {
    exchange: noThrow((...exchange) => meter.exchange(...exchange)),
    works: noThrow((phase, bytes) => meter.works?.(phase, bytes)),
    changeRefused: noThrow((instead) => meter.changeRefused?.(instead)),
    passed: noThrow((endpoint) => meter.passed?.(endpoint)),
    intervention: noThrow((...intervention) => meter.intervention(...intervention)),
    spent: noThrow((tokens, under) => meter.spent(tokens, under)),
    rated: noThrow((word, detector) => meter.rated?.(word, detector)),
    failed: noThrow((code) => meter.failed(code)),
    storeFailed: noThrow(() => meter.storeFailed()),
    judged: noThrow((outcome, seconds, tokens) => meter.judged(outcome, seconds, tokens)),
  };
}

import { UnloopError } from "../errors.ts";
import { type AnswerListener, type AnswerReader, answerReader } from "../protocols/protocols.ts";
import type { Signal } from "../transport/transport.ts";
import type { ExchangeContext, GuardContext } from "./guard-context.ts";
import { factsOf, type Log } from "./log.ts";
import type { Meter } from "./meter.ts";

/* What runs beside an exchange and may fail without it: the guard's catcher in pieces. */

/** Runs what may fail, such as telling a store, where no exchange waits for it. */
export function quietly({ log, meter }: Pick<GuardContext, "log" | "meter">) {
  return async (run: () => Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      tellFailure(error, { log, meter });
    }
  };
}

/** Tells of what failed beside an exchange. A store that fails has a metric and a line of its own; anything else is a bug here. */
export function tellFailure(error: unknown, { log, meter }: Pick<GuardContext, "log" | "meter">): void {
  if (!(error instanceof UnloopError && error.code === "store_unavailable")) {
    log.error(factsOf(error), "guard-failed");
    return;
  }
  meter.storeFailed();
  log.debug(factsOf(error), "store-failed");
}

/** Catches failures of optional work. */
export async function attempt<T>(run: () => Promise<T>, gone: Signal, log: Log): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!gone.aborted) log.warn(factsOf(error), "intercept-failed");
    return undefined;
  }
}

/** Wraps an answer reader, so that its failure does not disturb the bytes. */
export function harmlessFold({
  protocol,
  log,
}: ExchangeContext): (contentType: string, listener?: AnswerListener) => AnswerReader {
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
    const fold = look(() => answerReader(protocol, contentType, listener));
    return {
      push: (bytes) => look(() => fold?.push(bytes)),
      unread: () => look(() => fold?.unread()) ?? 0,
      end: () => look(() => fold?.end()),
      close: () => look(() => fold?.close()),
    };
  };
}

/** Wraps a callback of the surrounding program, so that its exceptions have no effect here. */
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
    exchange: harmless((...exchange) => meter.exchange(...exchange)),
    forwardedFirst: harmless((outcome) => meter.forwardedFirst?.(outcome)),
    intervention: harmless((rung, detector) => meter.intervention(rung, detector)),
    spent: harmless((tokens, under) => meter.spent(tokens, under)),
    failed: harmless((code) => meter.failed(code)),
    storeFailed: harmless(() => meter.storeFailed()),
    judged: harmless((outcome, seconds, tokens) => meter.judged(outcome, seconds, tokens)),
  };
}

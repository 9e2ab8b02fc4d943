import type { Log, Meter } from "../evaluation/evaluation.ts";

/** Wraps a callback of the surrounding program, so that its exceptions have no effect here. */
export function harmless<Given extends readonly unknown[]>(call: (...given: Given) => void): (...given: Given) => void {
  return (...given) => {
    try {
      call(...given);
    } catch {
      // There is nowhere left to report it.
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

import type { Log, Meter } from "../evaluation/evaluation.ts";

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

/** The part of AbortSignal that an exchange uses. A real one fits, but making one per exchange, and joining two, is half the cost of a pass-through. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface Abortable extends Signal {
  /** Only the first call counts. */
  abort(reason: unknown): void;
}

/** @param earlier aborts this one too */
export function abortable(earlier?: Signal): Abortable {
  let listeners: readonly (() => void)[] = [];
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener(_: "abort", listener: () => void) {
      listeners = [...listeners, listener];
    },
    removeEventListener(_: "abort", listener: () => void) {
      listeners = listeners.filter((one) => one !== listener);
    },
    abort(reason: unknown) {
      if (signal.aborted) return;
      signal.aborted = true;
      signal.reason = reason;
      for (const listener of listeners) listener();
      listeners = [];
    },
  };
  if (earlier?.aborted === true) signal.abort(earlier.reason);
  else earlier?.addEventListener("abort", () => signal.abort(earlier.reason));
  return signal;
}

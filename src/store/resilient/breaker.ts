/** State of a circuit breaker: `open` lets no command through. */
export type BreakerState = "closed" | "open";

export interface Breaker {
  /** Whether the next command may be sent. `probe` when all depends on it: exactly one is sent then. */
  admit(): "yes" | "probe" | "no";
  succeeded(admitted: "yes" | "probe"): void;
  failed(admitted: "yes" | "probe", reason: string): void;
  /** The command was never sent, so it says nothing about the other side. */
  withdrawn(admitted: "yes" | "probe"): void;
}

export interface BreakerOptions {
  /** Failures in a row that open the breaker. */
  readonly failures: number;
  /** Pause for which the breaker stays open before the next command is a probe. */
  readonly pauseMs: number;
  readonly now: () => number;
  /** Called once for each change. */
  readonly onChange: (state: BreakerState, reason: string) => void;
}

type BreakerPhase =
  | { readonly kind: "closed"; readonly failures: number }
  | { readonly kind: "open"; readonly until: number }
  | { readonly kind: "probing" };

/** Circuit breaker: stops sending commands to a failing store, and probes with a single one whether it is back. */
export function breaker({ failures, pauseMs, now, onChange }: BreakerOptions): Breaker {
  let state: BreakerPhase = { kind: "closed", failures: 0 };
  return {
    admit() {
      if (state.kind === "closed") return "yes";
      if (state.kind === "probing" || now() < state.until) return "no";
      state = { kind: "probing" };
      return "probe";
    },
    succeeded(admitted) {
      // One that was sent before it opened says nothing about now.
      if (admitted === "yes" && state.kind !== "closed") return;
      state = { kind: "closed", failures: 0 };
      if (admitted === "probe") onChange("closed", "it answers again");
    },
    failed(admitted, reason) {
      if (admitted === "probe") {
        state = { kind: "open", until: now() + pauseMs };
      } else if (state.kind === "closed") {
        const count = state.failures + 1;
        const opens = count >= failures;
        state = opens ? { kind: "open", until: now() + pauseMs } : { kind: "closed", failures: count };
        if (opens) onChange("open", reason);
      }
    },
    withdrawn(admitted) {
      if (admitted === "probe") state = { kind: "open", until: now() };
    },
  };
}

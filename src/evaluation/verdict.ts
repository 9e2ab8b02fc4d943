import type { Mode } from "../config/config.ts";
import type { LoopCounter } from "../policy/policy.ts";
import type { Intervention } from "../session/session.ts";
import type { ExchangeOutcome } from "./outcome.ts";

/** Verdict: what the guard did to an exchange, as every guarded answer's headers say. */
export interface Verdict {
  /** `ok`, a rung, `cut`, either behind `observe:`, `contained`, `unguarded`, `refused` or `degraded`. */
  readonly verdict: string;
  readonly session?: string;
  /** Label of the session in logs: a client's own id may be a secret. */
  readonly label?: string;
  readonly source?: string;
  /** Steps that were read from its request: where that is never any, `ok` does not mean that the run is watched. */
  readonly steps?: number;
  /** Where none was read: the kind of the first entry of its history that is not understood. */
  readonly unread?: string;
  /** There is more in its request than the budget lets be read. */
  readonly read?: "partly";
  readonly intervention?: Intervention;
  /** Counter of a loop without an intervention so far. */
  readonly counter?: LoopCounter;
  /** Earlier notes that this request carries again in their places. */
  readonly sticky?: number;
}

/** What an answer's head tells of what was done about it. */
type Reported = Pick<ExchangeOutcome, "intervention" | "contained" | "unsaid">;

/** The verdict where something was done about the answer itself; `planned` where nothing was. */
export function verdictAfter(planned: Verdict, { intervention: placed, contained, unsaid }: Reported): Verdict {
  if (contained === true) return containedVerdict(planned);
  if (placed === undefined) return unsaid === true ? unsaidVerdict(planned) : planned;
  return { ...planned, intervention: placed.intervention, verdict: placed.intervention.rung };
}

function unsaidVerdict({ intervention, sticky: _, ...planned }: Verdict): Verdict {
  return intervention === undefined ? planned : { ...planned, verdict: "ok" };
}

/** The verdict where an operator has ended the session: whatever the guard had planned came to nothing. */
export function containedVerdict({ session, label, source }: Verdict): Verdict {
  return {
    verdict: "contained",
    ...(session !== undefined && { session }),
    ...(label !== undefined && { label }),
    ...(source !== undefined && { source }),
  };
}

/** The verdict once the exchange is over. An answer that was cut off behind its head, which had said `ok` by then: `cut`, or `observe:cut`. */
export function finalVerdict(planned: Verdict, outcome: ExchangeOutcome, mode: Mode): Verdict {
  const verdict = verdictAfter(planned, outcome);
  if (outcome.runaway === undefined || verdict.verdict !== "ok") return verdict;
  return { ...verdict, verdict: mode === "observe" ? "observe:cut" : "cut" };
}

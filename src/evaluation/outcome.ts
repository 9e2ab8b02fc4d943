import type { Intervention, PositionedIntervention } from "../session/session.ts";
import type { Answer } from "../protocols/protocols.ts";
import type { Runaway } from "../runaway/runaway.ts";
import type { Call, Step } from "../step.ts";
import type { Mode } from "../config/config.ts";
import type { LoopCounter } from "../policy/policy.ts";

/** One answer of an upstream, as it went by. */
export interface Observed {
  readonly status: number;
  readonly answer: Answer | undefined;
  readonly failure?: unknown;
  /** Repetition in a runaway answer. The answer was cut off, unless the guard only observes. */
  readonly runaway?: Runaway | undefined;
  /** An operator has ended the session while the answer was open. */
  readonly contained?: true;
  /** The API took nothing of what the guard had to say: the request went as its client meant it. */
  readonly unsaid?: true;
}

export interface ExchangeOutcome extends Observed {
  readonly intervention?: PositionedIntervention | undefined;
  /** The guard's own answer, as its reader reads it. */
  readonly own?: Step | undefined;
  /** Answer that the client received instead of the upstream's, if any. */
  readonly shown?: ShownAnswer | undefined;
}

/** An answer that upstream did not give, or not under this name. */
export interface ShownAnswer {
  /** Id under which the client knows it. */
  readonly id: string | undefined;
  readonly step: Step;
  readonly isOwn: boolean;
  /** The upstream's answer that goes before it, and calls that are asked for there and never answered. */
  readonly upstream: { readonly id: string | undefined; readonly unanswered: readonly Call[] };
}

/** Such a client is unverified, and its requests must not replace stored data of others. */
export function isRefused({ status }: Pick<ExchangeOutcome, "status">): boolean {
  return status === 401 || status === 403;
}

/** Verdict: what the guard did to an exchange, as every guarded answer's headers say. */
export interface Verdict {
  /** `ok`, a rung, `cut`, either behind `observe:`, `contained`, `unguarded`, `refused` or `degraded`. */
  readonly verdict: string;
  readonly session?: string | undefined;
  /** Label of the session in logs: a client's own id may be a secret. */
  readonly label?: string | undefined;
  readonly source?: string | undefined;
  /** Steps that were read from its request: where that is never any, `ok` does not mean that the run is watched. */
  readonly steps?: number;
  /** Where none was read: the kind of the first entry of its history that is not understood. */
  readonly unread?: string | undefined;
  readonly read?: "partly" | undefined;
  readonly intervention?: Intervention;
  readonly counter?: LoopCounter | undefined;
  /** Earlier notes that this request carries again in their places. */
  readonly sticky?: number;
}

/** The verdict where something was done about the answer itself; `planned` where nothing was. */
export function verdictAfter(
  planned: Verdict,
  { intervention: placed, contained, unsaid }: Pick<ExchangeOutcome, "intervention" | "contained" | "unsaid">,
): Verdict {
  if (contained === true) return containedVerdict(planned);
  if (placed !== undefined) return { ...planned, intervention: placed.intervention, verdict: placed.intervention.rung };
  if (unsaid !== true) return planned;
  const { intervention, sticky: _, ...rest } = planned;
  return intervention === undefined ? rest : { ...rest, verdict: "ok" };
}

/** The verdict where an operator has ended the session: whatever the guard had planned came to nothing. */
export function containedVerdict({ session, label, source }: Verdict): Verdict {
  return { verdict: "contained", session, label, source };
}

/** Once the exchange is over: an answer may have been cut off behind its head, which had said `ok` by then. */
export function finalVerdict(planned: Verdict, outcome: ExchangeOutcome, mode: Mode): Verdict {
  const verdict = verdictAfter(planned, outcome);
  if (outcome.runaway === undefined || verdict.verdict !== "ok") return verdict;
  return { ...verdict, verdict: mode === "observe" ? "observe:cut" : "cut" };
}

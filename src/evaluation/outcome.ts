import type { PositionedIntervention } from "../session/session.ts";
import type { Answer } from "../protocols/protocols.ts";
import type { Runaway } from "../runaway/runaway.ts";
import type { Call, Step } from "../step.ts";

/** One answer of an upstream, as it was seen while it went by. */
export interface Observed {
  /** HTTP status; 0 if no head ever came. */
  readonly status: number;
  /** Undefined if the answer could not be understood. */
  readonly answer: Answer | undefined;
  /** Why it broke off, if it did. */
  readonly failure?: unknown;
  /** Repetition in a runaway answer. The answer was cut off, unless the guard only observes. */
  readonly runaway?: Runaway | undefined;
  /** Set if an operator ended the session while the answer was open. */
  readonly contained?: true;
  /** Set if the API took nothing of what the guard had to say, so that the request went as its client meant it. */
  readonly unsaid?: true;
}

/** Outcome of an exchange: how it went, and what was done about its answer. */
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
  /** Said by the guard, and not by upstream. */
  readonly isOwn: boolean;
  /** The upstream's answer that goes before it, and calls that are asked for there and never answered. */
  readonly upstream: { readonly id: string | undefined; readonly unanswered: readonly Call[] };
}

/** Whether the upstream refused the key. Such a client is unverified, and its requests must not replace stored data of others. */
export function isRefused({ status }: Pick<ExchangeOutcome, "status">): boolean {
  return status === 401 || status === 403;
}

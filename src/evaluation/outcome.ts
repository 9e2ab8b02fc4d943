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
  /** What it repeated, if that was too much: it was cut off for it, unless the guard only observes. */
  readonly runaway?: Runaway | undefined;
  /** It was ended because an operator has ended the session. */
  readonly contained?: true;
}

/** Outcome of an exchange: how it went, and what was done about its answer. */
export interface ExchangeOutcome extends Observed {
  readonly intervention?: PositionedIntervention | undefined;
  /** The guard's own answer, as its reader reads it. */
  readonly own?: Step | undefined;
  /** What its reader has in the place of upstream's answer, if that is another one. */
  readonly shown?: ShownAnswer | undefined;
}

/** An answer that upstream did not give, or not under this name. */
export interface ShownAnswer {
  /** By which its reader knows it. */
  readonly id: string | undefined;
  readonly step: Step;
  /** Said by the guard, and not by upstream. */
  readonly isOwn: boolean;
  /** The upstream's answer that goes before it, and calls that are asked for there and never answered. */
  readonly upstream: { readonly id: string | undefined; readonly unanswered: readonly Call[] };
}

/** Whoever has no valid key is a stranger: nothing of it takes the place of what is stored of others. */
export function isRefused({ status }: Pick<ExchangeOutcome, "status">): boolean {
  return status === 401 || status === 403;
}

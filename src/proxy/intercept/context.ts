import type { OwnAnswer } from "../../evaluation/act/interventions.ts";
import type { Policy } from "../../policy/policy.ts";
import { finalFormat, type ParsedRequest, type Protocol, type Stamp } from "../../protocols/protocols.ts";
import type { PositionedIntervention, Lookahead } from "../../session/session.ts";
import type { Call, Step } from "../../step.ts";
import type { AnswerSink, Signal } from "../../transport/transport.ts";
import type { HeldAnswer } from "./holdback.ts";
import type { Log } from "../log.ts";
import type { Observed } from "../relay/observe.ts";
import type { JudgedRequest } from "../../evaluation/act/action.ts";

/** Context for intercepting an answer. */
export interface InterceptContext {
  readonly considered: JudgedRequest;
  readonly lookahead: Lookahead;
  readonly protocol: Protocol;
  readonly policy: Policy;
  readonly stamp: () => Stamp;
  readonly log: Log;
  /**
   * One request upstream, its answer to `reader`. Rejects if no answer ever began.
   * @param body in place of the client's @param again it must not be taken for a retry of the one before
   */
  readonly ask: (body: string | undefined, reader: AnswerSink, again?: boolean) => Promise<Observed>;
  /** Undefined where it rejects. */
  readonly attempt: <T>(run: () => Promise<T>) => Promise<T | undefined>;
  /** Where an operator has ended the session while the answer was kept. */
  readonly containedAnswer: () => OwnAnswer | undefined;
  /** Aborted when the client hangs up. */
  readonly gone: Signal;
  /** Told what is done about the answer, before its reader sees any of that. */
  readonly tell: (made: PositionedIntervention | undefined) => void;
  /** Keeps how it went, once; what is not kept here is kept behind the last byte. */
  readonly keep: (went: ExchangeOutcome) => Promise<void>;
}

/**
 * What is said may not go through before it is known what follows: it may be what is done, or it has to be one text of a
 * demanded form, which words before a call that was kept back would spoil.
 */
export function wordsAct(request: ParsedRequest): boolean {
  const format = finalFormat(request);
  const isWhole = format.kind === "dialect" && format.dialect.isWhole === true;
  return request.hasTextActions || isWhole || format.kind === "schema" || format.kind === "json";
}

/** How an exchange went, and what was done about its answer. */
export interface ExchangeOutcome extends Observed {
  readonly made?: PositionedIntervention | undefined;
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

/** An answer that its reader does not have yet. */
export interface HeldExchange {
  readonly held: HeldAnswer;
  readonly observed: Observed;
}

import type {
  Change,
  ExchangeOutcome,
  Interception,
  Observed,
  OwnAnswer,
  RequestContext,
} from "../../evaluation/evaluation.ts";
import { finalFormat, type ParsedRequest } from "../../protocols/protocols.ts";
import type { AnswerSink, Signal } from "../../transport/transport.ts";
import type { HeldAnswer } from "./holdback.ts";

/** Context for intercepting an answer. */
export interface InterceptContext extends Interception {
  readonly context: RequestContext;
  /**
   * One request upstream, its answer to `reader`. Rejects if no answer ever began.
   * @param change undefined: as the request came
   */
  readonly ask: (change: Change | undefined, reader: AnswerSink) => Promise<Observed>;
  /** Undefined where it rejects. */
  readonly attempt: <T>(run: () => Promise<T>) => Promise<T | undefined>;
  /** Where an operator has ended the session while the answer was kept. */
  readonly containedAnswer: () => OwnAnswer | undefined;
  /** Aborted when the client hangs up. */
  readonly gone: Signal;
  /** Told what is done about the answer, before its reader sees any of that. */
  readonly report: (outcome: Pick<ExchangeOutcome, "intervention" | "contained">) => void;
  /** Saves how it went, once; what is not saved here is saved behind the last byte. */
  readonly save: (outcome: ExchangeOutcome) => Promise<void>;
}

/**
 * What is said may not go through before it is known what follows: it may be what is done, or it has to be one text of a
 * demanded form, which words before a call that was kept back would spoil.
 */
export function mustBufferText(request: ParsedRequest): boolean {
  const format = finalFormat(request);
  const isWhole = format.kind === "dialect" && format.dialect.isWhole === true;
  return request.hasTextActions || isWhole || format.kind === "schema" || format.kind === "json";
}

/** An answer that its reader does not have yet. */
export interface HeldExchange {
  readonly held: HeldAnswer;
  readonly observed: Observed;
}

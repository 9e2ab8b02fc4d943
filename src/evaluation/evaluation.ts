import type { UnloopError } from "../errors.ts";
import type { RunawayTerms } from "../policy/policy.ts";
import type { Answer, ParsedRequest } from "../protocols/protocols.ts";
import type { Identity, Ledger, Lookahead, PositionedIntervention } from "../session/session.ts";
import type { SessionKey } from "../store/store.ts";
import type { RequestAction } from "./act/action.ts";
import type { ChangedRequest, OwnAnswer } from "./act/interventions.ts";
import type { RequestContext } from "./context.ts";
import type { SendUpstream } from "../judge/judge.ts";
import type { HowRead } from "./meter.ts";
import type { ExchangeOutcome } from "./outcome.ts";
import type { UsageMeter } from "./usage-meter.ts";

export { failureOf } from "./act/action.ts";
export { type Change, changedRequest, type OwnAnswer, ownAnswer } from "./act/interventions.ts";
export { inBackground, optionally, orUndefined } from "./background.ts";
export * from "./context.ts";
export { evaluate, evaluateHistory, unguardedTurn } from "./evaluate.ts";
export { factsOf, type Log, type Meter, noMeter, type TokenUsage, type UsageLabels } from "./meter.ts";
export * from "./outcome.ts";
export { fieldOf, headerMetadata, type IncomingRequest, incomingRequest } from "./read/incoming-request.ts";
export { readRecorded } from "./read/bounded-body.ts";
export type { AnswerTap, MeteredUsage } from "./usage-meter.ts";
export { finalVerdict, type Verdict, verdictAfter } from "./outcome.ts";

/** Turn: what is decided about one request, without any transport. */
export interface Turn {
  /** Context after rules and rollout, which depend on model and session. */
  readonly context: RequestContext;
  readonly read: HowRead;
  /** Of a request that was not read: there was more in it than may be. */
  readonly why?: "size";
  readonly action: RequestAction;
  /** Undefined where the request was not read: it passes, and nothing is recorded of it. */
  readonly run: EvaluatedRun | undefined;
}

interface EvaluatedRun {
  readonly identity: Identity;
  /** Its thread with the request's last step counted. */
  readonly tip: Ledger;
  readonly request: ParsedRequest | undefined;
  /** Undefined where its answer cannot complete a loop. */
  readonly interception: Interception | undefined;
  /** Undefined where its answer may repeat itself. */
  readonly runaway: RunawayTerms | undefined;
  readonly usageMeter: UsageMeter | undefined;
  /** The bytes to send for a body that was edited, with all that was left out of it; for undefined those that came. */
  sent(body: string | undefined): Uint8Array;
  /** The session that an answer is counted under. */
  sessionKey(answer: Answer | undefined): SessionKey;
  /** Calls back if an operator ends the session while its exchange is open. @returns what ends the watch */
  watchContainment(end: (reason: UnloopError) => void): () => void;
  /** The answer where an operator has ended the session; undefined where none has. */
  containedAnswer(): OwnAnswer | undefined;
  /** Whether the requests of this client never show a step, so that no loop can be seen; to be asked once. */
  noteStepless(): boolean;
  /** Asks judges beside the exchange, which does not wait for it. Undefined where there is nothing to ask. Never rejects. */
  consult(send: SendUpstream): Promise<void> | undefined;
  /** Saves what the exchange has shown of its thread, once: what is saved before the last byte is not saved again. Never rejects. */
  save(outcome: ExchangeOutcome): Promise<void>;
  /** Saves, and reports the exchange to operators. Never rejects. */
  record(outcome: ExchangeOutcome): Promise<void>;
  /** The answer has ended, however it did. */
  close(): void;
}

export interface Interception {
  readonly evaluated: ChangedRequest;
  readonly lookahead: Lookahead;
  /** What calls lead to that are made all the same where the run was made to finish; undefined for any other rung. */
  afterForceDone(placed: PositionedIntervention): Lookahead | undefined;
}

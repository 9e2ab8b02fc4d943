import {
  type Turn,
  type ExchangeOutcome,
  fieldOf,
  isRefused,
  type Placement,
  type Verdict,
} from "../evaluation/evaluation.ts";
import type { Intervention, Ledger } from "../session/session.ts";
import type { SessionKey, ThreadKey } from "../store/store.ts";
import type { AnswerSink, Exchange } from "../transport/transport.ts";
import { UnloopError } from "../errors.ts";

/** Report of a guarded exchange: no text of the conversation, no credential. */
export interface ExchangeReport {
  /** Name of the wire format. */
  readonly wire: string;
  /** Undefined where nothing was sent: the guard has answered itself. */
  readonly upstream: URL | undefined;
  /** Undefined where the request names none, or was not read whole. */
  readonly model: string | undefined;
  readonly session: string | undefined;
  /** Its key in the directory, which no other tenant's session has; undefined where it was not named. */
  readonly sessionKey: SessionKey | undefined;
  readonly mode: string;
  readonly policy: string;
  /** Where the operator's configuration puts it. */
  readonly placement: Placement;
  readonly verdict: string;
  readonly intervention: Intervention | undefined;
  /** 0 when no answer came. */
  readonly status: number;
  /** Why the answer broke off, or never began; a stable code. */
  readonly failure: string | undefined;
  readonly responseId: string | undefined;
  /** The model that answered, as the upstream names it. */
  readonly responseModel: string | undefined;
  readonly finishReason: string | undefined;
  readonly usage: ReportedUsage | undefined;
  /** The answer was cut off, or would have been, because it repeated itself. */
  readonly cut: boolean;
  /** The guard's own time before forwarding. Milliseconds. */
  readonly ownMs: number;
  /** From the request's arrival to the answer's first byte; undefined where none came. Milliseconds. */
  readonly firstByteMs: number | undefined;
  /** From the request's arrival to the answer's last byte. Milliseconds. */
  readonly durationMs: number;
  /** The thread with the request's last step counted; undefined where it was not read, or the upstream refused the key. */
  readonly run: ReportedRun | undefined;
  /** The trace that the client is in, as W3C Trace Context has it. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

export interface ReportedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
}

/** What is known of a thread: no texts, but what the detectors compare. Its last step may still get an outcome. */
export interface ReportedRun extends Pick<Ledger, "total" | "window" | "requestedRepeats" | "compactions"> {
  readonly thread: ThreadKey;
}

/** Told of each guarded exchange behind its last byte. What it throws is ignored. */
export type ExchangeObserver = (report: ExchangeReport) => void;

interface FinishedExchange {
  readonly evaluation: Turn;
  readonly verdict: Verdict;
  readonly outcome: ExchangeOutcome;
  readonly ownMs: number;
}

/** Watches one exchange for a report. */
export interface ReportedExchange {
  readonly answer: AnswerSink;
  /** Tells the observer. */
  report(finished: FinishedExchange): void;
}

/** Times an exchange from here on. @param clock milliseconds, monotonic */
export function reportedExchange(
  exchange: Exchange,
  {
    upstream,
    clock,
    observer,
  }: { readonly upstream: URL; readonly clock: () => number; readonly observer: ExchangeObserver },
): ReportedExchange {
  const start = clock();
  let firstByteMs: number | undefined;
  return {
    answer: timedAnswer(exchange.answer, () => {
      firstByteMs ??= clock() - start;
    }),
    report({ evaluation, verdict, outcome, ownMs }) {
      const { protocol, mode, policy, placement } = evaluation.context;
      const { status, answer, failure, runaway } = outcome;
      observer({
        wire: protocol.name,
        upstream: evaluation.action.kind === "answer" ? undefined : upstream,
        model: evaluation.request?.model,
        session: verdict.label,
        sessionKey: evaluation.sessionKey(answer),
        mode,
        policy: policy.name,
        placement,
        verdict: verdict.verdict,
        intervention: verdict.intervention,
        status,
        failure: failure === undefined ? undefined : failureCode(failure),
        responseId: answer?.id,
        responseModel: answer?.model,
        finishReason: answer?.finishReason,
        usage: evaluation.usageMeter?.total() ?? answer?.usage,
        cut: runaway !== undefined,
        ownMs,
        firstByteMs,
        durationMs: clock() - start,
        run: isRefused(outcome) ? undefined : evaluation.run && { ...evaluation.run.tip, ...evaluation.run.identity },
        traceparent: fieldOf(exchange, "traceparent"),
        tracestate: fieldOf(exchange, "tracestate"),
      });
    },
  };
}

function timedAnswer(answer: AnswerSink, written: () => void): AnswerSink {
  return {
    head: (status, fields) => answer.head(status, fields),
    write(bytes) {
      written();
      return answer.write(bytes);
    },
    end: () => answer.end(),
    fail: (reason) => answer.fail(reason),
    ownFields: answer.ownFields,
  };
}

/** A stable code for an answer that broke off, or never began. */
export function failureCode(failure: unknown): string {
  return failure instanceof UnloopError ? failure.code : "upstream_broke_off";
}

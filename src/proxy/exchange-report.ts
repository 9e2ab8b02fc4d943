import type { Intervention } from "../session/session.ts";
import type { SessionKey } from "../store/store.ts";
import type { AnswerSink, Exchange } from "../transport/transport.ts";
import { failureCode } from "./failure-code.ts";
import type { ExchangeContext, Placement } from "./guard-context.ts";
import type { ExchangeOutcome } from "./intercept/context.ts";
import type { Verdict } from "./relay/verdict.ts";
import type { Decided } from "../evaluation/whole-history.ts";
import { fieldOf } from "../evaluation/read/request-metadata.ts";

/** What a guarded exchange came to. Facts alone: no text of the conversation, no credential. */
export interface ExchangeReport {
  /** Name of the wire format. */
  readonly wire: string;
  readonly upstream: URL;
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
  /** The trace that the client is in, as W3C Trace Context has it. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

export interface ReportedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
}

/** Told of each guarded exchange behind its last byte. What it throws is ignored. */
export type ExchangeObserver = (report: ExchangeReport) => void;

export interface ToldExchange {
  readonly decided: Decided;
  readonly verdict: Verdict;
  readonly went: ExchangeOutcome;
}

/** Watches one exchange for a report. */
export interface ReportedExchange {
  readonly answer: AnswerSink;
  /** @param context that of the exchange's model and session, where these decide */
  report(told: ToldExchange, ownMs: number, context: ExchangeContext): ExchangeReport;
}

/** Times an exchange from here on. */
export function reportedExchange(exchange: Exchange, { clock }: Pick<ExchangeContext, "clock">): ReportedExchange {
  const start = clock();
  let firstByteMs: number | undefined;
  return {
    answer: timedAnswer(exchange.answer, () => {
      firstByteMs ??= clock() - start;
    }),
    report({ decided, verdict: told, went }, ownMs, { protocol, upstream, mode, policy, placement }) {
      const { verdict, label: session, intervention } = told;
      const { status, answer, failure, runaway } = went;
      return {
        wire: protocol.name,
        upstream,
        model: decided.kind === "judged" ? decided.considered.request.model : undefined,
        session,
        sessionKey: sessionKeyOf(decided, went),
        mode,
        policy: policy.name,
        placement,
        verdict,
        intervention,
        status,
        failure: failure === undefined ? undefined : failureCode(failure),
        responseId: answer?.id,
        finishReason: answer?.finishReason,
        usage: (decided.kind === "judged" ? decided.usageMeter?.total() : undefined) ?? answer?.usage,
        cut: runaway !== undefined,
        ownMs,
        firstByteMs,
        durationMs: clock() - start,
        traceparent: fieldOf(exchange, "traceparent"),
        tracestate: fieldOf(exchange, "tracestate"),
      };
    },
  };
}

function sessionKeyOf(decided: Decided, { answer }: ExchangeOutcome): SessionKey | undefined {
  if (decided.kind === "unread") return undefined;
  if (decided.kind === "judged") return decided.budgetKey(answer) ?? decided.considered.identity.key;
  return decided.turn.before.identity.key;
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
  };
}

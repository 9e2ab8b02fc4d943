import { UnloopError } from "../../errors.ts";
import { factsOf, failureOf, type Log, type Meter, type Verdict, verdictAfter } from "../../evaluation/evaluation.ts";
import type { Protocol, Reply } from "../../protocols/protocols.ts";
import type { UnreadReason } from "../http/request-body.ts";
import type { AnswerSink, Exchange, Fields } from "../../transport/transport.ts";
import { BoundedMap } from "../../text/bounded-map.ts";

/** An answer of our own. @param retryAfterS when a passing refusal is over, in seconds */
export function answerWith(
  answer: AnswerSink,
  status: number,
  { body, contentType }: Reply,
  retryAfterS: number | undefined = 1,
): void {
  const bytes = new TextEncoder().encode(body);
  answer.head(status, {
    "content-type": contentType,
    "content-length": String(bytes.byteLength),
    // A refusal must not be sent again by an SDK: that would feed the loop.
    ...((status === 400 || status === 402) && { "x-should-retry": "false" }),
    ...((status === 503 || status === 429) && { "retry-after": String(retryAfterS) }),
    ...answer.ownFields?.(),
  });
  void answer.write(bytes);
  answer.end();
}

/** Tells the client what went wrong, in the shape of the API it speaks. @returns the status; 0 for a client that has left */
export function answerError(
  answer: AnswerSink,
  protocol: Protocol,
  error: unknown,
  { log, meter }: { readonly log: Log; readonly meter: Meter },
): number {
  const refusal =
    error instanceof UnloopError ? error : new UnloopError("internal_error", "The guard failed.", { cause: error });
  if (refusal.code === "client_gone") {
    answer.fail(refusal);
    return 0;
  }
  meter.failed(refusal.code);
  if (refusal === error) log.warn(factsOf(error), "exchange-failed");
  else log.error(factsOf(error), "exchange-failed");
  answerWith(answer, refusal.status, protocol.error(failureOf(refusal), "body"), refusal.retryAfterS);
  return refusal.status;
}

export type AllowedOrigins = ReturnType<typeof allowedOrigins>;

const ALLOWING = ["access-control-allow-origin", "access-control-allow-credentials", "access-control-expose-headers"];
/** Origins that are remembered, the newest ones, and characters of each: clients write what they like. */
const MOST_ORIGINS = 1_000;
const LONGEST_ORIGIN = 512;

/** Gives each exchange what browsers let pages of its origin read, as the upstream last allowed it, so that these can read the guard's own answers, too. */
export function allowedOrigins() {
  const allowed = new BoundedMap<string, Fields>(MOST_ORIGINS);
  return (exchange: Exchange): Exchange => {
    const { answer, fields } = exchange;
    const { origin } = fields;
    if (typeof origin !== "string" || origin.length > LONGEST_ORIGIN) return exchange;
    const noting: AnswerSink = {
      ...answer,
      head(status, theirs) {
        if (theirs["access-control-allow-origin"] !== undefined)
          allowed.set(origin, { vary: "origin", ...Object.fromEntries(ALLOWING.map((name) => [name, theirs[name]])) });
        answer.head(status, theirs);
      },
      ownFields: () => allowed.get(origin) ?? {},
    };
    return { ...exchange, answer: noting };
  };
}

export type VerdictSink = Pick<ReturnType<typeof verdictSink>, "answer" | "report">;

/** Passes an answer on under a head that also tells the verdict. @param ownMs the guard's own time before forwarding */
export function verdictSink(
  answer: AnswerSink,
  planned: Verdict,
  { ownMs, unread, clock }: { ownMs: number; unread: UnreadReason | undefined; clock: () => number },
) {
  let reported: Parameters<typeof verdictAfter>[1] = {};
  let firstByteAt: number | undefined;
  const told: AnswerSink = {
    ...answer,
    head(status, fields) {
      const { verdict, session, source, steps, read, intervention, sticky } = verdictAfter(planned, reported);
      const timing = [fields["server-timing"] ?? [], `unloop;dur=${ownMs.toFixed(2)}`].flat().join(", ");
      // Spread into a literal with names of its own, they would be copied at thirty times the cost.
      const own = {
        "x-unloop-verdict": verdict,
        "x-unloop-session": session,
        "x-unloop-session-source": source,
        "x-unloop-steps": steps?.toString(),
        "x-unloop-read": read,
        "x-unloop-unread": unread,
        "x-unloop-detector": intervention?.detector,
        "x-unloop-count": intervention?.count.toString(),
        "x-unloop-sticky": (sticky || undefined)?.toString(),
        "server-timing": timing,
      };
      answer.head(status, Object.assign({}, fields, own));
    },
    write(bytes) {
      firstByteAt ??= clock();
      return answer.write(bytes);
    },
  };
  return {
    answer: told,
    /** What is done about the answer, beside what was told of that before; under its head until that is there. */
    report(done: typeof reported): void {
      reported = { ...reported, ...done };
    },
    firstByteAt: () => firstByteAt,
  };
}

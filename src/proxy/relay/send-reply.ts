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
  // A refusal must not be sent again by an SDK: that would feed the loop.
  const retry = retryFields(status, retryAfterS);
  const length = String(bytes.byteLength);
  answer.head(status, { "content-type": contentType, "content-length": length, ...retry, ...answer.ownFields?.() });
  // It is handed over whole; there is no next piece to wait with.
  void answer.write(bytes);
  answer.end();
}

function retryFields(status: number, seconds: number): Readonly<Record<string, string>> {
  if (status === 400 || status === 402) return { "x-should-retry": "false" };
  return status === 503 || status === 429 ? { "retry-after": String(seconds) } : {};
}

/**
 * Tells the client what went wrong, in the shape of the API it speaks. Only before the head of another answer.
 * Gives the status that it was told; 0 for a client that has left.
 */
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

/** What browsers let pages of other origins read, as the upstream last allowed each of them. */
export type AllowedOrigins = ReturnType<typeof allowedOrigins>;

const ALLOWING = ["access-control-allow-origin", "access-control-allow-credentials", "access-control-expose-headers"];
/** Origins that are remembered, the newest ones, and characters of each: clients write what they like. */
const MOST_ORIGINS = 1_000;
const LONGEST_ORIGIN = 512;

export function allowedOrigins() {
  const allowed = new BoundedMap<string, Fields>(MOST_ORIGINS);
  const note = (origin: string, fields: Fields) => {
    if (fields["access-control-allow-origin"] === undefined) return;
    allowed.set(origin, { vary: "origin", ...Object.fromEntries(ALLOWING.map((name) => [name, fields[name]])) });
  };
  return {
    /** An exchange whose own answers a page can read as well as the upstream's. */
    knownTo(exchange: Exchange): Exchange {
      const { answer, fields } = exchange;
      const { origin } = fields;
      if (typeof origin !== "string" || origin.length > LONGEST_ORIGIN) return exchange;
      const noting: AnswerSink = {
        ...answer,
        head(status, theirs) {
          note(origin, theirs);
          answer.head(status, theirs);
        },
        ownFields: () => allowed.get(origin) ?? {},
      };
      return { ...exchange, answer: noting };
    },
  };
}

type Reported = Parameters<typeof verdictAfter>[1];

/** An answer under whose head the verdict will stand, and a way to change that until then. */
export interface VerdictSink {
  readonly answer: AnswerSink;
  /** What is done about the answer, beside what was told of that before. */
  report(done: Reported): void;
}

/**
 * Passes an answer on under a head that also tells the verdict. `firstByteAt` on the clock; undefined as long as there is none.
 * @param ownMs the guard's own time before forwarding @param unread why nothing of the request was read
 */
export function verdictSink(
  answer: AnswerSink,
  planned: Verdict,
  ownMs: number,
  unread: UnreadReason | undefined,
  clock: () => number,
) {
  let verdict = planned;
  let reported: Reported = {};
  let firstByteAt: number | undefined;
  const sink: VerdictSink = {
    answer: {
      ...answer,
      head: (status, fields) =>
        answer.head(status, { ...fields, ...verdictFields(verdict, unread), ...timing(fields, ownMs) }),
      write(bytes) {
        firstByteAt ??= clock();
        return answer.write(bytes);
      },
    },
    report(done) {
      reported = { ...reported, ...done };
      verdict = verdictAfter(planned, reported);
    },
  };
  return { ...sink, firstByteAt: () => firstByteAt };
}

function verdictFields(
  { verdict, session, source, steps, read, intervention, sticky }: Verdict,
  unread: UnreadReason | undefined,
): Fields {
  const told = {
    verdict,
    session,
    "session-source": source,
    steps,
    read,
    unread,
    detector: intervention?.detector,
    count: intervention?.count,
    sticky: sticky || undefined,
  };
  const fields = Object.entries(told).flatMap(([name, value]) =>
    value === undefined ? [] : [[`x-unloop-${name}`, String(value)] as const],
  );
  return Object.fromEntries(fields);
}

function timing({ "server-timing": theirs = [] }: Fields, ownMs: number): Fields {
  return { "server-timing": [theirs, `unloop;dur=${ownMs.toFixed(2)}`].flat().join(", ") };
}

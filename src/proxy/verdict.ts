import type { Intervention, Placed } from "../session/session.ts";
import type { AnswerSink, Fields } from "../transport/transport.ts";

/** What the guard made of an exchange; every guarded answer carries it. */
export interface Verdict {
  /** `ok`, a rung, `observe:<rung>`, `unguarded` or `degraded`. */
  readonly verdict: string;
  readonly session?: string;
  readonly source?: string;
  readonly intervention?: Intervention;
  /** Earlier notes that this request carries again in their places. */
  readonly sticky?: number;
}

/** An answer under whose head the verdict will stand, and a way to change that until then. */
export interface Telling {
  readonly answer: AnswerSink;
  /** Of an intervention made on the answer itself; undefined: there was none after all. */
  tell(made: Placed | undefined): void;
  verdict(): Verdict;
}

/** Passes an answer on under a head that also tells the verdict. @param ownMs the guard's own time before forwarding. */
export function tellVerdict(answer: AnswerSink, planned: Verdict, ownMs: number): Telling {
  let verdict = planned;
  return {
    answer: {
      ...answer,
      head: (status, fields) => answer.head(status, { ...fields, ...verdictFields(verdict, fields, ownMs) }),
    },
    tell(made) {
      verdict =
        made === undefined ? planned : { ...planned, intervention: made.intervention, verdict: made.intervention.rung };
    },
    verdict: () => verdict,
  };
}

function verdictFields(
  { verdict, session, source, intervention, sticky }: Verdict,
  fields: Fields,
  ownMs: number,
): Fields {
  const timing = `unloop;dur=${ownMs.toFixed(2)}`;
  const theirs = fields["server-timing"];
  return {
    "x-unloop-verdict": verdict,
    ...(session === undefined ? {} : { "x-unloop-session": session }),
    ...(source === undefined ? {} : { "x-unloop-session-source": source }),
    ...(intervention === undefined
      ? {}
      : { "x-unloop-detector": intervention.detector, "x-unloop-count": String(intervention.count) }),
    ...(sticky === undefined || sticky === 0 ? {} : { "x-unloop-sticky": String(sticky) }),
    "server-timing": theirs === undefined ? timing : [theirs, timing].flat().join(", "),
  };
}

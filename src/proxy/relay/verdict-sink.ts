import { type Verdict, verdictAfter } from "../../evaluation/evaluation.ts";
import type { UnreadReason } from "../http/request-body.ts";
import type { AnswerSink, Fields } from "../../transport/transport.ts";

type Reported = Parameters<typeof verdictAfter>[1];

/** An answer under whose head the verdict will stand, and a way to change that until then. */
export interface VerdictSink {
  readonly answer: AnswerSink;
  /** What is done about the answer, beside what was told of that before. */
  report(done: Reported): void;
}

interface Planned {
  readonly verdict: Verdict;
  /** The guard's own time before forwarding. */
  readonly ownMs: number;
  /** Why nothing of the request was read. */
  readonly unread: UnreadReason | undefined;
}

/** Passes an answer on under a head that also tells the verdict. */
export function verdictSink(answer: AnswerSink, { verdict: planned, ownMs, unread }: Planned): VerdictSink {
  let verdict = planned;
  let reported: Reported = {};
  return {
    answer: {
      head: (status, fields) => answer.head(status, withVerdict(fields, verdict, ownMs, unread)),
      write: (bytes) => answer.write(bytes),
      end: () => answer.end(),
      fail: (reason) => answer.fail(reason),
      ownFields: answer.ownFields,
    },
    report(done) {
      reported = { ...reported, ...done };
      verdict = verdictAfter(planned, reported);
    },
  };
}

/** Built up name by name: adding to a copy that a spread has made costs twenty times as much. */
function withVerdict(
  theirs: Fields,
  { verdict, session, source, steps, read, intervention, sticky }: Verdict,
  ownMs: number,
  unread: UnreadReason | undefined,
): Fields {
  const fields: Record<string, Fields[string]> = {};
  for (const name of Object.keys(theirs)) fields[name] = theirs[name];
  fields["x-unloop-verdict"] = verdict;
  if (session !== undefined) fields["x-unloop-session"] = session;
  if (source !== undefined) fields["x-unloop-session-source"] = source;
  if (steps !== undefined) fields["x-unloop-steps"] = String(steps);
  if (read !== undefined) fields["x-unloop-read"] = read;
  if (unread !== undefined) fields["x-unloop-unread"] = unread;
  if (intervention !== undefined) {
    fields["x-unloop-detector"] = intervention.detector;
    fields["x-unloop-count"] = String(intervention.count);
  }
  if (sticky !== undefined && sticky > 0) fields["x-unloop-sticky"] = String(sticky);
  const timing = `unloop;dur=${ownMs.toFixed(2)}`;
  const timings = theirs["server-timing"];
  fields["server-timing"] = timings === undefined ? timing : [timings, timing].flat().join(", ");
  return fields;
}

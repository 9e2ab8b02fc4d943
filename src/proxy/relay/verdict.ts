import type { Mode } from "../../config/config.ts";
import type { LoopCounter } from "../../policy/policy.ts";
import type { Intervention, PositionedIntervention } from "../../session/session.ts";
import type { Observed } from "./observe.ts";
import type { AnswerSink, Fields } from "../../transport/transport.ts";

/** Verdict: what the guard did to an exchange, as every guarded answer's headers say. */
export interface Verdict {
  /** `ok`, a rung, `observe:<rung>`, `unguarded`, `refused` or `degraded`. */
  readonly verdict: string;
  readonly session?: string;
  /** What that is written as in the log. */
  readonly label?: string;
  readonly source?: string;
  /** How many steps its request told: where that is never any, `ok` does not mean that it is watched. */
  readonly steps?: number;
  readonly intervention?: Intervention;
  /** How far a loop has got that nothing was done about. */
  readonly counter?: LoopCounter;
  /** Earlier notes that this request carries again in their places. */
  readonly sticky?: number;
}

/** An answer under whose head the verdict will stand, and a way to change that until then. */
export interface VerdictSink {
  readonly answer: AnswerSink;
  /** Of an intervention made on the answer itself; undefined: there was none after all. */
  tell(made: PositionedIntervention | undefined): void;
  verdict(): Verdict;
}

/** Passes an answer on under a head that also tells the verdict. @param ownMs the guard's own time before forwarding. */
export function verdictSink(answer: AnswerSink, planned: Verdict, ownMs: number): VerdictSink {
  let verdict = planned;
  return {
    answer: {
      head: (status, fields) => answer.head(status, withVerdict(fields, verdict, ownMs)),
      write: (bytes) => answer.write(bytes),
      end: () => answer.end(),
      fail: (reason) => answer.fail(reason),
    },
    tell(made) {
      verdict =
        made === undefined ? planned : { ...planned, intervention: made.intervention, verdict: made.intervention.rung };
    },
    verdict: () => verdict,
  };
}

/** Built up name by name: adding to a copy that a spread has made costs twenty times as much. */
function withVerdict(
  theirs: Fields,
  { verdict, session, source, steps, intervention, sticky }: Verdict,
  ownMs: number,
): Fields {
  const fields: Record<string, Fields[string]> = {};
  for (const name of Object.keys(theirs)) fields[name] = theirs[name];
  fields["x-unloop-verdict"] = verdict;
  if (session !== undefined) fields["x-unloop-session"] = session;
  if (source !== undefined) fields["x-unloop-session-source"] = source;
  if (steps !== undefined) fields["x-unloop-steps"] = String(steps);
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

/** The verdict of an answer that was cut off behind its head, which had said `ok` by then: `cut`, or `observe:cut`. */
export function withCut(verdict: Verdict, { runaway }: Pick<Observed, "runaway">, mode: Mode): Verdict {
  if (runaway === undefined || verdict.verdict !== "ok") return verdict;
  return { ...verdict, verdict: mode === "observe" ? "observe:cut" : "cut" };
}

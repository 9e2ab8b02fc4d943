import type { Change, Observed, RequestContext } from "../evaluation/evaluation.ts";
import type { AnswerSink } from "../transport/transport.ts";
import type { VerdictSink } from "./relay/verdict-sink.ts";

type IsStatus = (status: number) => boolean;

interface ChangeTerms extends Pick<VerdictSink, "report"> {
  /** One request upstream, its answer to the reader unless its status is unwanted. Rejects if no answer ever began. */
  readonly askOnce: (body: string, reader: AnswerSink, isUnwanted: IsStatus) => Promise<Observed>;
  readonly context: Pick<RequestContext, "memory" | "log" | "meter">;
  /** Name of what may refuse narrowings: an API and a model. */
  readonly asked: string;
  /** The plain request is only to show that the API works: a good answer to it is dropped. */
  readonly isEnding: boolean;
}

/**
 * Asks upstream in the guard's words. What the API refuses never reaches the reader as long as there is less to say: the notes
 * alone, then the plain request, whose answer passes whatever it is, since that is what the client would have heard.
 */
export async function askChanged(change: Change, reader: AnswerSink, terms: ChangeTerms): Promise<Observed> {
  const { refusedNarrowings } = terms.context.memory;
  const { narrowing } = change;
  const narrowed = `${narrowing?.kind} ${terms.asked}`;
  const isKnown = narrowing !== undefined && refusedNarrowings.has(narrowed);
  const { observed, as } = await askForms(formsOf(change, isKnown), reader, terms);
  if (as === "notes" && !isKnown && isGood(observed.status)) refusedNarrowings.note(narrowed);
  return as === "plain" ? { ...observed, unsaid: true } : observed;
}

interface Form {
  readonly as: "change" | "notes" | "plain";
  readonly body: string;
}

type Forms = readonly [Form, ...Form[]];

function formsOf({ body, narrowing, plain }: Change, isRefused: boolean): Forms {
  const plainly: readonly Form[] = plain === undefined ? [] : [{ as: "plain", body: plain }];
  if (narrowing === undefined) return [{ as: "change", body }, ...plainly];
  const notes: Forms = [{ as: "notes", body: narrowing.notes }, ...plainly];
  return isRefused ? notes : [{ as: "change", body }, ...notes];
}

async function askForms(
  [form, next, ...others]: Forms,
  reader: AnswerSink,
  terms: ChangeTerms,
): Promise<{ readonly observed: Observed; readonly as: Form["as"] }> {
  const { context, isEnding } = terms;
  const isOver = (status: number) => isEnding && form.as === "plain" && isGood(status);
  const observed = await terms.askOnce(form.body, reader, next === undefined ? isOver : isRefusal);
  if (next === undefined || !isRefusal(observed.status)) return { observed, as: form.as };
  if (next.as === "plain") terms.report({ unsaid: true });
  if (next.as !== "change") context.meter.changeRefused?.(next.as);
  context.log.warn({ status: observed.status, instead: next.as }, "change-refused");
  return askForms([next, ...others], reader, terms);
}

/** Refusals that have nothing to do with what was said: of a key, of the moment, of the rate. */
const OF_NO_REQUEST: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/** Whether it may be what was said that the API refuses. Overload and failures of gateways (503 and above) may not. */
function isRefusal(status: number): boolean {
  return status >= 400 && status <= 502 && !OF_NO_REQUEST.has(status);
}

export function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

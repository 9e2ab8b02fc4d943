import { UnloopError } from "../errors.ts";
import { askForAdvice, type SendUpstream } from "../judge/judge.ts";
import { utf8Text } from "../text/bytes.ts";
import { afterForceDone, modelRefused, unguarded, unreadAction } from "./act/action.ts";
import { containedAnswer } from "./act/interventions.ts";
import { optionally } from "./background.ts";
import type { RequestContext } from "./context.ts";
import { type Evaluation, decideOnAddition, decideOnWhole, keyAfter } from "./decide.ts";
import type { Turn } from "./evaluation.ts";
import { type Load, loadNothing, loadRun } from "./load/load-state.ts";
import { type ExchangeOutcome, finalVerdict, isRefused } from "./outcome.ts";
import { READ_BUDGET } from "./read/bounded-body.ts";
import { type IncomingRequest, mayAskAll, modelsAsked } from "./read/incoming-request.ts";
import { noteStepless, recordActivity } from "./record/activity.ts";
import { recordContained, sessionKeyOf, wasContained } from "./record/journal.ts";
import { recordExchange } from "./record/record.ts";

/** Evaluates a request: by what it adds to a thread that is known here, else whole; then by what operators have ordered for its session. */
export async function evaluate(
  incoming: IncomingRequest,
  treatment: RequestContext,
  load: Load = loadRun,
): Promise<Turn> {
  const evaluation =
    optionally(() => decideOnAddition(incoming, treatment), treatment, "turn-failed") ??
    (await decideOnWhole(incoming, treatment, load));
  if (evaluation.request === undefined) return unread(evaluation);
  const { context, action, request, merged } = evaluation;
  const isPartial = request.isPartial || merged.isPartial;
  const read = request.base !== undefined ? "tail" : isPartial ? "partly" : "whole";
  return { context, action, read, run: evaluatedRun(evaluation) };
}

/** Evaluates a request by the history alone that it carries: no store is asked, no order looked up. */
export function evaluateHistory(incoming: IncomingRequest, context: RequestContext): Promise<Turn> {
  return evaluate(incoming, context, loadNothing);
}

function evaluatedRun(evaluation: Evaluation): Turn["run"] {
  const { context, action, request, run, merged, lookahead, runaway, usageMeter } = evaluation;
  const { identity } = run;
  const save = savingOnce(evaluation);
  return {
    ...{ identity, tip: merged.tip, runaway, usageMeter, sent: request.sent },
    request: request.base === undefined ? request.whole() : undefined,
    interception: lookahead && {
      evaluated: { body: request.text(), request: request.whole(), merged },
      lookahead,
      afterForceDone: (placed) => afterForceDone(placed, request.whole(), context.policy, undefined),
    },
    sessionKey: (answer) => sessionKeyOf(evaluation, answer),
    watchContainment: (end) =>
      context.containments.watch(sessionKeyOf(evaluation, undefined), () =>
        end(new UnloopError("session_contained", "An operator has ended this session.")),
      ),
    containedAnswer() {
      const order = context.containments.of(identity.key, keyAfter(evaluation, undefined));
      return order && containedAnswer(request.whole(), order, context);
    },
    noteStepless: () => noteStepless(evaluation),
    consult: (send) => consult(evaluation, send),
    save: async (outcome) => void (await save(outcome)),
    async record(outcome) {
      const added = (await save(outcome)) ?? 0;
      // An error by which the guard ends a contained session is no upstream's word on a key.
      if (isRefused(outcome) && !wasContained(evaluation, outcome)) return;
      const verdict = finalVerdict(action.verdict, outcome, context.mode);
      await context.inBackground(() => recordActivity(evaluation, verdict, outcome, added));
    },
    close: () => evaluation.ticket.over(),
  };
}

/** Asks the policy's judge beside the exchange, for a later request to go by. Undefined where there is nothing to ask. */
function consult(evaluation: Evaluation, send: SendUpstream): Promise<void> | undefined {
  const { context, action, containment, run, request, merged, lookahead } = evaluation;
  const { identity, stored, totals, isFollowed } = run;
  const isAsked = context.policy.judge !== undefined && isFollowed && containment === undefined && !request.compacts;
  if (!isAsked || totals === undefined || action.kind !== "forward") return undefined;
  const { conversation } = request.whole();
  const asked = {
    ...{ tip: merged.tip, stored, conversation, identity, totals, budgetKey: keyAfter(evaluation, undefined) },
    ...{ isNearRung: lookahead !== undefined, upstream: { target: request.incoming.target, send } },
  };
  return context.inBackground(() => askForAdvice(asked, context)).then(() => undefined);
}

/** Saves an exchange once, whoever asks. Resolves to the number of steps that its thread has grown by. */
function savingOnce(evaluation: Evaluation) {
  const { context, run, merged } = evaluation;
  let saving: Promise<number | undefined> | undefined;
  return (outcome: ExchangeOutcome): Promise<number | undefined> => {
    const { calls } = (outcome.shown ?? outcome.answer)?.step ?? {};
    const { parallelAnswers } = context.memory;
    if (calls !== undefined) parallelAnswers.delete(run.identity.thread);
    if (calls !== undefined && calls.length > 1) parallelAnswers.set(run.identity.thread, merged.tip.total);
    const record = wasContained(evaluation, outcome) ? recordContained : recordExchange;
    saving ??= context.inBackground(() => record(evaluation, outcome));
    return saving;
  };
}

const unread = ({ context, action, why }: Pick<Turn, "context" | "action" | "why">): Turn => ({
  ...{ context, action, ...(why && { why }) },
  read: "unread",
  run: undefined,
});

/** The turn where the guard itself fails, or has no body to read: the request passes, unless its client key may not ask its models. */
export function unguardedTurn(incoming: IncomingRequest | "size" | "coding", context: RequestContext): Turn {
  const refusal = modelRefused(context.protocol);
  if (typeof incoming === "string") {
    const why = incoming === "size" ? incoming : undefined;
    return unread({ context, action: context.mayAsk === undefined ? unreadAction(context, why) : refusal });
  }
  return unread({ context, action: mayPass(incoming, context) ? unguarded : refusal });
}

function mayPass({ bytes, target }: IncomingRequest, context: RequestContext): boolean {
  const { mayAsk, protocol } = context;
  if (mayAsk === undefined) return true;
  const text = bytes.length > READ_BUDGET ? undefined : utf8Text(bytes);
  const request = text && optionally(() => protocol.parse(text, target), context, "guard-failed");
  return mayAskAll(request ? modelsAsked(request) : undefined, context);
}

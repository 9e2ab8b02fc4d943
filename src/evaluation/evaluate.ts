import type { Containment } from "../activity/activity.ts";
import { utf8Text } from "../text/bytes.ts";
import { UnloopError } from "../errors.ts";
import { noStoredLedger } from "../session/session.ts";
import { modelRefused, unguarded } from "./act/action.ts";
import { afterForceDone } from "./act/answer-watch.ts";
import { containedAnswer } from "./act/containment.ts";
import { optionally } from "./background.ts";
import type { RequestContext } from "./context.ts";
import { type ThreadContinuation, type ContinuedTurn, judgeContinuation } from "./continuation.ts";
import type { Evaluation } from "./evaluation.ts";
import { endingOnFailure } from "./in-flight.ts";
import { type ExchangeOutcome, finalVerdict, isRefused } from "./outcome.ts";
import { READ_BUDGET } from "./read/abridged-body.ts";
import type { IncomingRequest } from "./read/incoming-request.ts";
import { mayAskAll, modelsAsked } from "./read/models-asked.ts";
import { recordActivity, recordContained } from "./record/activity.ts";
import { saveTurn } from "./record/cache-thread.ts";
import { journalEvents, recordExchange } from "./record/record.ts";
import { noteStepless } from "./record/stepless-sessions.ts";
import { type RunUpdate, updateOfTurn, updateOfWhole, wasContained } from "./run-update.ts";
import { judgeWhole, type Load, type UnreadRequest, type WholeHistory } from "./whole-history.ts";

/**
 * Evaluates a request: by its new messages alone where it continues a cached thread, else whole; then by what operators have
 * ordered for its session.
 */
export async function evaluate(
  incoming: IncomingRequest,
  continuation: ThreadContinuation | undefined,
  context: RequestContext,
): Promise<Evaluation> {
  if (continuation !== undefined) {
    const turn = optionally(() => judgeContinuation(continuation, incoming), context, "turn-failed");
    if (turn !== undefined) return endingOnFailure(turn.ticket, () => evaluationOfTurn(turn, incoming));
  }
  return evaluationOf(await judgeWhole(incoming, context), incoming);
}

/** Evaluates a request by the history alone that it carries: no store is asked, no order looked up. */
export async function evaluateHistory(incoming: IncomingRequest, context: RequestContext): Promise<Evaluation> {
  return evaluationOf(await judgeWhole(incoming, beforeRollout(context), nothingStored), incoming);
}

/** A run that is not followed has no side of a rollout, and no operator's order. */
function beforeRollout(context: RequestContext): RequestContext {
  return {
    ...context,
    containments: { ...context.containments, of: () => undefined },
    bind: (model) => beforeRollout(context.bind(model)),
  };
}

const nothingStored: Load = async ({ request, named: identity }) => ({
  request,
  identity,
  thread: noStoredLedger,
  budgetKey: undefined,
  totals: {},
  isFollowed: false,
});

function evaluationOf(judged: WholeHistory | UnreadRequest, incoming: IncomingRequest): Evaluation {
  if (judged.stored === undefined) return unread(judged, incoming);
  return endingOnFailure(judged.ticket, () => evaluationOfWhole(judged, incoming));
}

function evaluationOfTurn(turn: ContinuedTurn, incoming: IncomingRequest): Evaluation {
  const update = updateOfTurn(turn);
  const { context, runaway, ticket, verdict } = turn;
  const save = async (outcome: ExchangeOutcome): Promise<number> => {
    if (isRefused(outcome)) return 0;
    const [saved] = await Promise.all([
      context.inBackground(() => saveTurn(turn, outcome, incoming)),
      journalEvents(update, outcome),
    ]);
    // What the store did not take because it failed, it takes with the next turn.
    const steps = saved ?? update.tip.total - turn.turn.before.tip.total;
    context.log.debug({ session: update.identity.label, steps }, "recorded");
    return steps;
  };
  return {
    context,
    read: "tail",
    action: { kind: "forward", verdict },
    request: undefined,
    interception: undefined,
    runaway,
    usageMeter: undefined,
    sent: () => incoming.bytes,
    noteStepless: () => false,
    consult: () => undefined,
    close: () => ticket.over(),
    // Last: to add to a copy that a spread has made costs a hundred times as much.
    ...recording(update, verdict, incoming, save),
  };
}

function evaluationOfWhole(whole: WholeHistory, incoming: IncomingRequest): Evaluation {
  const { context, action, containment, evaluated, lookahead, runaway, usageMeter } = whole;
  const update = updateOfWhole(whole);
  const judged = {
    merged: evaluated.merged,
    isForwarded: action.kind === "forward",
    isNearRung: lookahead !== undefined,
    target: incoming.target,
  };
  return {
    context,
    read: evaluated.isPartial ? "partly" : "whole",
    action,
    request: evaluated.request,
    interception: lookahead && {
      evaluated,
      lookahead,
      afterForceDone: (placed) => afterForceDone(placed, evaluated.request, context.policy, undefined),
    },
    runaway,
    usageMeter,
    sent: (body) => (body === undefined ? incoming.bytes : whole.restore(body)),
    noteStepless: () => noteStepless(evaluated, context),
    consult: (askUpstream) => (containment === undefined ? whole.advice.consult(judged, askUpstream) : undefined),
    close: () => whole.ticket.over(),
    ...recording(update, action.verdict, incoming, (outcome) => recordExchange(whole, update, outcome, incoming)),
  };
}

/** Operator's order for a run's session. */
function orderFor({ identity, context, sessionKey }: RunUpdate): Containment | undefined {
  return context.containments.of(identity.key, sessionKey(undefined));
}

type Recording = "run" | "sessionKey" | "watchContainment" | "containedAnswer" | "save" | "record";

function recording(
  update: RunUpdate,
  planned: Evaluation["action"]["verdict"],
  incoming: IncomingRequest,
  saveRun: (outcome: ExchangeOutcome) => Promise<number>,
): Pick<Evaluation, Recording> {
  const { context } = update;
  let saving: Promise<number | undefined> | undefined;
  const save = (outcome: ExchangeOutcome) => {
    const step = (outcome.shown ?? outcome.answer)?.step;
    if (step !== undefined) context.memory.parallelAnswers.note(update.identity.thread, update.tip.total, step);
    const run = () => (wasContained(update, outcome) ? recordContained(update, outcome) : saveRun(outcome));
    saving ??= context.inBackground(run);
    return saving;
  };
  return {
    run: update,
    sessionKey: update.sessionKey,
    watchContainment: (end) =>
      context.containments.watch(update.sessionKey(undefined), () =>
        end(new UnloopError("session_contained", "An operator has ended this session.")),
      ),
    containedAnswer() {
      const order = orderFor(update);
      const text = update.request === undefined ? utf8Text(incoming.bytes) : undefined;
      const request =
        update.request ?? (text === undefined ? undefined : context.protocol.parse(text, incoming.target));
      return order && request && containedAnswer(request, order, context);
    },
    save: async (outcome) => void (await save(outcome)),
    async record(outcome) {
      const added = (await save(outcome)) ?? 0;
      // An error by which the guard ends a contained session is no upstream's word on a key.
      if (isRefused(outcome) && !wasContained(update, outcome)) return;
      const verdict = finalVerdict(planned, outcome, context.mode);
      await context.inBackground(() => recordActivity(update, verdict, outcome, incoming, added));
    },
  };
}

/** A request that was not understood, or that rules leave alone: it passes, and nothing is recorded of it. */
function unread({ context, action }: UnreadRequest, { bytes }: IncomingRequest): Evaluation {
  return {
    context,
    read: "unread",
    action,
    request: undefined,
    interception: undefined,
    runaway: undefined,
    usageMeter: undefined,
    sent: () => bytes,
    run: undefined,
    sessionKey: () => undefined,
    watchContainment: () => () => undefined,
    containedAnswer: () => undefined,
    noteStepless: () => false,
    consult: () => undefined,
    save: async () => undefined,
    record: async () => undefined,
    close: () => undefined,
  };
}

/** Evaluation of a request when the guard itself fails: it passes, unless its client key may not ask its models. */
export function unguardedEvaluation(incoming: IncomingRequest, context: RequestContext): Evaluation {
  const action = mayPass(incoming, context) ? unguarded : modelRefused(context.protocol);
  return unread({ context, action, stored: undefined }, incoming);
}

function mayPass({ bytes, target }: IncomingRequest, context: RequestContext): boolean {
  const { mayAsk, protocol } = context;
  if (mayAsk === undefined) return true;
  const text = bytes.length > READ_BUDGET ? undefined : utf8Text(bytes);
  const request = text && optionally(() => protocol.parse(text, target), context, "guard-failed");
  return mayAskAll(request ? modelsAsked(request) : undefined, context);
}

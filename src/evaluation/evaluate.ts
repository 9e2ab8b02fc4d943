import { UnloopError } from "../errors.ts";
import { askForAdvice, type SendUpstream } from "../judge/judge.ts";
import { utf8Text } from "../text/bytes.ts";
import { modelRefused, unguarded, unreadAction } from "./act/action.ts";
import { containedAnswer, type OwnAnswer } from "./act/interventions.ts";
import { optionally } from "./background.ts";
import type { RequestContext } from "./context.ts";
import {
  decideOnAddition,
  decideOnWhole,
  type Evaluation,
  keyAfter,
  type Turn,
  unreadTurn,
  unreadForSize,
} from "./decide.ts";
import { type Load, loadNothing, loadRun } from "./load/load-state.ts";
import { READ_BUDGET } from "./read/bounded-body.ts";
import { type IncomingRequest, mayAskAll, modelsAsked } from "./read/incoming-request.ts";
import { sessionKeyOf } from "./record/journal.ts";

/** Evaluates a request: by what it adds to a thread that is known here, else whole; then by what operators have ordered for its session. */
export async function evaluate(
  incoming: IncomingRequest,
  treatment: RequestContext,
  load: Load = loadRun,
): Promise<Turn> {
  const quick = optionally(() => decideOnAddition(incoming, treatment), treatment, "turn-failed");
  return quick ?? decideOnWhole(incoming, treatment, load);
}

/** Evaluates a request by the history alone that it carries: no store is asked, no order looked up. */
export function evaluateHistory(incoming: IncomingRequest, context: RequestContext): Promise<Turn> {
  return evaluate(incoming, context, loadNothing);
}

/** Calls back if an operator ends the session while its exchange is open. @returns what ends the watch */
export function watchContainment(evaluation: Evaluation, end: (reason: UnloopError) => void): () => void {
  return evaluation.context.containments.watch(sessionKeyOf(evaluation, undefined), () =>
    end(new UnloopError("session_contained", "An operator has ended this session.")),
  );
}

/** The answer where an operator has ended the session meanwhile; undefined where none has. */
export function answerOnOrder(evaluation: Evaluation): OwnAnswer | undefined {
  const { context, run, request } = evaluation;
  const order = context.containments.of(run.identity.key, keyAfter(evaluation, undefined));
  return order && containedAnswer(request.whole(), order, context);
}

/** Asks the policy's judge beside the exchange, for a later request to go by. Undefined where there is nothing to ask. Never rejects. */
export function consult(evaluation: Evaluation, send: SendUpstream): Promise<unknown> | undefined {
  const { context, action, containment, run, request, merged, lookahead } = evaluation;
  const { identity, stored, totals, isFollowed } = run;
  const isAsked = context.policy.judge !== undefined && isFollowed && containment === undefined && !request.compacts;
  if (!isAsked || totals === undefined || action.kind !== "forward") return undefined;
  const { conversation } = request.whole();
  const asked = {
    ...{ tip: merged.tip, stored, conversation, identity, totals, budgetKey: keyAfter(evaluation, undefined) },
    ...{ isNearRung: lookahead !== undefined, upstream: { target: request.incoming.target, send } },
  };
  return context.inBackground(() => askForAdvice(asked, context));
}

/** The turn where the guard itself fails, or has no body to read: the request passes, unless its client key may not ask its models. */
export function unguardedTurn(incoming: IncomingRequest | "size" | "coding", context: RequestContext): Turn {
  if (!mayPass(incoming, context)) return unreadTurn(context, modelRefused(context.protocol));
  if (incoming === "size") return unreadForSize(context);
  return unreadTurn(context, incoming === "coding" ? unreadAction(context) : unguarded);
}

function mayPass(incoming: IncomingRequest | "size" | "coding", context: RequestContext): boolean {
  const { mayAsk, protocol } = context;
  if (mayAsk === undefined || typeof incoming === "string") return mayAsk === undefined;
  const { bytes, target } = incoming;
  const text = bytes.length > READ_BUDGET ? undefined : utf8Text(bytes);
  const request = text && optionally(() => protocol.parse(text, target), context, "guard-failed");
  return mayAskAll(request ? modelsAsked(request) : undefined, context);
}

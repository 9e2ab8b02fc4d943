import type { Mode } from "../config/config.ts";
import {
  changedRequest,
  evaluate,
  type Evaluation,
  type ExchangeOutcome,
  loadNothing,
  ownAnswer,
  recordTurn,
  requestContext,
  saveTurn,
  type Verdict,
} from "../evaluation/evaluation.ts";
import type { Policy, Rung } from "../policy/policy.ts";
import type { Answer, Protocol, Reply } from "../protocols/protocols.ts";
import type { Lookahead, PositionedIntervention } from "../session/session.ts";
import type { GuardContext } from "./guard-context.ts";
import { headerMetadata } from "./http/endpoint.ts";
import { harder } from "./intercept/intercept.ts";

/** A request that somebody else sends, and asks about first. */
interface DecideQuestion {
  readonly protocol: Protocol;
  /** Of the endpoint that it goes to, for rules. */
  readonly path: string;
  readonly body: string;
  /** By lower-case name: by these, too, a session is named and rules choose. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is known of it is read and kept; undefined: the request's history alone is judged, and nothing is kept. */
  readonly session: string | undefined;
  readonly tenant: string | undefined;
  /** In place of what rules choose. */
  readonly policy: Policy | undefined;
  readonly mode: Mode | undefined;
  /** The model's answer, where it is asked about before its calls are carried out. */
  readonly answered: AnsweredQuestion | undefined;
}

export interface AnsweredQuestion {
  readonly answer: Answer;
  /** Rungs for which the model was asked again, in order. */
  readonly reasked: readonly Rung[];
}

export interface Ruling {
  readonly verdict: Verdict;
  readonly policy: string;
  readonly mode: Mode;
  readonly body: string;
  readonly own: { readonly status: number; readonly reply: Reply } | undefined;
}

/**
 * Decides on a request as the proxy would, without sending it. Undefined for one that cannot be read.
 * These requests are read whole, without what is known of earlier ones, and no judge is asked, since nothing runs beside them.
 */
export async function decideAlone(
  question: DecideQuestion,
  { configuration: { rules }, services: shared }: GuardContext,
): Promise<Ruling | undefined> {
  const { path: target, headers, tenant, protocol, policy, mode, session } = question;
  const choice = rules.choose({ path: target, header: (name) => headers[name], tenant, client: undefined });
  const services = {
    prefixes: undefined,
    memory: { ...shared.memory, unverified: { admit: () => true } },
    judgeState: { ...shared.judgeState, endpoint: undefined },
  };
  const override = { policy, mode, tenant, services };
  const context = requestContext(shared, { choice, client: undefined, protocol, override });
  const fields = session === undefined ? headers : { ...headers, "x-unloop-session": session };
  const metadata = headerMetadata({ target, fields }, undefined, context);
  const bytes = new TextEncoder().encode(question.body);
  const received = { target, fields, metadata, bytes };
  const turn = await evaluate(received, context, session === undefined ? loadNothing : undefined);
  if (turn.run === undefined) {
    const { context: bound, action, why } = turn;
    const isLeftAlone = bound.mode === "off" && protocol.parse(question.body, target) !== undefined;
    if (!isLeftAlone && why !== "size") return undefined;
    const own = action.kind === "answer" ? action : undefined;
    return { policy: bound.policy.name, mode: bound.mode, body: question.body, own, verdict: action.verdict };
  }
  try {
    const { ruling, outcome } = rulingOn(turn, question);
    if (session === undefined) return ruling;
    // An answer is part of an exchange that was counted with its request; a contained one never becomes an exchange.
    const isCounted = question.answered !== undefined && outcome.intervention === undefined;
    const isContained = turn.action.verdict.verdict === "contained";
    await (isCounted || isContained ? saveTurn : recordTurn)(turn, outcome);
    return ruling;
  } finally {
    turn.ticket.over();
  }
}

function rulingOn(
  evaluation: Evaluation,
  { body, answered }: DecideQuestion,
): { readonly ruling: Ruling; readonly outcome: ExchangeOutcome } {
  const { action, context, request, merged, lookahead } = evaluation;
  const { verdict: planned } = action;
  const terms = { policy: context.policy.name, mode: context.mode, verdict: planned };
  if (action.kind === "answer") {
    const { status, reply } = action;
    return { ruling: { ...terms, body, own: { status, reply } }, outcome: { status, answer: undefined } };
  }
  const textOf = (edited: string) => new TextDecoder().decode(request.sent(edited));
  const sent = action.change === undefined ? body : textOf(action.change.body);
  const onRequest: Ruling = { ...terms, body: sent, own: undefined };
  if (answered === undefined) return { ruling: onRequest, outcome: { status: 200, answer: undefined } };
  // What was done about the request was told when that was asked about.
  const { intervention: _, ...quiet } = planned;
  const ruling: Ruling = { ...onRequest, verdict: { ...quiet, verdict: "ok" } };
  const through = { ruling, outcome: { status: 200, answer: answered.answer } };
  const next = lookahead && nextRung(lookahead, answered, context.policy);
  if (next === undefined) return through;
  const verdict: Verdict = { ...planned, intervention: next.intervention, verdict: next.intervention.rung };
  const outcome = { status: 200, answer: undefined, intervention: next };
  if (next.intervention.rung === "short-circuit") {
    const { status, reply } = ownAnswer(request.whole(), next, context, { step: answered.answer.step, seen: false });
    return { ruling: { ...onRequest, verdict, own: { status, reply } }, outcome: { ...outcome, status } };
  }
  const again = textOf(changedRequest(request, merged, context, next).body);
  // Where nothing can be added, nothing else will be said.
  return again === sent ? through : { ruling: { ...onRequest, verdict, body: again }, outcome };
}

/** Action on an answer; undefined: it may go through. */
function nextRung(
  lookahead: Lookahead,
  { answer, reasked }: AnsweredQuestion,
  policy: Policy,
): PositionedIntervention | undefined {
  const next = harder(lookahead.predict(answer.step), reasked.at(-1), policy);
  const isLast = next?.intervention.rung === "short-circuit";
  return isLast || reasked.length === 0 ? next : undefined;
}

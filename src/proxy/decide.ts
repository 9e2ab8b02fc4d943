import { noQuota } from "./stranger-quota.ts";
import type { Mode } from "../config/config.ts";
import type { Policy, Rung } from "../policy/policy.ts";
import type { Answer, Protocol, Reply } from "../protocols/protocols.ts";
import { noStoredLedger, type PositionedIntervention } from "../session/session.ts";
import { abortable, type Exchange } from "../transport/transport.ts";
import type { ContextChoice, ExchangeContext, GuardContext } from "./guard-context.ts";
import type { ExchangeOutcome } from "./intercept/context.ts";
import { harder } from "./intercept/intercept.ts";
import { routeOf } from "./relay/routes.ts";
import type { Verdict } from "./relay/verdict.ts";
import { abridgedBody } from "./request/abridged-body.ts";
import { arrivedRequest } from "./request/cache-keys.ts";
import { containedRequest, containmentOf } from "./request/contained.ts";
import { decideRequest, type JudgedWhole } from "./request/decide-request.ts";
import { readRequest } from "./request/read-request.ts";
import { editsFor, ownAnswer } from "./request/interventions.ts";
import { headerMetadata } from "./request/request-metadata.ts";
import { storedSafely } from "./safely.ts";
import { quietly } from "./harmless.ts";
import { activityOf } from "./settle/note-activity.ts";
import { noteActivity, recordContained, recordExchange } from "./settle/record.ts";

/** A request that somebody else sends, and asks about first. */
export interface DecideQuestion {
  readonly protocol: Protocol;
  /** Of the endpoint that it goes to, for rules. */
  readonly path: string;
  /** JSON. */
  readonly body: string;
  /** By lower-case name: by these, too, a session is named and rules choose. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is known of it is read and kept; undefined: the request's history alone is judged, and nothing is kept. */
  readonly session: string | undefined;
  readonly tenant: string | undefined;
  /** In the place of what rules choose. */
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

/** What the guard would do with a request, or with its answer. */
export interface Ruling {
  readonly verdict: Verdict;
  readonly policy: string;
  readonly mode: Mode;
  /** The request as it is to be sent. */
  readonly body: string;
  /** To be given in the place of the model's. */
  readonly own: { readonly status: number; readonly reply: Reply } | undefined;
}

/** Decides on a request as the proxy would, without sending it. Undefined for one that cannot be read. */
export function decideAlone(
  question: DecideQuestion,
  context: GuardContext,
  contextOf: (chosen: ContextChoice) => ExchangeContext,
): Promise<Ruling | undefined> {
  return decideOn(new TextEncoder().encode(question.body), question, contextFor(question, context, contextOf));
}

/** Without a thread cache: these requests are read whole. */
function contextFor(
  { path, headers, tenant, protocol, policy, mode }: DecideQuestion,
  { rules, routes }: GuardContext,
  contextOf: (chosen: ContextChoice) => ExchangeContext,
): ExchangeContext {
  const header = (name: string) => headers[name];
  const { upstream } = routeOf(routes, { target: path, wire: protocol.name, header });
  const choice = rules.choose({ path, header, tenant, client: undefined });
  return asAsked(contextOf({ choice, client: undefined, protocol, upstream }), { policy, mode, tenant });
}

function asAsked(chosen: ExchangeContext, asked: Pick<DecideQuestion, "policy" | "mode" | "tenant">): ExchangeContext {
  const { policy = chosen.policy, mode = chosen.mode, tenant = chosen.placement.tenant } = asked;
  return {
    ...chosen,
    policy,
    mode,
    placement: { ...chosen.placement, ...(tenant !== undefined && { tenant }) },
    threadCache: undefined,
    strangers: noQuota,
    forModel: (model) => asAsked(chosen.forModel(model), asked),
    forSession: (key) => asAsked(chosen.forSession(key), asked),
  };
}

async function decideOn(
  bytes: Uint8Array,
  question: DecideQuestion,
  chosen: ExchangeContext,
): Promise<Ruling | undefined> {
  const exchange = exchangeOf(question, bytes);
  const body = await abridgedBody(bytes);
  const asked = body === undefined ? undefined : readRequest(exchange, undefined, body, chosen);
  if (asked === undefined) return undefined;
  const context = chosen.forModel(asked.request.model ?? "");
  if (context.mode === "off")
    return {
      verdict: { verdict: "unguarded" },
      policy: context.policy.name,
      mode: "off",
      body: question.body,
      own: undefined,
    };
  const arrived = arrivedRequest(exchange, headerMetadata(exchange, undefined, context), bytes, context);
  if (question.session === undefined) {
    const { request, named: identity } = asked;
    const nothing = { request, identity, thread: noStoredLedger, budgetKey: undefined, totals: {}, plan: undefined };
    const judged = decideRequest(asked, nothing, context);
    judged.ticket.over();
    return rulingOn(judged, question, context).ruling;
  }
  const stored = await storedSafely(asked, context);
  await quietly(context)(() => context.containments.freshen());
  const side = context.forSession(stored?.budgetKey ?? asked.named.key);
  const found = decideRequest(asked, stored, side);
  const contained = containmentOf(found, side);
  const judged = contained === undefined ? found : containedRequest(found, contained, side);
  const { ruling, went } = rulingOn(judged, question, side);
  await quietly(side)(async () => {
    if (contained !== undefined) return recordContained(judged, went, side);
    await recordExchange(judged, went, arrived, side);
    // An answer is part of an exchange that was counted with its request.
    if (question.answered !== undefined && went.made === undefined) return;
    await noteActivity(activityOf(judged, ruling.verdict, went, arrived, side), judged, went, side);
  });
  judged.ticket.over();
  return ruling;
}

/** As if it had come over the wire, with nobody waiting for its answer. */
function exchangeOf({ path, headers, session }: DecideQuestion, bytes: Uint8Array): Exchange {
  return {
    method: "POST",
    target: path,
    fields: session === undefined ? headers : { ...headers, "x-unloop-session": session },
    gone: abortable(),
    body: async () => bytes,
    stream: () => undefined,
    answer: { head: () => undefined, write: () => undefined, end: () => undefined, fail: () => undefined },
  };
}

interface Ruled {
  readonly ruling: Ruling;
  readonly went: ExchangeOutcome;
}

function rulingOn(judged: JudgedWhole, { body, answered }: DecideQuestion, context: ExchangeContext): Ruled {
  const { action } = judged;
  const terms = { policy: context.policy.name, mode: context.mode };
  const sent = action.kind === "answer" || action.body === undefined ? body : textOf(judged, action.body);
  const onRequest: Ruling = { ...terms, verdict: action.verdict, body: sent, own: ownIn(judged) };
  if (answered === undefined || action.kind === "answer")
    return { ruling: onRequest, went: { status: action.kind === "answer" ? action.status : 200, answer: undefined } };
  const next = nextRung(judged, answered, context);
  const through: Ruled = {
    ruling: { ...onRequest, verdict: quietVerdict(action.verdict) },
    went: { status: 200, answer: answered.answer },
  };
  if (next === undefined) return through;
  const verdict: Verdict = { ...action.verdict, intervention: next.intervention, verdict: next.intervention.rung };
  const went = { status: 200, answer: undefined, made: next };
  const { request, followed } = judged.considered;
  if (next.intervention.rung === "short-circuit") {
    const { status, reply } = ownAnswer(request, next, context, { step: answered.answer.step, seen: false });
    return { ruling: { ...onRequest, verdict, own: { status, reply } }, went: { ...went, status } };
  }
  const again = textOf(judged, context.protocol.rewrite(request, editsFor(request, followed, context.policy, next)));
  // Where nothing can be told, nothing else will be said.
  return again === sent ? through : { ruling: { ...onRequest, verdict, body: again }, went };
}

function ownIn({ action }: JudgedWhole): Ruling["own"] {
  return action.kind === "answer" ? { status: action.status, reply: action.reply } : undefined;
}

/** Of the answer: what was done about the request was told when that was asked about. */
function quietVerdict({ intervention: _, ...rest }: Verdict): Verdict {
  return { ...rest, verdict: "ok" };
}

function textOf({ whole }: JudgedWhole, edited: string): string {
  return new TextDecoder().decode(whole(edited));
}

/** What is due for an answer; undefined: it may go through. */
function nextRung(
  { lookahead }: JudgedWhole,
  { answer, reasked }: AnsweredQuestion,
  { policy }: ExchangeContext,
): PositionedIntervention | undefined {
  const repeats = lookahead?.predict(answer.step);
  const told = reasked.at(-1);
  const next = told === undefined ? repeats : harder(repeats, told, policy);
  const isLast = next?.intervention.rung === "short-circuit";
  return isLast || reasked.length < policy.maxReasks ? next : undefined;
}

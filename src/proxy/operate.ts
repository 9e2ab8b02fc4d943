import { resetDirective } from "../activity/activity.ts";
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
import { type Policy, presetNamed, presetNames, type Rung } from "../policy/policy.ts";
import type { Answer, Protocol, Reply } from "../protocols/protocols.ts";
import { type Lookahead, type PositionedIntervention, releaseThread } from "../session/session.ts";
import type { SessionKey, ThreadKey } from "../store/store.ts";
import type { Configuration, GuardContext } from "./guard-context.ts";
import { headerMetadata } from "./http/endpoint.ts";
import { harder } from "./intercept/intercept.ts";

/** @param tenant a tenant that is to see no policy of others alone */
export function visiblePolicy(name: string, { configuration }: GuardContext, tenant?: string): Policy | undefined {
  return visiblePolicies(configuration, tenant).get(name) ?? presetNamed(name);
}

export function visiblePolicyNames({ configuration }: GuardContext, tenant?: string) {
  return [
    ...presetNames.map((name) => ({ name, source: "preset" as const })),
    ...[...visiblePolicies(configuration, tenant).keys()].map((name) => ({ name, source: "file" as const })),
  ];
}

/** The file's policies; for a tenant only those that its own requests may be judged by. */
function visiblePolicies({ policy, rules, clients, filePolicies }: Configuration, tenant?: string) {
  if (tenant === undefined) return filePolicies;
  const own = clients.filter((client) => client.tenant === tenant).map(({ name }) => name);
  const names = new Set([policy.name, ...rules.policiesFor(tenant, own)]);
  return new Map([...filePolicies].filter(([name]) => names.has(name)));
}

/** Lifts a containment, and every block in these threads. @param policy by which they were judged */
export async function liftBlocks(
  key: SessionKey,
  threads: readonly ThreadKey[],
  policy: Policy,
  { services: { containments, sign, sessionTtlMs }, stores: { sessions } }: GuardContext,
): Promise<void> {
  await containments.lift(key);
  await Promise.all(threads.map((thread) => releaseThread(sessions, thread, { sign, policy }, sessionTtlMs)));
}

/** A little longer than processes take to hear of a directive, and how long a reset is announced to them. */
const [HEARD_MS, RESET_TOLD_MS] = [600, 60_000];

/** Forgets these threads, and what the session has used up. */
export async function forgetThreads(
  key: SessionKey,
  threads: readonly ThreadKey[],
  { services: { containments, sessionTtlMs }, stores: { directives, sessions, counters, isShared } }: GuardContext,
): Promise<void> {
  await directives.put(resetDirective(key), String(Date.now()), RESET_TOLD_MS);
  await containments.refresh();
  // What another process knows of it alone, it drops when it hears of this; until then it might write that back.
  if (isShared) await new Promise((resolve) => setTimeout(resolve, HEARD_MS));
  await Promise.all(threads.map((thread) => sessions.remove(thread)));
  const totals = Object.entries(await counters.read(key));
  const negative = Object.fromEntries(totals.map(([name, amount]) => [name, -amount]));
  if (totals.length > 0) await counters.add(key, negative, sessionTtlMs);
}

/** Without keys and hashes. */
export async function shownConfiguration({ configuration, services, clientUse }: GuardContext): Promise<object> {
  const { rules, routes, clients } = configuration;
  // The rest is told without the store, too.
  const lastUsed = await services.inBackground(() => clientUse.lastUsed());
  const isoTime = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    rules: rules.texts,
    routes: [...routes.byPrefix, { prefix: "/", upstream: routes.otherwise }].map(({ prefix, upstream }) => ({
      ...{ prefix, upstream: upstream.href },
    })),
    clients: clients.map(({ name, tenant, expires, models, requestsPerMinute }) => ({
      ...{ name, tenant, models, requestsPerMinute },
      expires: isoTime(expires),
      lastUsed: isoTime(lastUsed?.get(name)),
    })),
  };
}

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
  const repeats = lookahead.predict(answer.step);
  const last = reasked.at(-1);
  const next = last === undefined ? repeats : harder(repeats, last, policy);
  const isLast = next?.intervention.rung === "short-circuit";
  return isLast || reasked.length === 0 ? next : undefined;
}

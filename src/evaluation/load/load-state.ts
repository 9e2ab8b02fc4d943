import { limitsBudget } from "../../policy/policy.ts";
import type { Answer, ParsedRequest } from "../../protocols/protocols.ts";
import {
  type Answered,
  type FoundRun,
  identify,
  type Identity,
  type Ledger,
  ledgerReach,
  loadLedger,
  noStoredLedger,
  type OpenStep,
  resolveRun,
  splitByTurns,
  type StoredLedger,
} from "../../session/session.ts";
import { type Call, type Conversation, type Step, UNKNOWN_TOOL } from "../../step.ts";
import type { SessionKey, Totals } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import { metadataOf, type ReadRequest } from "../read/read-request.ts";

/** Run: what the stores know of a request's thread and session. */
export interface Run {
  readonly identity: Identity;
  readonly stored: StoredLedger;
  /** Session that the budget is counted under; undefined for a first request whose session is named after its answer. */
  readonly budgetKey: SessionKey | undefined;
  /** Totals of that session; undefined where the store has failed, so that the request's own history is judged alone. */
  readonly totals: Totals | undefined;
  readonly isFollowed: boolean;
  /** Index of the step that the request begins with, where it names the answer that it goes on from. */
  readonly goesOnAt?: number | undefined;
  /** The run's first answer, where no request has told of it yet. */
  readonly first?: OpenStep | undefined;
}

/** @property request as it came, or preceded by the stored turn that it continues */
export interface LoadedRun {
  readonly run: Run;
  readonly request: ReadRequest;
}

/** @throws whatever the stores throw */
export type Load = (request: ReadRequest, context: RequestContext) => Promise<LoadedRun>;

export function unknownRun({ named: identity }: ReadRequest): Run {
  return { identity, stored: noStoredLedger, budgetKey: undefined, totals: undefined, isFollowed: true };
}

/** The request's history alone is judged, and nothing is kept of it. */
export const loadNothing: Load = async (request) => ({
  run: { ...unknownRun(request), totals: {}, isFollowed: false },
  request,
});

/** One round trip, for thread and budget; one more for a request that refers to an answer, or that a summary has given another name. */
export const loadRun: Load = async (request, context) => {
  const { stores, sign, policy, protocol } = context;
  const { named } = request;
  const { identity: derived, named: answer, first } = await runBefore(request, context);
  const parsed = (answer && continued(request.whole(), answer)) ?? request.whole();
  const isLimited = limitsBudget(policy) || policy.judge !== undefined;
  const read = async (key: SessionKey): Promise<Totals> => (isLimited ? stores.counters.read(key) : {});
  const [stored, own] = await Promise.all([
    loadLedger(stores.sessions, derived, parsed.conversation, sign),
    read(derived.key),
  ]);
  const { name: session, ledger } = stored;
  const identity = session === undefined ? derived : { ...derived, session, label: session };
  const conversation = splitByTurns(ledger, parsed.conversation, sign);
  const loaded = conversation === parsed.conversation ? parsed : { ...parsed, conversation };
  // Equal first requests of many runs have one derived name; what runs are called is told by their first answers.
  const isNamed = identity.isGiven || derived !== named || conversation.steps.length > 0;
  const budgetKey = isNamed ? (ledger?.budgetKey ?? identity.key) : undefined;
  const totals = budgetKey === identity.key ? own : budgetKey === undefined ? {} : await read(budgetKey);
  const run = {
    goesOnAt: parsed.previousAnswerId === undefined ? (stored.goesOnAt ?? stateAt(conversation, ledger)) : answer?.at,
    first: isNamed && !ledger ? first : undefined,
    ...{ identity, stored, budgetKey, totals, isFollowed: true },
  };
  if (loaded === request.whole()) return { run, request };
  const text = protocol.rewrite(loaded, []);
  return { run, request: { ...request, added: conversation.steps, whole: () => loaded, text: () => text } };
};

/** Index of the step that has led to the state that a request shows, where it shows that alone: the next one, once the request before is answered. */
function stateAt({ showsState, steps }: Conversation, ledger: Ledger | undefined): number | undefined {
  if (showsState !== true || steps.length === 0 || ledger === undefined) return undefined;
  return ledger.open?.at === ledgerReach(ledger) ? ledger.open.at : ledger.total;
}

/** With the turns that it goes on from or refers to, of whose calls the names alone are known. */
function continued(request: ParsedRequest, answer: NonNullable<Answered["named"]>): ParsedRequest | undefined {
  const { calls, earlier = [], standIn } = answer;
  const turn = (known: typeof calls) => ({
    calls: known.map((call) => ({ ...call, args: call.id ?? "" })),
    // Nothing of words and arguments is kept.
    text: known.length === 0 ? "\u2026" : "",
  });
  const whole = request.continuing?.({ ...turn(calls), earlier: earlier.map(turn), standIn }, "");
  if (whole === undefined) return undefined;
  const isReferred = ({ id, tool, args }: Call) => tool !== UNKNOWN_TOOL && id !== undefined && args === id;
  const steps = whole.conversation.steps.map((step, i): Step => {
    const isNamed = i === 0 && request.previousAnswerId !== undefined;
    return isNamed || step.calls.some(isReferred) ? { ...step, isUntold: true } : step;
  });
  return { ...whole, conversation: { ...whole.conversation, steps } };
}

/** An answer may be named here before a replica that gave it has saved it: it is a matter of milliseconds. */
const SAVING_MS = 20;

async function runBefore({ named, whole }: ReadRequest, { stores, sign }: RequestContext): Promise<FoundRun> {
  const request = whole();
  const find = () => resolveRun(stores.sessions, named, request, sign);
  const found = await find();
  const isNamed = (request.previousAnswerId ?? request.unknownCallId) !== undefined;
  if (found.named !== undefined || !isNamed || !stores.isShared) return found;
  await new Promise((resolve) => setTimeout(resolve, SAVING_MS));
  return find();
}

export type Named = LoadedRun & { readonly context: RequestContext };

/** The sessions whose orders a request follows. */
export function keysOf(named: Named): readonly (SessionKey | undefined)[] {
  return named.run.isFollowed ? [named.run.identity.key, keyAfter(named, undefined)] : [];
}

/** Session that the answer is counted under, if it is known. */
export function keyAfter(named: Named, answer: Answer | undefined): SessionKey | undefined {
  return named.run.budgetKey ?? identityAfter(named, answer)?.key;
}

export function sessionKeyOf(named: Named, answer: Answer | undefined): SessionKey {
  return keyAfter(named, answer) ?? named.run.identity.key;
}

/** A run that nobody names is named after its first answer, and keeps the id that its first request was given. Undefined where only an answer would tell it. */
export function identityAfter({ request, run, context }: Named, answer: Answer | undefined): Identity | undefined {
  const { named, base, added, incoming } = request;
  if (base !== undefined || named.isGiven || added.length > 0) return run.identity;
  if (answer === undefined) return undefined;
  const { session, label } = named;
  const whole = request.whole();
  const conversation = { ...whole.conversation, steps: [answer.step] };
  return { ...identify(metadataOf(incoming, whole), conversation, context.sign), session, label };
}

import { limitsBudget } from "../../policy/policy.ts";
import type { ParsedRequest } from "../../protocols/protocols.ts";
import {
  type Identity,
  type StoredLedger,
  loadLedger,
  budgetKeyOf,
  type RelayedAnswer,
  resolvePreviousAnswer,
  resolvePromptRun,
  splitByTurns,
} from "../../session/session.ts";
import type { SessionKey, Totals } from "../../store/store.ts";
import type { RequestContext } from "../context.ts";
import { withStepShown } from "./shown-state.ts";

import type { IdentifiedRequest } from "../read/read-request.ts";

/** Stored state of a request's run. */
export interface StoredState {
  /** The request: as it came, or preceded by the stored turn that it continues. */
  readonly request: ParsedRequest;
  readonly identity: Identity;
  readonly thread: StoredLedger;
  /** Session that the budget is counted under; undefined for a first request whose session is named after its answer. */
  readonly budgetKey: SessionKey | undefined;
  /** Totals of that session. */
  readonly totals: Totals;
  /** Whether it is followed from request to request. */
  readonly isFollowed: boolean;
  /** The run's first answer, where no request has told of it yet. */
  readonly first?: RelayedAnswer | undefined;
}

/**
 * One round trip: the thread, and the session's budget if there is one; one more for a request that refers to an answer,
 * or that a summary has given another name.
 * @throws whatever the stores throw.
 */
export async function loadState(identified: IdentifiedRequest, context: RequestContext): Promise<StoredState> {
  const { named } = identified;
  const { stores, sign, policy } = context;
  const { sessions, counters } = stores;
  const { identity: previous, turn } = await previousAnswer(identified, context);
  const parsed = (turn && identified.request.continuing?.(turn, turn.task)) ?? identified.request;
  const { identity: derived, first } = await resolvePromptRun(sessions, previous, parsed.conversation, sign);
  const read = async (key: SessionKey): Promise<Totals> =>
    limitsBudget(policy) || policy.judge || policy.secondOpinion ? counters.read(key) : {};
  const [thread, own] = await Promise.all([
    loadLedger(sessions, derived, parsed.conversation, sign),
    read(derived.key),
  ]);
  const { name: session } = thread;
  const identity = session === undefined ? derived : { ...derived, session, label: session };
  const split = splitByTurns(thread.ledger, parsed.conversation, sign);
  const conversation = withStepShown(split, thread, context.memory.answeredStates.of(identity.thread));
  const request = conversation === parsed.conversation ? parsed : { ...parsed, conversation };
  // Equal first requests of many runs have one derived name; what runs are called is told by their first answers.
  const isNamed = identity.isGiven || derived !== named || request.conversation.steps.length > 0;
  if (!isNamed) return { request, identity, thread, isFollowed: true, budgetKey: undefined, totals: {} };
  const budgetKey = budgetKeyOf(identity, thread);
  return {
    request,
    identity,
    thread,
    isFollowed: true,
    ...(first && thread.ledger === undefined && { first }),
    budgetKey,
    totals: budgetKey === identity.key ? own : await read(budgetKey),
  };
}

/** An answer may be named here before a replica that gave it has saved it: it is a matter of milliseconds. */
const SAVING_MS = 20;

async function previousAnswer(
  { named, request: { previousAnswerId, unknownCallId } }: IdentifiedRequest,
  { stores, sign }: RequestContext,
): ReturnType<typeof resolvePreviousAnswer> {
  const find = () => resolvePreviousAnswer(stores.sessions, named, { previousAnswerId, unknownCallId }, sign);
  const previous = await find();
  const isNamed = (previousAnswerId ?? unknownCallId) !== undefined;
  if (previous.turn !== undefined || !isNamed || !stores.isShared) return previous;
  await new Promise((resolve) => setTimeout(resolve, SAVING_MS));
  return find();
}

import { stepKey } from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import type { Conversation, Step } from "../../step.ts";
import { partsOf, type SessionKey, type SessionStore, type Stored, type ThreadKey } from "../../store/store.ts";
import { type Identity, randomIds } from "../identity/identify.ts";
import {
  aliasOf,
  answerAlias,
  lastCallAlias,
  lastLines,
  lineAlias,
  type NamedAnswer,
  type Pointer,
  readPointer,
  tellsWordsOf,
} from "./answers.ts";
import { knownKeys, type Ledger, type OpenStep, prefixAfter, reach, type TurnEnd } from "./ledger.ts";
import { decodedOpen, readLedger } from "./ledger-text.ts";

interface Referring extends Readonly<Record<"previousAnswerId" | "unknownCallId", string | undefined>> {
  readonly conversation: Conversation;
}

export interface FoundRun {
  readonly identity: Identity;
  readonly named?: NamedAnswer | undefined;
  /** The run's first answer, where a prompt tells its first step. */
  readonly first?: OpenStep | undefined;
}

/**
 * A request may refer to an answer instead of carrying its history: it belongs where that was given, unless the client says otherwise. One
 * that tells of a call its id alone only needs to know what was called. The run of a prompt that is written anew each time is found by
 * the newest answer's words. @throws whatever the store throws
 */
export async function resolveRun(
  store: SessionStore,
  identity: Identity,
  { previousAnswerId, unknownCallId, conversation }: Referring,
  sign: Sign,
): Promise<FoundRun> {
  const answerId = previousAnswerId ?? unknownCallId;
  if (answerId === undefined) return resolvePrompt(store, identity, conversation, sign);
  const pointer = readPointer(await store.read(answerAlias(identity, answerId, sign)));
  if (pointer === undefined) return { identity };
  const { thread, named } = pointer;
  if (previousAnswerId === undefined) return { identity, named };
  if (!mayJoin(identity, thread)) return { identity };
  if (identity.isGiven) return { identity: { ...identity, thread }, named };
  return { identity: { ...joined(identity, pointer), isCertain: true }, named };
}

async function resolvePrompt(store: SessionStore, identity: Identity, { steps, isUntold }: Conversation, sign: Sign) {
  const newest = steps.at(-1);
  const line = isUntold && newest ? lastLines(newest.text, sign).at(-1) : undefined;
  if (identity.beginning === undefined || line === undefined) return { identity };
  const pointer = readPointer(await store.read(lineAlias(identity, line, sign)));
  if (pointer?.first !== undefined)
    return steps.length === 1 ? { identity, first: decodedOpen(pointer.first) } : { identity };
  if (pointer === undefined || pointer.thread === identity.thread) return { identity };
  const ledger = await ledgerIn(store, pointer.thread);
  return { identity: ledger && isRetoldBy(ledger, steps, sign) ? joined(identity, pointer) : identity };
}

function joined(identity: Identity, { thread, session, source }: Pointer): Identity {
  const key = partsOf(thread).session as SessionKey;
  return { ...identity, thread, session, label: session, source, key, isProven: true };
}

/** Whether the newest step is what was answered last, and of those before it the latest is known. */
function isRetoldBy(ledger: Ledger, steps: readonly Step[], sign: Sign): boolean {
  const { open, pending } = ledger;
  const newest = steps.at(-1);
  if (newest === undefined) return false;
  // The same request again.
  if (open === undefined || !tellsWordsOf(newest, open, sign))
    return pending?.fingerprint.key === stepKey(newest, sign);
  return isContinuedBy(ledger, steps.slice(-2), sign);
}

/** A ledger as loaded, with the version for the next compare-and-set; without one where it was not read for this request. */
export interface StoredLedger {
  readonly ledger: Ledger | undefined;
  readonly version: number | undefined;
  /** Session id that the run goes by, where the request does not tell it. */
  readonly name?: string | undefined;
  /** Index of the step that the request begins with, where it shows that alone and the guard has relayed it. */
  readonly goesOnAt?: number;
}

export const noStoredLedger: StoredLedger = { ledger: undefined, version: 0 };

/** One round trip; one more for a run whose beginning a summary has replaced: it is found by its newest step. @throws whatever the store throws */
export async function loadLedger(
  store: SessionStore,
  identity: Identity,
  conversation: Conversation,
  sign: Sign,
): Promise<StoredLedger> {
  const lastCall = conversation.isUntold ? undefined : lastCallAlias(identity, conversation.steps[0], sign);
  const [own, relayed] = await Promise.all([store.read(identity.thread), lastCall && store.read(lastCall)]);
  const before = relayed && (await threadBefore(store, identity, relayed, own));
  if (before !== undefined) return before;
  if (own !== undefined) {
    const ledger = readLedger(own.json);
    const turns = splitByTurns(ledger, conversation, sign);
    return { ledger: shownLedger(ledger, identity, turns, sign), version: own.version, name: ledger?.name };
  }
  const elsewhere = await threadOfNewestStep(store, identity, conversation, sign);
  if (elsewhere === undefined) return noStoredLedger;
  const { thread, ledger } = elsewhere;
  return { ledger: renamed(ledger, thread, identity), version: 0, name: ledger.name };
}

/** The thread whose newest answer is all that a request shows, if nobody has gone on from that since. */
async function threadBefore(store: SessionStore, identity: Identity, relayed: Stored, own: Stored | undefined) {
  const { thread, session, named } = readPointer(relayed) ?? {};
  if (thread === undefined || named === undefined) return undefined;
  const ledger = thread === identity.thread ? own && readLedger(own.json) : await ledgerIn(store, thread);
  if (ledger === undefined || reach(ledger) !== named.at) return undefined;
  const name = identity.isGiven ? {} : { name: session };
  return { ledger: renamed(ledger, thread, identity), version: own?.version ?? 0, goesOnAt: named.at, ...name };
}

/** The thread of a conversation that goes by no known name: that in which its newest step was answered. */
async function threadOfNewestStep(
  store: SessionStore,
  identity: Identity,
  { steps }: Pick<Conversation, "steps">,
  sign: Sign,
) {
  const alias = aliasOf(steps, identity, sign);
  const thread = alias && readPointer(await store.read(alias))?.thread;
  const ledger = thread && mayJoin(identity, thread) ? await ledgerIn(store, thread) : undefined;
  return thread && ledger && isContinuedBy(ledger, steps, sign) ? { thread, ledger } : undefined;
}

/** One step may be alike in two runs; where more of the history is there, more of it has to be known. */
function isContinuedBy(ledger: Ledger, steps: readonly Step[], sign: Sign): boolean {
  const keys = knownKeys(ledger);
  const before = steps.slice(0, -1);
  return before.length === 0 || before.some((step) => keys.has(stepKey(step, sign)));
}

/** A session that the client names has no part in another one. */
function mayJoin({ isGiven, key }: Identity, thread: ThreadKey): boolean {
  return !isGiven || partsOf(thread).session === key;
}

/** The ledger, if the request proves that it is of the same run: a derived session is named by its beginning, and others may begin alike. */
export function shownLedger(ledger: Ledger | undefined, identity: Identity, conversation: Conversation, sign: Sign) {
  if (ledger === undefined || identity.isGiven || identity.isProven === true) return ledger;
  return carriesAll(ledger, conversation, sign) || sharesCall(ledger, conversation, sign) ? ledger : undefined;
}

/** No other run sends this very history. Not before the first step, when there is nothing that could fail to grow. */
export function isOfOneRun({ isGiven, isProven }: Identity, steps: readonly Step[]): boolean {
  return steps.length > 0 && (isGiven || isProven === true || steps.some((step) => randomIds(step) !== undefined));
}

function carriesAll({ total, carried, prefix }: Ledger, { steps }: Conversation, sign: Sign): boolean {
  if (carried !== total || steps.length < total) return false;
  return steps.slice(0, total).reduce((before, step) => prefixAfter(before, step, sign), "") === prefix;
}

function sharesCall(ledger: Ledger, { steps }: Conversation, sign: Sign): boolean {
  const keys = knownKeys(ledger);
  return steps.some((step) => randomIds(step) !== undefined && keys.has(stepKey(step, sign)));
}

function renamed(ledger: Ledger, from: ThreadKey, { key }: Identity): Ledger {
  const { budgetKey = partsOf(from).session as SessionKey } = ledger;
  return { ...ledger, root: undefined, ...(budgetKey !== key && { budgetKey }) };
}

async function ledgerIn(store: SessionStore, thread: ThreadKey): Promise<Ledger | undefined> {
  const stored = await store.read(thread);
  return stored && readLedger(stored.json);
}

/** A conversation with each message that has grown told as the turns that were added to it; as it is where none has. */
export function splitByTurns(ledger: Ledger | undefined, conversation: Conversation, sign: Sign): Conversation {
  const messages = ledger?.grown;
  if (ledger === undefined || messages === undefined) return conversation;
  const { steps } = conversation;
  const newest = messages.at(-1)?.at;
  const split = steps.flatMap((step, place) => {
    const message = messages.find(({ at }) => at === place);
    const ends = message && endsIn(step, message.ends, place === newest ? ledger : undefined, sign);
    return ends === undefined || ends.length === 1 ? [step] : turnsOf(step, ends);
  });
  return split.length === steps.length ? conversation : { ...conversation, steps: split };
}

/** @param ledger where the message was the newest one, and may have got a turn more */
function endsIn(step: Step, ends: readonly TurnEnd[], ledger: Ledger | undefined, sign: Sign): typeof ends | undefined {
  const end = ends.at(-1) ?? NO_END;
  const [calls] = end;
  if (step.calls.length <= calls || ledger === undefined) return step.calls.length === calls ? ends : undefined;
  const expected = (ledger.pending?.fingerprint ?? ledger.window.at(-1))?.key;
  const latest = { ...step, ...turnOf(step, ends.at(-2), end) };
  if (calls === 0 || stepKey(latest, sign) !== expected) return undefined;
  return [...ends, [step.calls.length, step.text.length]];
}

const NO_END: TurnEnd = [0, 0];

function turnOf(step: Step, [from, fromCharacter] = NO_END, [calls, characters]: TurnEnd) {
  return { calls: step.calls.slice(from, calls), text: step.text.slice(fromCharacter, characters) };
}

function turnsOf(step: Step, ends: readonly TurnEnd[]): readonly Step[] {
  return ends.map((end, index): Step => {
    const heard = index === ends.length - 1 ? step.heard : [];
    const turn = { ...turnOf(step, ends[index - 1], end), heard };
    return index === 0 ? turn : { ...turn, sharesMessage: true };
  });
}

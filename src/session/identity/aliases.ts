import { stepKey } from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import type { Conversation, Step } from "../../step.ts";
import { partsOf, type SessionKey, type SessionStore, type Stored, type ThreadKey } from "../../store/store.ts";
import { answerAlias, type Identity, randomIds, saveRunName, stepAlias } from "./identify.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { areTexts, isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";

/** Calls of a turn that requests name or refer to: their names and ids, and nothing that was said. */
export interface ReferredCalls {
  readonly calls: readonly ReferredCall[];
}

interface ReferredCall {
  readonly id?: string;
  readonly tool: string;
}

/** An answer that later requests go on from by naming it: they carry nothing but what came of it. */
export interface NamedAnswer extends ReferredCalls {
  /** Index of its step in its thread. */
  readonly at: number;
  /** Turns before it; only where requests refer to them, too. */
  readonly earlier?: readonly ReferredCalls[];
  /** Where the upstream knows it by another name, or not at all: the answer that requests go on from there, and what they say first. */
  readonly standIn?: { readonly answerId: string; readonly items: string } | undefined;
}

/** An upstream's answer, and where it leads. */
export interface Answered {
  readonly step: Step;
  readonly aliases: StepAliases;
  /** It answered a run's first request. */
  readonly isFirst: boolean;
  /** Of the session that the answer belongs to, if that is known. */
  readonly key?: SessionKey | undefined;
  readonly named?: NamedAnswer | undefined;
  /** Names that requests go on from it by: its id, that of a stored conversation, or its calls'. */
  readonly names: readonly { readonly id: string; readonly isKept: boolean }[];
  /** Where the next request may show it alone: the alias by what it calls, and its index in its thread. */
  readonly lastCall?: { readonly alias: ThreadKey; readonly at: number };
}

/** Turns that are kept behind a name, and calls of each. */
const MAX_EARLIER = 64;
const MAX_CALLS = 32;

/** What is kept of turns that requests refer to. */
export function referredCalls(steps: readonly Pick<Step, "calls">[]): readonly ReferredCalls[] {
  return steps.slice(-MAX_EARLIER).map(({ calls }) => ({
    calls: calls.slice(0, MAX_CALLS).map(({ id, tool }) => ({ ...(id !== undefined && { id }), tool })),
  }));
}

/**
 * Saves aliases of a thread: one by the step just answered, others by the names that later requests go on from it by. The first writer of
 * an alias wins. The alias by the step before is removed: from now on a history that carries that step carries this one, too.
 * @throws whatever the store throws.
 */
export async function saveAliases(
  store: SessionStore,
  identity: Identity,
  { step, aliases: { alias, passed }, isFirst, key, named, names, lastCall }: Answered,
  sign: Sign,
  ttlMs: number,
): Promise<void> {
  const { tenant, thread, label: session, source } = identity;
  const pointerTo = (answer: NamedAnswer | undefined) =>
    JSON.stringify({ thread, session, source, ...(answer && { named: answer }) } satisfies Pointer);
  await Promise.all([
    alias && store.write(alias, thread, 0, ttlMs),
    passed === undefined || passed === alias ? undefined : store.remove(passed),
    ...names.map(({ id, isKept }) => saveAnswer(store, answerAlias(tenant, id, sign), pointerTo(named), ttlMs, isKept)),
    lastCall && saveAnswer(store, lastCall.alias, pointerTo({ at: lastCall.at, calls: [] }), ttlMs, true),
    isFirst && key ? saveRunName(store, identity, { key, answer: step }, ttlMs) : undefined,
  ]);
}

/** @param isKept what stands there is replaced; where another writer is faster, that one's answer is the newer one */
async function saveAnswer(
  store: SessionStore,
  alias: ThreadKey,
  pointer: string,
  ttlMs: number,
  isKept: boolean,
): Promise<void> {
  const version = isKept ? ((await store.read(alias))?.version ?? 0) : 0;
  await store.write(alias, pointer, version, ttlMs);
}

/** Aliases of a thread by the steps that it was answered with. */
export interface StepAliases {
  /** That of the newest, if it tells the thread from all others. */
  readonly alias: ThreadKey | undefined;
  /** That of the one before. */
  readonly passed: ThreadKey | undefined;
  /** Call ids come again within the conversation. */
  readonly repeatsIds: boolean;
}

/** @param steps that the request has added to what was known of it @param base the aliases as they were known */
export function stepAliases(
  answer: Step,
  steps: readonly Step[],
  identity: Identity,
  base: Pick<StepAliases, "alias" | "repeatsIds"> | undefined,
  sign: Sign,
): StepAliases {
  const { repeatsIds = false } = base ?? {};
  // A first step's history is whole, and runs that begin alike would all be led to one.
  const isFound = !repeatsIds && steps.length > 0 && isTelling(answer, steps, identity);
  return {
    alias: isFound ? stepAlias(identity, answer, sign) : undefined,
    passed: base === undefined ? aliasOf({ steps }, identity, sign) : base.alias,
    repeatsIds: repeatsIds || comeAgain([...steps, answer]),
  };
}

/**
 * A request may refer to an answer instead of carrying its history: it belongs where that answer was given, unless the
 * client says otherwise. One that tells of a call its id alone only needs to know what was called.
 * @throws whatever the store throws.
 */
export async function resolvePreviousAnswer(
  store: SessionStore,
  identity: Identity,
  { previousAnswerId, unknownCallId }: { readonly [Id in "previousAnswerId" | "unknownCallId"]: string | undefined },
  sign: Sign,
): Promise<PreviousAnswer> {
  const previousAnswer = previousAnswerId ?? unknownCallId;
  if (previousAnswer === undefined) return { identity, named: undefined };
  const pointer = readPointer(await store.read(answerAlias(identity.tenant, previousAnswer, sign)));
  if (pointer === undefined || (previousAnswerId !== undefined && !mayJoin(identity, pointer.thread)))
    return { identity, named: undefined };
  const { thread, session, source, named } = pointer;
  if (previousAnswerId === undefined) return { identity, named };
  if (identity.isGiven) return { identity: { ...identity, thread }, named };
  const key = partsOf(thread).session as SessionKey;
  const run = { thread, session, label: session, source, key, isProven: true, isCertain: true } as const;
  return { identity: { ...identity, ...run }, named };
}

/** Where an answer was given that a request goes on from, and what it called; undefined if that is not known. */
export interface PreviousAnswer {
  readonly identity: Identity;
  readonly named: NamedAnswer | undefined;
}

/** Where a conversation leads that goes by no known name: the thread in which its newest step was answered. */
export function aliasOf({ steps }: Pick<Conversation, "steps">, identity: Identity, sign: Sign): ThreadKey | undefined {
  const newest = steps.at(-1);
  if (newest === undefined || !isTelling(newest, steps.slice(0, -1), identity)) return undefined;
  return stepAlias(identity, newest, sign);
}

/** The thread that was found under a step's alias, if the request may go on with it. */
export function aliasedThread(stored: Stored | undefined, identity: Identity): ThreadKey | undefined {
  const thread = stored === undefined ? undefined : readThread(stored.json);
  return thread !== undefined && mayJoin(identity, thread) ? thread : undefined;
}

/** One step may be alike in two runs; where more of the history is there, more of it has to be known. */
export function isContinuedBy(ledger: Ledger, { steps }: Conversation, sign: Sign): boolean {
  const keys = new Set(
    [...ledger.window, ...(ledger.pending === undefined ? [] : [ledger.pending.fingerprint])].map(keyOf),
  );
  const before = steps.slice(0, -1);
  return before.length === 0 || before.some((step) => keys.has(stepKey(step, sign)));
}

const keyOf = ({ key }: { readonly key: string }): string => key;

/**
 * Ids that come again within one conversation (`call_0` each time) tell nothing about another. Numbered ones tell it within
 * the session that a client has named; elsewhere only what no other run has.
 */
function isTelling(step: Step, before: readonly Step[], { isGiven }: Pick<Identity, "isGiven">): boolean {
  if (!isGiven && randomIds(step) === undefined) return false;
  const ids = new Set(step.calls.map(({ id }) => id));
  if (ids.size === 0 || ids.has(undefined) || ids.has("")) return false;
  return !before.some(({ calls }) => calls.some(({ id }) => ids.has(id)));
}

/** Calls without an id have one in common, too. */
function comeAgain(steps: readonly Step[]): boolean {
  const ids = new Set<string | undefined>();
  for (const { calls } of steps) {
    for (const { id } of calls) {
      if (ids.has(id)) return true;
      ids.add(id);
    }
  }
  return false;
}

/** A session that the client names has no part in another one. */
function mayJoin({ isGiven, key }: Identity, thread: ThreadKey): boolean {
  return !isGiven || partsOf(thread).session === key;
}

/** Pointer that stands under an answer's alias: the thread that it leads to, and its session. */
export interface Pointer {
  readonly thread: ThreadKey;
  readonly session: string;
  readonly source: string;
  /** The answer itself, where requests go on from it by its name. */
  readonly named?: NamedAnswer;
  /** The run's first answer, as text. */
  readonly first?: string;
}

/** Undefined where there is none, or it cannot be read: then the history alone tells which run it is. */
export function readPointer(stored: Stored | undefined): Pointer | undefined {
  const value = stored === undefined ? undefined : parseJson(stored.json);
  return isPointer(value) ? value : undefined;
}

const THREAD = /^[\w~-]+\.[\w-]+$/;

/** The same where it has nothing but the thread, which is then all of the text. */
function readThread(text: string): ThreadKey | undefined {
  return THREAD.test(text) ? (text as ThreadKey) : undefined;
}

function isPointer(value: unknown): value is Pointer {
  if (!isObject(value)) return false;
  const { thread, session, source, named, first = "" } = value;
  return areTexts(thread, session, source, first) && (named === undefined || isNamedAnswer(named));
}

function isNamedAnswer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { at, calls, earlier = [], standIn } = value;
  return (
    typeof at === "number" &&
    isCalls(calls) &&
    Array.isArray(earlier) &&
    earlier.every((turn) => isObject(turn) && isCalls(turn.calls)) &&
    (standIn === undefined || (isObject(standIn) && areTexts(standIn.answerId, standIn.items)))
  );
}

function isCalls(value: unknown): boolean {
  return Array.isArray(value) && value.every((call) => isObject(call) && areTexts(call.tool, call.id ?? ""));
}

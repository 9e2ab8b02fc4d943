import { stepKey, stepText } from "../../engine/engine.ts";
import type { Sign } from "../../text/sign.ts";
import type { Conversation, Step } from "../../step.ts";
import {
  partsOf,
  type SessionKey,
  sessionKey,
  type SessionStore,
  type Stored,
  type ThreadKey,
} from "../../store/store.ts";
import { areTexts, isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { Ledger, OpenStep } from "../ledger/ledger.ts";
import { readLedger } from "../ledger/ledger-text.ts";
import { decodedOpen, encodedOpen, lastLines, tellsWordsOf } from "../ledger/open-step.ts";
import { knownKeys } from "../ledger/shown.ts";
import { type Identity, randomIds, showsLastCall } from "./identify.ts";

/* Names under which a store finds the thread of a request that does not tell all of it, or tells it by another beginning. */

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
  readonly earlier?: readonly ReferredCalls[];
  /** Where the upstream knows it by another name, or not at all: the answer that requests go on from there, and what they say first. */
  readonly standIn?: { readonly answerId: string; readonly items: string } | undefined;
}

/** An upstream's answer, and where it leads. */
export interface Answered {
  readonly step: Step;
  readonly aliases: StepAliases;
  readonly isFirst: boolean;
  readonly key?: SessionKey | undefined;
  readonly named?: NamedAnswer | undefined;
  /** Names that requests go on from it by: its id, that of a stored conversation, or its calls'. */
  readonly names: readonly { readonly id: string; readonly isKept: boolean }[];
  /** Its index in its thread, where the next request may show it alone. */
  readonly lastCallAt?: number | undefined;
  /** Its half of its step, where prompts will tell its words. */
  readonly told?: OpenStep | undefined;
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

/** @property isKept what stands there is replaced; where another writer is faster, that one's answer is the newer one */
interface Name {
  readonly alias: ThreadKey;
  readonly text: string;
  readonly isKept?: boolean;
}

/**
 * Saves the names of a thread by the step just answered. The first writer of a name wins. The alias by the step before is removed: from
 * now on a history that carries that step carries this one, too. @throws whatever the store throws.
 */
export async function saveNames(
  store: SessionStore,
  identity: Identity,
  answered: Answered,
  sign: Sign,
  ttlMs: number,
): Promise<void> {
  const { alias, passed } = answered.aliases;
  const save = async ({ alias: key, text, isKept }: Name) =>
    store.write(key, text, isKept ? ((await store.read(key))?.version ?? 0) : 0, ttlMs);
  await Promise.all([
    ...namesOf(identity, answered, sign).map(save),
    passed === undefined || passed === alias ? undefined : store.remove(passed),
  ]);
}

function namesOf(identity: Identity, answered: Answered, sign: Sign): readonly Name[] {
  const { tenant, thread, label, source, beginning, session } = identity;
  const { step, aliases, isFirst, key, named, names, lastCallAt: at, told } = answered;
  const pointer: Pointer = { thread, session: label, source };
  const to = (more: Partial<Pointer>) => JSON.stringify({ ...pointer, ...more });
  const lastCall = at === undefined ? undefined : lastCallAlias(identity, step, sign);
  // Till a prompt tells its first step nothing tells one run from others: the first answer leads to itself.
  const retold =
    told && isFirst
      ? to({ thread: NO_THREAD, session: "", source: "", first: JSON.stringify(encodedOpen(told)) })
      : to({});
  const lines = told === undefined || beginning === undefined ? [] : lastLines(step.text, sign);
  const isNameless = isFirst && source === "derived" && randomIds(step) !== undefined;
  return [
    ...(aliases.alias === undefined ? [] : [{ alias: aliases.alias, text: thread }]),
    ...names.map(({ id, isKept }) => ({
      alias: answerAlias(tenant, id, sign),
      text: to({ ...(named && { named }) }),
      isKept,
    })),
    ...(at === undefined || lastCall === undefined
      ? []
      : [{ alias: lastCall, text: to({ named: { at, calls: [] } }), isKept: true }]),
    ...(isNameless && key !== undefined ? [{ alias: runNameKey(key), text: session }] : []),
    ...lines.map((line) => ({ alias: toldAlias(tenant, beginning ?? "", line, sign), text: retold, isKept: true })),
  ];
}

/** Aliases of a thread by the steps that it was answered with. */
export interface StepAliases {
  /** That of the newest, if it tells the thread from all others. */
  readonly alias: ThreadKey | undefined;
  /** That of the one before. */
  readonly passed: ThreadKey | undefined;
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

/** Where an answer was given that a request goes on from, and what it called, if that is known. */
export interface FoundRun {
  readonly identity: Identity;
  readonly named?: NamedAnswer | undefined;
  /** The run's first answer, where a prompt tells its first step: till then nothing tells one run from others. */
  readonly first?: OpenStep | undefined;
}

interface ReferringRequest {
  readonly previousAnswerId: string | undefined;
  readonly unknownCallId: string | undefined;
  readonly conversation: Conversation;
}

/**
 * A request may refer to an answer instead of carrying its history: it belongs where that answer was given, unless the
 * client says otherwise. One that tells of a call its id alone only needs to know what was called. A prompt that is written anew each
 * time tells the latest steps alone, and of those hardly more than what was said: its run is found by the newest answer's words.
 * @throws whatever the store throws.
 */
export async function resolveRun(
  store: SessionStore,
  identity: Identity,
  { previousAnswerId, unknownCallId, conversation }: ReferringRequest,
  sign: Sign,
): Promise<FoundRun> {
  const previousAnswer = previousAnswerId ?? unknownCallId;
  if (previousAnswer === undefined) return resolvePrompt(store, identity, conversation, sign);
  const pointer = readPointer(await store.read(answerAlias(identity.tenant, previousAnswer, sign)));
  if (pointer === undefined) return { identity };
  const { thread, named } = pointer;
  if (previousAnswerId === undefined) return { identity, named };
  if (!mayJoin(identity, thread)) return { identity };
  if (identity.isGiven) return { identity: { ...identity, thread }, named };
  return { identity: { ...joined(identity, pointer), isCertain: true }, named };
}

async function resolvePrompt(
  store: SessionStore,
  identity: Identity,
  conversation: Conversation,
  sign: Sign,
): Promise<FoundRun> {
  const { steps, isUntold } = conversation;
  const newest = steps.at(-1);
  const { beginning, tenant } = identity;
  const line = isUntold && newest ? lastLines(newest.text, sign).at(-1) : undefined;
  if (beginning === undefined || line === undefined) return { identity };
  const pointer = readPointer(await store.read(toldAlias(tenant, beginning, line, sign)));
  if (pointer === undefined || pointer.thread === identity.thread) return { identity };
  if (pointer.thread === NO_THREAD)
    return steps.length === 1 ? { identity, first: decodedOpen(parseJson(pointer.first ?? "")) } : { identity };
  const record = await store.read(pointer.thread);
  const ledger = record && readLedger(record.json);
  return { identity: ledger && isRetoldBy(ledger, steps, sign) ? joined(identity, pointer) : identity };
}

function joined(identity: Identity, { thread, session, source }: Pointer): Identity {
  const key = partsOf(thread).session as SessionKey;
  return { ...identity, thread, session, label: session, source, key, isProven: true };
}

/** The newest step is what was answered last; of those before it the latest is known. */
function isRetoldBy(ledger: Ledger, steps: readonly Step[], sign: Sign): boolean {
  const { open, pending } = ledger;
  const [before, newest] = [steps.at(-2), steps.at(-1)];
  if (newest === undefined) return false;
  // The same request again.
  if (open === undefined || !tellsWordsOf(newest, open, sign))
    return pending?.fingerprint.key === stepKey(newest, sign);
  return before === undefined || knownKeys(ledger).has(stepKey(before, sign));
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
  const keys = knownKeys(ledger);
  const before = steps.slice(0, -1);
  return before.length === 0 || before.some((step) => keys.has(stepKey(step, sign)));
}

/** The id that a run's first request was given, for its later ones. @throws whatever the store throws */
export async function readRunName(
  store: SessionStore,
  { source, isCertain, isProven, key }: Identity,
): Promise<string | undefined> {
  if (source !== "derived" || !isCertain || isProven) return undefined;
  const name = (await store.read(runNameKey(key)))?.json;
  return name !== undefined && SIGNATURE.test(name) ? name : undefined;
}

const SIGNATURE = /^[\w-]+$/;
const runNameKey = (key: SessionKey) => `${key}.name` as ThreadKey;

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

/**
 * Under this name stands the thread in which a step was answered: a shortened history is found again by it. Clients write a call's
 * arguments anew: with other blanks, in another order, with what they take for granted filled in.
 */
function stepAlias(owner: Identity, step: Step, sign: Sign): ThreadKey {
  return ownAlias(owner, sign(`alias\u0000${owner.tenant}\u0000step\u0000${randomIds(step) ?? stepText(step)}`));
}

/**
 * The same for what an answer has called, where a run's requests show its last call alone, and the ids of calls come again in other runs.
 * Undefined for every other step.
 */
export function lastCallAlias(owner: Identity, step: Step | undefined, sign: Sign): ThreadKey | undefined {
  const { beginning, tenant } = owner;
  if (beginning === undefined || step === undefined || !showsLastCall({ steps: [step] })) return undefined;
  const calls = step.calls.map(({ id, tool, args }) => `${id}\u0000${tool}\u0000${rewritten(args)}`);
  return ownAlias(owner, sign(`alias\u0000${tenant}\u0000last\u0000${beginning}\u0000${calls.join("\u0001")}`));
}

/** Longer arguments are taken as they are written. In characters. */
const MAX_REWRITTEN = 4_096;

const rewritten = (args: string) => (args.length > MAX_REWRITTEN ? args : (JSON.stringify(parseJson(args)) ?? args));

/** Within a session that the client names it is kept beside its threads, else within the tenant. */
function ownAlias({ tenant, isGiven, key }: Identity, signature: string): ThreadKey {
  return isGiven ? (`${key}.${signature}-alias` as ThreadKey) : aliasKey(tenant, signature);
}

/** The same for a line that an answer has said, in a run of this beginning: later prompts tell it, and hardly anything else. */
function toldAlias(tenant: string, beginning: string, line: string, sign: Sign): ThreadKey {
  return aliasKey(tenant, sign(`alias\u0000${tenant}\u0000told\u0000${beginning}\u0000${line}`));
}

/** The same for an answer's id, for requests that carry nothing but `previous_response_id`. */
function answerAlias(tenant: string, answerId: string, sign: Sign): ThreadKey {
  return aliasKey(tenant, sign(`alias\u0000${tenant}\u0000answer\u0000${answerId}`));
}

function aliasKey(tenant: string, signature: string): ThreadKey {
  return `${sessionKey(signature, tenant)}.alias` as ThreadKey;
}

/** Stands in the pointer to a run's first answer to a prompt: it has no thread yet. */
const NO_THREAD = "" as ThreadKey;

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

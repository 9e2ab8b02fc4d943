import { fingerprintOf, stepKey } from "../../engine/engine.ts";
import { doneNames, type Policy } from "../../policy/policy.ts";
import {
  amount,
  anyText,
  type InputShape,
  list,
  object,
  optional,
  readRecord,
  type ValueOf,
} from "../../shapes/shapes.ts";
import type { Call, Conversation, Step } from "../../step.ts";
import { sessionKey, type SessionStore, type Stored, type ThreadKey } from "../../store/store.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { Sign } from "../../text/sign.ts";
import { cutText } from "../../text/text-span.ts";
import { requestWork } from "../../work.ts";
import { type Identity, randomIds, showsLastCall } from "../identity/identify.ts";
import {
  type Arrival,
  type Arrivals,
  type EvaluationContext,
  type Intervention,
  type Ledger,
  type OpenStep,
  reach,
} from "./ledger.ts";
import { encodedOpen, openShape } from "./ledger-text.ts";

/** More are not remembered, so no ladder is higher. */
const MAX_ARRIVALS = 64;

/** @param samplingKey what else makes two requests with one history two different ones */
export function termsSignature(samplingKey: string, sign: Sign): string {
  return sign(`terms\u0000${samplingKey}`);
}

/**
 * The ledger after its last request was answered whole, be it with nothing.
 * @param answer undefined for the guard's own to a storm, which is alike each time
 */
export function withAnswered(
  ledger: Ledger,
  arrival: Arrival | undefined,
  answer: Step | undefined,
  sign: Sign,
): Ledger {
  const { pending } = ledger;
  if (pending === undefined || arrival === undefined) return ledger;
  const { at, terms } = arrival;
  const before = pending.arrivals?.terms === terms ? pending.arrivals : undefined;
  // Its calls' ids are new in each.
  const texts = answer?.calls.flatMap(({ tool, args, outcome }) => [tool, cutText(args), outcome?.text ?? ""]) ?? [];
  const signature = answer === undefined ? before?.answer : sign(["answer", ...texts, answer.text].join("\u0000"));
  const isAlike = before === undefined || before.answer === signature;
  const arrivals: Arrivals = isAlike
    ? { at: [...(before?.at ?? []), at].slice(-MAX_ARRIVALS), terms, answer: signature ?? "" }
    : { at: [], terms, answer: "" };
  return { ...ledger, pending: { ...pending, arrivals } };
}

/** A ledger with what the answer to its last step's request led to; as it is if it has gone on since. */
export function withIntercepted(ledger: Ledger | undefined, intervention: Intervention): Ledger | undefined {
  const pending = ledger?.pending;
  if (ledger === undefined || pending?.fingerprint.key !== intervention.key) return ledger;
  return { ...ledger, pending: { ...pending, intercepted: intervention } };
}

const NOTHING_HEARD: ReadonlySet<string> = new Set();

const MAX_OPEN_CALLS = 32;

const NOTHING: Step = { calls: [], text: "", heard: [], ends: true };

/** For later requests that tell what came of an answer, and not what it did. @param answer undefined for one of the guard's own to a prompt, which ends the run */
export function openStepOf(
  answer: Step | undefined,
  { isUntold, showsState }: Conversation,
  { sign, policy }: EvaluationContext,
  tip: Ledger,
): OpenStep {
  const step = answer ?? NOTHING;
  const work = requestWork();
  const print = (calls: Step["calls"]) =>
    fingerprintOf({ ...step, calls }, sign, policy.tools, NOTHING_HEARD, { work });
  const isDone = step.ends === true || step.calls.some(({ tool }) => doneNames(policy).includes(tool));
  return {
    fingerprint: print(step.calls),
    ...(step.calls.length > 1 && { calls: step.calls.slice(0, MAX_OPEN_CALLS).map((call) => print([call])) }),
    at: reach(tip),
    said: isUntold === true ? lastLines(step.text, sign) : [],
    // An executor that shows states alone goes on until its own condition holds.
    ...(isDone && isUntold === true && showsState !== true && { ends: true as const }),
  };
}

export function callsHash(step: Step, sign: Sign, policy: Policy): string {
  return fingerprintOf(step, sign, policy.tools, NOTHING_HEARD, { work: requestWork() }).callsHash;
}

export function tellsWordsOf({ text }: Step, { said }: Pick<OpenStep, "said">, sign: Sign): boolean {
  const last = lastLines(text, sign).at(-1);
  return last !== undefined && said.includes(last);
}

/** Prompts tell of an answer's words some, and each of those to its end. */
const MAX_LINES = 8;

const LEAST_CHARACTERS = 4;

export function lastLines(text: string, sign: Sign): readonly string[] {
  const lines = text.split("\n", 1_000).map((line) => line.replace(/\s+/g, " ").trim());
  const ownLines = lines.filter((line) => line.length >= LEAST_CHARACTERS).slice(-MAX_LINES);
  return ownLines.map((line) => sign(`line\u0000${line}`));
}

/*
 * Aliases, under which a store finds the thread of a request that does not tell all of it, or tells it by another beginning:
 * `step`, the newest step of a history that was shortened; `call`, what was called, where requests show their last call alone;
 * `line`, a line of an answer, where a prompt is written anew each time; `answer`, an id that requests name.
 */

/** Calls of a turn that requests name or refer to: name and id, and nothing that was said. */
const calls = list(object({ tool: anyText, id: optional(anyText) }));

/**
 * An answer that later requests go on from by naming it: they carry nothing but what came of it. `earlier`: calls of the turns before
 * it, where requests refer to those too. `standIn`: where the upstream knows it by another name, or not at all, the answer that requests
 * go on from there, and what they say first.
 */
const namedAnswer = object({
  ...{ at: amount, calls, earlier: optional(list(calls)) },
  standIn: optional(object({ answerId: anyText, items: anyText })),
});

export type NamedAnswer = ValueOf<typeof namedAnswer>;

/**
 * Pointer that stands under an alias: the thread that it leads to, and its session. `named`: the answer itself, where requests go on from
 * it. `first`: a run's first answer to a prompt; till a prompt tells its first step nothing tells one run from others, so it leads to no thread.
 */
const pointerShape = object({
  ...{ thread: anyText as InputShape<ThreadKey>, session: anyText, source: anyText },
  ...{ named: optional(namedAnswer), first: optional(openShape) },
});

export type Pointer = ValueOf<typeof pointerShape>;

export interface Answered {
  readonly step: Step;
  readonly aliases: StepAliases;
  readonly named?: NamedAnswer | undefined;
  /** Ids that later requests refer to it by. That of a stored conversation stands for its newest answer: each one replaces it. */
  readonly references: readonly { readonly id: string; readonly isReplaced: boolean }[];
  /** Its index in its thread, where the next request may show it alone. */
  readonly lastCallAt?: number | undefined;
  /** Its half of its step, where prompts will tell its words. */
  readonly told?: OpenStep | undefined;
}

const MAX_EARLIER = 64;

const MAX_CALLS = 32;

export function referredCalls(steps: readonly Pick<Step, "calls">[]): readonly NamedAnswer["calls"][] {
  const referred = ({ id, tool }: Call) => ({ ...(id !== undefined && { id }), tool });
  return steps.slice(-MAX_EARLIER).map(({ calls: made }) => made.slice(0, MAX_CALLS).map(referred));
}

export function readPointer(stored: Stored | undefined): Pointer | undefined {
  return readRecord(pointerShape, stored?.json);
}

export interface StepAliases {
  readonly alias: ThreadKey | undefined;
  readonly passed: ThreadKey | undefined;
  readonly repeatsIds: boolean;
}

/** @param steps that the request has added to what was known of it @param base the aliases as they were known */
export function stepAliases(
  answer: Step,
  steps: readonly Step[],
  identity: Identity,
  base: Omit<StepAliases, "passed"> | undefined,
  sign: Sign,
): StepAliases {
  const { repeatsIds = false } = base ?? {};
  // A first step's history is whole, and runs that begin alike would all be led to one.
  const isFound = !repeatsIds && steps.length > 0 && isTelling(answer, steps, identity);
  const ids = [...steps, answer].flatMap((step) => step.calls.map(({ id }) => id));
  return {
    alias: isFound ? stepAlias(identity, answer, sign) : undefined,
    passed: base === undefined ? aliasOf(steps, identity, sign) : base.alias,
    // Calls without an id have one in common, too.
    repeatsIds: repeatsIds || new Set(ids).size < ids.length,
  };
}

/**
 * Saves the aliases of a thread by the step just answered; of one that is not replaced the first writer wins. That of the step before is
 * removed: a history that carries that step carries this one, too. @throws whatever the store throws
 */
export async function saveAliases(
  store: SessionStore,
  identity: Identity,
  answered: Answered,
  sign: Sign,
  ttlMs: number,
): Promise<void> {
  const { thread, label: session, source, beginning } = identity;
  const { step, aliases, named, references, lastCallAt: at, told } = answered;
  const save = async (name: ThreadKey | undefined, more: Partial<Pointer>, isReplaced: boolean) => {
    if (name === undefined) return;
    const version = isReplaced ? ((await store.read(name))?.version ?? 0) : 0;
    await store.write(name, JSON.stringify({ thread, session, source, ...more }), version, ttlMs);
  };
  const lines = told === undefined || beginning === undefined ? [] : lastLines(step.text, sign);
  const retold = told?.at === 0 ? { first: encodedOpen(told) } : {};
  const { alias, passed } = aliases;
  await Promise.all([
    save(alias, {}, false),
    ...references.map(({ id, isReplaced }) =>
      save(answerAlias(identity, id, sign), named ? { named } : {}, isReplaced),
    ),
    at !== undefined && save(lastCallAlias(identity, step, sign), { named: { at, calls: [] } }, true),
    ...lines.map((line) => save(lineAlias(identity, line, sign), retold, true)),
    passed === undefined || passed === alias ? undefined : store.remove(passed),
  ]);
}

/** The alias of a history's newest step, if that tells its thread from all others. */
export function aliasOf(steps: readonly Step[], identity: Identity, sign: Sign): ThreadKey | undefined {
  const newest = steps.at(-1);
  if (newest === undefined || !isTelling(newest, steps.slice(0, -1), identity)) return undefined;
  return stepAlias(identity, newest, sign);
}

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

/** Clients write a call's arguments anew: with other blanks, in another order, with what they take for granted filled in. */
function stepAlias(owner: Identity, step: Step, sign: Sign): ThreadKey {
  return aliasIn(owner, `step\u0000${randomIds(step) ?? stepKey(step, sign)}`, sign, owner.isGiven);
}

/** Undefined for every step but one that a run's requests may show alone, and whose ids come again in other runs. */
export function lastCallAlias(owner: Identity, step: Step | undefined, sign: Sign): ThreadKey | undefined {
  if (owner.beginning === undefined || step === undefined || !showsLastCall({ steps: [step] })) return undefined;
  const made = step.calls.map(({ id, tool, args }) => `${id}\u0000${tool}\u0000${rewritten(args)}`);
  return aliasIn(owner, `last\u0000${owner.beginning}\u0000${made.join("\u0001")}`, sign, owner.isGiven);
}

/** Longer arguments are taken as they are written. In characters. */
const MAX_REWRITTEN = 4_096;

const rewritten = (args: string) => (args.length > MAX_REWRITTEN ? args : (JSON.stringify(parseJson(args)) ?? args));

export function lineAlias(owner: Identity, line: string, sign: Sign): ThreadKey {
  return aliasIn(owner, `told\u0000${owner.beginning}\u0000${line}`, sign);
}

export function answerAlias(owner: Identity, answerId: string, sign: Sign): ThreadKey {
  return aliasIn(owner, `answer\u0000${answerId}`, sign);
}

/** @param isBeside it is kept beside the threads of its session, else within the tenant */
function aliasIn({ tenant, key }: Identity, text: string, sign: Sign, isBeside = false): ThreadKey {
  const signature = sign(`alias\u0000${tenant}\u0000${text}`);
  return (isBeside ? `${key}.${signature}-alias` : `${sessionKey(signature, tenant)}.alias`) as ThreadKey;
}

import { stepKey } from "../../engine/engine.ts";
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
import type { Call, Step } from "../../step.ts";
import { sessionKey, type SessionStore, type Stored, type ThreadKey } from "../../store/store.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { Sign } from "../../text/sign.ts";
import type { OpenStep } from "../ledger/ledger.ts";
import { encodedOpen, openShape } from "../ledger/ledger-text.ts";
import { lastLines } from "../ledger/answers.ts";
import { type Identity, randomIds, showsLastCall } from "./identify.ts";

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
  base: Pick<StepAliases, "alias" | "repeatsIds"> | undefined,
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

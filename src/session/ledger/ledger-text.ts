import { fingerprintCodec } from "../../engine/engine.ts";
import type { Mutable } from "../../mutable.ts";
import { noMemory } from "../../policy/policy.ts";
import type { Plain, SessionStore, ThreadKey } from "../../store/store.ts";
import { isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { AppendedMessage } from "./appended-messages.ts";
import { changeRecord, type RecordForm } from "../change-record.ts";
import type { Arrivals } from "./arrivals.ts";
import { type EvaluationContext, isSchema, type Ledger, reach, type StepRecord } from "./ledger.ts";
import { advanceBy } from "./advance.ts";

type EncodedFingerprint = ReturnType<typeof fingerprintCodec.encode>;

/**
 * A ledger as it stands in a store: under names of one letter, without what it would say anyway, and with its fingerprints
 * still encoded. A short run has hardly more than its fields' names otherwise.
 */
type EncodedLedger = Mutable<Omit<Ledger, "window" | "pending" | "relayed">> & {
  window: readonly EncodedFingerprint[];
  pending?: Omit<StepRecord, "fingerprint"> & { readonly fingerprint: EncodedFingerprint };
  relayed?: Omit<NonNullable<Ledger["relayed"]>, "fingerprint"> & { readonly fingerprint: EncodedFingerprint };
};

/** Those with a form of their own. */
type Own = "schema" | "total" | "carried" | "root" | "window" | "pending" | "relayed" | "grown";

const LEDGER = {
  prefix: "p",
  since: "s",
  heard: "h",
  language: "l",
  requestedRepeats: "q",
  memory: "m",
  interventions: "i",
  counter: "k",
  userItems: "u",
  standing: "d",
  resultItems: "t",
  compactions: "o",
  budgetKey: "b",
  endedBy: "e",
  advice: "a",
} satisfies Record<Exclude<keyof Ledger, Own>, string>;

/** What most ledgers say; nobody changes these. */
const USUAL: Readonly<Record<string, unknown>> = {
  prefix: "",
  since: 0,
  heard: [],
  language: "en",
  requestedRepeats: 0,
  memory: noMemory,
  interventions: [],
};

const STEP = {
  fingerprint: "f",
  prefix: "p",
  language: "l",
  requestedRepeats: "q",
  userItems: "u",
  resultItems: "t",
} satisfies { readonly [Name in keyof StepRecord]?: string };

type Fields = Readonly<Record<string, unknown>>;

const FIELDS = Object.entries(LEDGER);
const SHORT_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(STEP));
const STEP_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(STEP).map(([name, short]) => [short, name]));

/** A ledger as JSON; what `readLedger` reads. */
export function ledgerText(ledger: Ledger): string {
  const { window, pending, relayed } = ledger;
  const { encode } = fingerprintCodec;
  return JSON.stringify({
    ...encodedFields(ledger),
    w: window.map(encode),
    ...(pending && { x: { f: encode(pending.fingerprint), ...encodedStep(pending) } }),
    ...(relayed && { y: { ...relayed, fingerprint: encode(relayed.fingerprint) } }),
  });
}

/** Undefined for anything that is not a ledger of this version, such as a record cut short: the history tells the rest. */
export function readLedger(json: string): Ledger | undefined {
  const saved = readEncoded(json);
  if (saved === undefined) return undefined;
  const { window, pending, relayed, ...fields } = saved;
  const { decode } = fingerprintCodec;
  return {
    ...fields,
    window: window.map(decode),
    ...(relayed && { relayed: { ...relayed, fingerprint: decode(relayed.fingerprint) } }),
    ...(pending && { pending: { ...pending, fingerprint: decode(pending.fingerprint) } }),
  };
}

/** Undefined for a ledger that holds what cannot be rebuilt from a history. */
export function plainOf(ledger: Ledger): Plain | undefined {
  const {
    schema,
    since,
    total,
    carried,
    interventions,
    grown = [],
    budgetKey,
    relayed,
    advice,
    memory,
    pending,
  } = ledger;
  if (interventions.length > 0) return undefined;
  // Which calls of a message came together is known by those who saw it grow.
  if (grown.some(({ ends }) => ends.length !== 1)) return undefined;
  const { intercepted, goalChange, opinion } = pending ?? {};
  const others = [budgetKey, relayed, advice, memory.doubt, intercepted, goalChange, opinion];
  if (others.some((one) => one !== undefined)) return undefined;
  if (pending === undefined) return total === 0 ? { root: "", length: 0 } : undefined;
  // That of the first step is known once it is counted.
  const root = total === 0 ? pending.fingerprint.key : (ledger.root ?? "");
  return { root: [schema, since, total - carried, root].join(" "), length: reach(ledger) };
}

export const ledgerForm: RecordForm<Ledger> = { read: readLedger, text: ledgerText, plain: plainOf };

/** Fields of a ledger beside its fingerprints, to be written as JSON. */
function encodedFields({ window, pending: _, relayed: __, ...ledger }: Ledger): Record<string, unknown> {
  const { schema, total, carried, root, grown } = ledger;
  const saved: Record<string, unknown> = { v: schema, n: total };
  if (carried !== total) saved.c = carried;
  if (root !== usualRoot(window.map(keyOf), total)) saved.r = root ?? null;
  for (const [name, short] of FIELDS) {
    const value: unknown = Reflect.get(ledger, name);
    if (value !== undefined && !isUsual(name, value)) saved[short] = value;
  }
  if (grown !== undefined) saved.g = grown.map(({ at, ends }) => [at, ...ends.flat()]);
  return saved;
}

const keyOf = ({ key }: { readonly key: string }): string => key;

function isUsual(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 && name in USUAL;
  if (name === "memory") return JSON.stringify(value) === JSON.stringify(noMemory);
  return value === USUAL[name];
}

/** The same of a pending step. */
function encodedStep({ fingerprint: _, arrivals, ...step }: StepRecord): Record<string, unknown> {
  const saved: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(step)) saved[SHORT_NAMES.get(name) ?? name] = value;
  if (arrivals !== undefined) saved.r = [arrivals.terms, arrivals.answer, ...arrivals.at];
  return saved;
}

/** Undefined for anything that is not a ledger of this version, such as a record cut short. The check is deep enough that a damaged one cannot break a request. */
function readEncoded(json: string): EncodedLedger | undefined {
  const value = parseJson(json);
  if (!isObject(value) || !isSchema(value.v) || !isList(value.w, fingerprintCodec.isEncoded)) return undefined;
  const { n: total, c: carried = total, w: window, x, y: relayed, g } = value;
  const [pending, grown] = [stepIn(x), grownIn(g)];
  if ((x !== undefined && pending === undefined) || (g !== undefined && grown === undefined)) return undefined;
  const ledger: Record<string, unknown> = { schema: value.v, total, carried, window };
  ledger.root =
    value.r === undefined
      ? usualRoot(
          window.map(({ k }) => k),
          total,
        )
      : (value.r ?? undefined);
  for (const [name, short] of FIELDS) {
    const field = value[short] ?? USUAL[name];
    if (field !== undefined) ledger[name] = field;
  }
  if (grown !== undefined) ledger.grown = grown;
  if (relayed !== undefined) ledger.relayed = relayed;
  if (pending !== undefined) ledger.pending = pending;
  return isSound(ledger) ? ledger : undefined;
}

/** A thread's first step, where that is still in its window. */
function usualRoot(keys: readonly string[], total: unknown): string | undefined {
  return total === keys.length ? keys[0] : undefined;
}

function stepIn(value: unknown): Fields | undefined {
  if (!isObject(value) || !fingerprintCodec.isEncoded(value.f)) return undefined;
  const { r: arrivals, ...saved } = value;
  const step: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(saved)) step[STEP_NAMES.get(name) ?? name] = field;
  if (arrivals === undefined) return step;
  if (!Array.isArray(arrivals)) return undefined;
  const [terms, answer, ...at] = arrivals;
  return { ...step, arrivals: { at, terms, answer } satisfies { [Name in keyof Arrivals]: unknown } };
}

function grownIn(value: unknown): readonly AppendedMessage[] | undefined {
  return isList(value, isMessage) ? value.map(messageIn) : undefined;
}

function isMessage(value: unknown): value is readonly number[] {
  return isList(value, Number.isSafeInteger) && value.length % 2 === 1;
}

function messageIn([at = 0, ...flat]: readonly number[]): AppendedMessage {
  return { at, ends: flat.flatMap((calls, i) => (i % 2 === 0 ? [[calls, flat[i + 1] ?? 0] as const] : [])) };
}

function isSound(ledger: Fields): ledger is Fields & EncodedLedger {
  const { total, carried, since, requestedRepeats, prefix, heard, interventions, memory, relayed, advice } = ledger;
  const { fingerprint, said } = isObject(relayed) ? relayed : {};
  return (
    [total, carried, since, requestedRepeats].every((count) => typeof count === "number" && count >= 0) &&
    typeof prefix === "string" &&
    Array.isArray(heard) &&
    isList(interventions, (one) => isObject(one) && typeof one.at === "number") &&
    (relayed === undefined || (fingerprintCodec.isEncoded(fingerprint) && Array.isArray(said))) &&
    (advice === undefined || isList(advice, isAdvice)) &&
    isObject(memory) &&
    isObject(memory.loops)
  );
}

/** Deep enough that a damaged one cannot break a request. */
function isAdvice(one: unknown): boolean {
  return isObject(one) && typeof one.at === "number" && [one.score ?? {}, one.opinion ?? {}].every(isObject);
}

function isList<One>(value: unknown, is: (one: unknown) => one is One): value is readonly One[];
function isList(value: unknown, is: (one: unknown) => boolean): value is readonly unknown[];
function isList(value: unknown, is: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

/** A ledger with the last step of the last request counted as it stands, whatever may still come of it. */
export function withPendingCounted(ledger: Ledger, evaluation: EvaluationContext): Ledger {
  return ledger.pending === undefined ? ledger : advanceBy(ledger, ledger.pending, evaluation);
}

/**
 * A ledger after an operator has released its run: no block stands, and what repeats from here on is counted afresh, as
 * after a user's new message. Notes that were given stay in their places, for the model and the prompt cache.
 */
function releasedLedger(ledger: Ledger, evaluation: EvaluationContext): Ledger {
  const record = withPendingCounted(ledger, evaluation);
  const notes = record.interventions.filter(({ rung }) => rung === "nudge");
  return { ...record, since: record.total, memory: noMemory, interventions: notes };
}

/** Lifts every block in a thread. Requests that come meanwhile are waited out. @throws whatever the store throws */
export async function releaseThread(
  store: SessionStore,
  thread: ThreadKey,
  evaluation: EvaluationContext,
  ttlMs: number,
): Promise<void> {
  await changeRecord(store, thread, { ...ledgerForm, ttlMs }, (ledger) =>
    ledger === undefined || ledger.interventions.length === 0 ? undefined : releasedLedger(ledger, evaluation),
  );
}

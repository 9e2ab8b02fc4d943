import { type Fingerprint, fingerprintCodec, memoizeByRef } from "../../engine/engine.ts";
import { noMemory } from "../../policy/policy.ts";
import type { Plain, SessionStore, ThreadKey } from "../../store/store.ts";
import { isObject } from "../../text/is-object.ts";
import { parseJson } from "../../text/parse-json.ts";
import { type EvaluationContext, isSchema, type Ledger, reach, type StepRecord } from "./ledger.ts";
import { advanceBy } from "./advance.ts";
import { decodedOpen, encodedOpen } from "./open-step.ts";

/** A ledger as JSON; what `readLedger` reads. Its window's steps are written once: from one exchange to the next all but one stay. */
export function ledgerText({ window, pending, open, ...fields }: Ledger): string {
  const others = JSON.stringify({
    ...fields,
    ...(pending && { pending: { ...pending, fingerprint: fingerprintCodec.encode(pending.fingerprint) } }),
    ...(open && { open: encodedOpen(open) }),
  });
  return `{"window":[${window.map(textOf).join(",")}],${others.slice(1)}`;
}

const textOf = memoizeByRef((fingerprint: Fingerprint) => JSON.stringify(fingerprintCodec.encode(fingerprint)));

/**
 * Undefined for anything that is not a ledger of this version, such as a record cut short: the history tells the rest. The check is
 * deep enough that a damaged one cannot break a request.
 */
export function readLedger(json: string): Ledger | undefined {
  const value = parseJson(json);
  if (!isSound(value)) return undefined;
  const { isEncoded, decode } = fingerprintCodec;
  const { window, pending, open, ...fields } = value;
  const step = isObject(pending) && isEncoded(pending.fingerprint) ? pending : undefined;
  const half = decodedOpen(open);
  if (!isList(window, isEncoded) || (pending && !step) || (open && !half)) return undefined;
  return {
    ...fields,
    window: window.map(decode),
    ...(step && { pending: { ...step, fingerprint: decode(step.fingerprint) } }),
    ...(half && { open: half }),
  };
}

type EncodedFingerprint = ReturnType<typeof fingerprintCodec.encode>;
type EncodedLedger = Omit<Ledger, "window" | "pending" | "open"> & {
  readonly window: unknown;
  readonly pending?: Omit<StepRecord, "fingerprint"> & { readonly fingerprint: EncodedFingerprint };
  readonly open?: unknown;
};

function isSound(value: unknown): value is EncodedLedger {
  if (!isObject(value) || !isSchema(value.schema)) return false;
  const { total, carried, since, requestedRepeats, prefix, heard, interventions, memory, pending, grown } = value;
  const { arrivals } = isObject(pending) ? pending : {};
  return (
    [total, carried, since, requestedRepeats].every((count) => typeof count === "number" && count >= 0) &&
    typeof prefix === "string" &&
    Array.isArray(heard) &&
    isList(interventions, isIntervention) &&
    (grown === undefined || isList(grown, (one) => isObject(one) && isList(one.ends, Array.isArray))) &&
    (arrivals === undefined || (isObject(arrivals) && Array.isArray(arrivals.at))) &&
    isObject(memory) &&
    isObject(memory.loops)
  );
}

/** What a note is made of: nothing else of a record speaks to a model. */
function isIntervention(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { at, about, count, rung, note, language, detector } = value;
  return (
    [at, about, count].every((one) => typeof one === "number") &&
    [rung, note, language, detector].every((one) => typeof one === "string")
  );
}

function isList<One>(value: unknown, is: (one: unknown) => one is One): value is readonly One[];
function isList(value: unknown, is: (one: unknown) => boolean): boolean;
function isList(value: unknown, is: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

/** Undefined for a ledger that holds what cannot be rebuilt from a history. */
export function plainOf(ledger: Ledger): Plain | undefined {
  const { schema, since, total, carried, interventions, grown = [], budgetKey, open, advice, memory, pending } = ledger;
  if (interventions.length > 0) return undefined;
  // Which calls of a message came together is known by those who saw it grow.
  if (grown.some(({ ends }) => ends.length !== 1)) return undefined;
  const { intercepted, goalChange, opinion } = pending ?? {};
  const others = [budgetKey, open, advice, memory.doubt, intercepted, goalChange, opinion];
  if (others.some((one) => one !== undefined)) return undefined;
  if (pending === undefined) return total === 0 ? { root: "", length: 0 } : undefined;
  // That of the first step is known once it is counted.
  const root = total === 0 ? pending.fingerprint.key : (ledger.root ?? "");
  return { root: [schema, since, total - carried, root].join(" "), length: reach(ledger) };
}

/** This many writers at once lose nothing; beyond that the record is left to the others. */
const MAX_ATTEMPTS = 32;

/**
 * Changes a thread's ledger by compare-and-set: `change` is asked again with what another writer has left. Nothing is written where it
 * gives undefined, or what is there. Undefined after too many lost races. @throws whatever the store throws
 */
export async function changeLedger(
  store: SessionStore,
  thread: ThreadKey,
  ttlMs: number,
  change: (ledger: Ledger | undefined) => Ledger | undefined,
) {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const stored = await store.read(thread);
    const { version = 0 } = stored ?? {};
    const before = stored && readLedger(stored.json);
    const ledger = change(before);
    if (ledger === undefined || ledger === before) return { ledger: before, version, before };
    if (await store.write(thread, ledgerText(ledger), version, ttlMs, plainOf(ledger)))
      return { ledger, version: version + 1, before };
  }
  return undefined;
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
  await changeLedger(store, thread, ttlMs, (ledger) =>
    ledger === undefined || ledger.interventions.length === 0 ? undefined : releasedLedger(ledger, evaluation),
  );
}

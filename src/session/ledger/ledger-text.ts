import { fingerprintCodec, type Fingerprint, memoizeByRef } from "../../engine/engine.ts";
import {
  anyText,
  check,
  type InputShape,
  list,
  numberFrom,
  object,
  optional,
  readRecord,
  wholeNumberFrom,
} from "../../shapes/shapes.ts";
import type { Plain } from "../../store/store.ts";
import { EMPTY, type Ledger, type OpenStep, reach, SCHEMA, type StepRecord } from "./ledger.ts";

const { encode, decode, isEncoded } = fingerprintCodec;

type Encoded = ReturnType<typeof encode>;

/** A ledger as JSON. Each step is written once: from one exchange to the next all of them stay. */
export function ledgerText(ledger: Ledger): string {
  const { window, pending, open } = ledger;
  const others = JSON.stringify({ ...ledger, window: undefined, pending: undefined, open: open && encodedOpen(open) });
  const record = JSON.stringify({ ...pending, fingerprint: undefined });
  const last = pending && `"pending":{"fingerprint":${textOf(pending.fingerprint)},${record.slice(1)},`;
  return `{"window":[${window.map(textOf).join(",")}],${last ?? ""}${others.slice(1)}`;
}

const textOf = memoizeByRef((fingerprint: Fingerprint) => JSON.stringify(encode(fingerprint)));

export const stepShape = check<Encoded>({}, (value) => (isEncoded(value) ? undefined : "must be a fingerprint."));

export interface EncodedOpen extends Omit<OpenStep, "fingerprint" | "calls"> {
  readonly fingerprint: Encoded;
  readonly calls?: readonly Encoded[];
}

const whole = wholeNumberFrom(0);

export const openShape = object({
  ...{ fingerprint: stepShape, calls: optional(list(stepShape)), at: whole, said: list(anyText) },
}) as InputShape<EncodedOpen>;

export function encodedOpen({ fingerprint, calls, ...open }: OpenStep): EncodedOpen {
  return { ...open, fingerprint: encode(fingerprint), ...(calls && { calls: calls.map(encode) }) };
}

export function decodedOpen({ fingerprint, calls, ...open }: EncodedOpen): OpenStep {
  return { ...open, fingerprint: decode(fingerprint), ...(calls && { calls: calls.map(decode) }) };
}

interface EncodedLedger extends Omit<Ledger, "window" | "pending" | "open"> {
  readonly window: readonly Encoded[];
  readonly pending?: Omit<StepRecord, "fingerprint"> & { readonly fingerprint: Encoded };
  readonly open?: EncodedOpen;
}

const number = numberFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

/** What a note is made of: nothing else of a record speaks to a model. */
const intervention = object({
  ...{ at: number, about: number, count: number },
  ...{ rung: anyText, note: anyText, language: anyText, detector: anyText, tools: list(anyText) },
});

/** Deep enough that a damaged record cannot break a request. */
const ledgerShape = object({
  schema: wholeNumberFrom(SCHEMA, SCHEMA),
  ...{ total: whole, carried: whole, since: whole, requestedRepeats: whole },
  ...{ prefix: anyText, heard: list(anyText), window: list(stepShape), interventions: list(intervention) },
  memory: object({ loops: object({}) }),
  open: optional(openShape),
  pending: optional(object({ fingerprint: stepShape, arrivals: optional(object({ at: list(number) })) })),
  grown: optional(list(object({ ends: list(list(number)) }))),
}) as unknown as InputShape<EncodedLedger>;

/** Undefined for what is no ledger of this version, such as a record cut short: the history tells the rest. */
export function readLedger(json: string): Ledger | undefined {
  const record = readRecord(ledgerShape, json);
  if (record === undefined) return undefined;
  const { window, pending, open, ...fields } = record;
  return Object.assign({ ...EMPTY }, fields, {
    window: window.map(decode),
    pending: pending && { ...pending, fingerprint: decode(pending.fingerprint) },
    open: open && decodedOpen(open),
  });
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

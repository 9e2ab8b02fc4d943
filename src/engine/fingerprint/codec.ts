import type { Mutable } from "../../mutable.ts";
import { isObject as isRecord } from "../../text/is-object.ts";
import type { CallFingerprint } from "./call-fingerprint.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { OutcomeFingerprint } from "./outcome-fingerprint.ts";

export const fingerprintCodec = { encode, decode, isEncoded };

/** A fingerprint as it is written down: under short names, and without what it would say anyway. Plain JSON. */
export interface EncodedFingerprint {
  readonly k: string;
  readonly c: readonly EncodedFields[];
  readonly [name: string]: unknown;
}

function encode(fingerprint: Fingerprint): EncodedFingerprint {
  const { calls, heardHashes } = fingerprint;
  const alone = standsFor(calls);
  const encoded = shortened(fingerprint, STEP, QUIET);
  if (encoded.a === alone.callsHash) encoded.a = undefined;
  if (encoded.o === alone.outcomesHash) encoded.o = undefined;
  if (heardHashes.length === 0) encoded.hs = undefined;
  encoded.c = calls.map(keptCall);
  return encoded as EncodedFingerprint;
}

function keptCall(call: CallFingerprint): EncodedFields {
  const encoded = shortened(call, CALL, PLAIN_CALL);
  if (call.outcome !== undefined) encoded.o = shortened(call.outcome, OUTCOME, PLAIN_OUTCOME);
  return encoded;
}

function decode(encoded: EncodedFingerprint): Fingerprint {
  const calls = encoded.c.map(callFrom);
  return named(encoded, STEP, { calls, heardHashes: [], ...QUIET, ...standsFor(calls) });
}

function callFrom(encoded: EncodedFields): CallFingerprint {
  const call = named<CallFingerprint>(encoded, CALL, PLAIN_CALL);
  if (isRecord(encoded.o)) call.outcome = named(encoded.o, OUTCOME, PLAIN_OUTCOME);
  return call;
}

/** Whether each value is of its field's type: what was cut, or written by hand, cannot break a request. */
function isEncoded(value: unknown): value is EncodedFingerprint {
  const isPart = (part: unknown, names: FieldNames) =>
    part === undefined || fits(part, names, ...names.map(([, n]) => n));
  const isOutcome = (told: unknown) => fits(told, OUTCOME, "s", "l", "m", "v") && isPart(told.st, STATE);
  const isCall = (call: unknown) =>
    fits(call, CALL, "t", "s", "l", "m", "w") && isPart(call.xy, POINT) && (call.o === undefined || isOutcome(call.o));
  return fits(value, STEP, "k") && Array.isArray(value.c) && value.c.every(isCall);
}

function fits(value: unknown, names: FieldNames, ...required: readonly string[]): value is EncodedFields {
  const isOf = (one: unknown, type: string) =>
    Array.isArray(one) ? type === "list" && one.every((part) => typeof part === "string") : typeof one === type;
  if (!isRecord(value) || required.some((short) => value[short] === undefined)) return false;
  return names.every(([, short, type]) => value[short] === undefined || isOf(value[short], type));
}

/** The fields by their own names, over what they usually are. Assigned: to a spread's copy each name is added ten times as slowly. */
function named<Whole>(encoded: EncodedFields, names: FieldNames, usual: EncodedFields): Mutable<Whole> {
  const whole: Record<string, unknown> = Object.assign({}, usual);
  for (const [name, short] of names) if (encoded[short] !== undefined) whole[name] = encoded[short];
  return whole as Mutable<Whole>;
}

type EncodedFields = Readonly<Record<string, unknown>>;

const STEP = inTurn({
  key: "k",
  callsHash: "a",
  order: "r",
  laps: "lp#",
  outcomesHash: "o",
  thinks: "t!",
  spawns: "sp#",
  saidHash: "s",
  saidSimilarity: "sl",
  saidWords: "sw#",
  announces: "n!",
  closes: "e#",
  chats: "ch!",
  gracious: "gr!",
  heard: "h",
  heardHashes: "hs[",
  automated: "ha!",
  heardSimilarity: "hl",
  heardWords: "hw#",
  given: "gv",
  heardCloses: "he#",
} satisfies Record<Exclude<keyof Fingerprint, "calls">, string>);

const CALL = inTurn({
  tool: "t",
  kind: "k",
  hash: "s",
  similarity: "l",
  shape: "m",
  slots: "d",
  words: "w#",
  named: "i",
  moves: "g!",
  targeted: "tg!",
  passes: "pt!",
  point: "xy*",
  names: "nm",
  sized: "z!",
  place: "p",
} satisfies Record<Exclude<keyof CallFingerprint, "outcome">, string>);

const OUTCOME = inTurn({
  hash: "s",
  similarity: "l",
  failed: "f!",
  structured: "j!",
  weight: "w",
  pending: "p!",
  cause: "c",
  shape: "m",
  slots: "d",
  words: "v#",
  complains: "r!",
  stem: "e",
  absence: "n",
  lines: "ln",
  state: "st*",
} satisfies Record<keyof OutcomeFingerprint, string>);

const POINT = inTurn({ of: "of", x: "x#", y: "y#" });
const STATE = inTurn({ hash: "hash", shape: "shape", slots: "slots", words: "words#" });

const QUIET = { saidHash: "", saidWords: 0, heard: "nothing" } as const;
const PLAIN_CALL = { kind: "other", slots: "" } as const;
const PLAIN_OUTCOME = { failed: false, weight: "informative", slots: "" } as const;

/** A turn with one call is what that call is. */
function standsFor(calls: readonly CallFingerprint[]): Pick<Fingerprint, "callsHash" | "outcomesHash"> {
  const [call] = calls;
  if (call === undefined || calls.length > 1) return { callsHash: "", outcomesHash: "" };
  return { callsHash: call.hash, outcomesHash: call.outcome?.hash ?? "?" };
}

type FieldNames = readonly (readonly [name: string, short: string, type: string])[];

/** Behind a short name stands the type of its values: a text without a sign. */
function inTurn(names: Readonly<Record<string, string>>): FieldNames {
  const types: Readonly<Record<string, string>> = { "#": "number", "!": "boolean", "*": "object", "[": "list" };
  return Object.entries(names).map(([name, said]) => [name, said.replace(/\W/, ""), types[said.slice(-1)] ?? "string"]);
}

function shortened(whole: object, names: FieldNames, usual: EncodedFields): Record<string, unknown> {
  const encoded: Record<string, unknown> = {};
  for (const [name, short] of names) {
    const value: unknown = Reflect.get(whole, name);
    if (value !== undefined && value !== usual[name]) encoded[short] = value;
  }
  return encoded;
}

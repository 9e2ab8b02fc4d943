import type { Mutable } from "../../mutable.ts";
import { isRecord } from "../is-object.ts";
import type { CallFingerprint } from "./call-fingerprint.ts";
import {
  CALL,
  type EncodedFields,
  type FieldNames,
  OUTCOME,
  PLAIN_CALL,
  PLAIN_OUTCOME,
  QUIET,
  shortened,
  standsFor,
  STEP,
} from "./encoded-fields.ts";
import type { Fingerprint } from "./fingerprint.ts";

/** Codec of fingerprints by name, for whoever reads a run elsewhere. */
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
  // JSON leaves out what is undefined.
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

/** Deep enough that what was cut, or written by hand, cannot break a request. */
function isEncoded(value: unknown): value is EncodedFingerprint {
  return isRecord(value) && typeof value.k === "string" && Array.isArray(value.c) && value.c.every(isRecord);
}

/** The fields by their own names, over what they usually are. Assigned: to a spread's copy each name is added ten times as slowly. */
function named<Whole>(encoded: EncodedFields, names: FieldNames, usual: EncodedFields): Mutable<Whole> {
  const whole: Record<string, unknown> = Object.assign({}, usual);
  for (const [name, short] of names) if (encoded[short] !== undefined) whole[name] = encoded[short];
  return whole as Mutable<Whole>;
}

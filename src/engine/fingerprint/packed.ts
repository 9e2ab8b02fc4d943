import type { Mutable } from "../../mutable.ts";
import type { Likeness } from "../../scan/scan.ts";
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
import type { OutcomeFingerprint } from "./outcome-fingerprint.ts";

/** A fingerprint for records of whole threads: what every step has stands in turn and without names. Key and what was said, a list for each call, and whatever else is told, by name. Plain JSON. */
export type PackedFingerprint = readonly [head: string, ...parts: unknown[]];

/** Codec of packed fingerprints, for stores. */
export const fingerprintPacking = { pack, unpack, isPacked, keyOf };

const HEAD: readonly string[] = ["key", "saidHash"];
const LIKENESS: readonly string[] = ["hash", "shape", "similarity", "slots", "words"];
const STEP_RARE = without(STEP, HEAD);
const CALL_RARE = without(CALL, ["tool", ...LIKENESS]);
const OUTCOME_RARE = without(OUTCOME, LIKENESS);

function without(names: FieldNames, common: readonly string[]): FieldNames {
  return names.filter(([name]) => !common.includes(name));
}

function pack(fingerprint: Fingerprint): PackedFingerprint {
  const { key, saidHash, calls, heardHashes } = fingerprint;
  const alone = standsFor(calls);
  const rare = shortened(fingerprint, STEP_RARE, QUIET);
  if (heardHashes.length === 0) rare.hs = undefined;
  if (rare.a === alone.callsHash) rare.a = undefined;
  if (rare.o === alone.outcomesHash) rare.o = undefined;
  const head = saidHash === "" ? key : `${key} ${saidHash}`;
  return [head, ...withRare(calls.map(packedCall), rare)];
}

function packedCall(call: CallFingerprint): readonly unknown[] {
  const { tool, words, outcome } = call;
  const list: unknown[] = [tool, likenessText(call), words];
  if (outcome !== undefined) list.push(packedOutcome(outcome));
  return withRare(list, shortened(call, CALL_RARE, PLAIN_CALL));
}

function packedOutcome(outcome: OutcomeFingerprint): readonly unknown[] {
  return withRare([likenessText(outcome), outcome.words], shortened(outcome, OUTCOME_RARE, PLAIN_OUTCOME));
}

function withRare(list: unknown[], rare: EncodedFields): readonly unknown[] {
  for (const name of Object.keys(rare)) {
    if (rare[name] === undefined) continue;
    list.push(rare);
    break;
  }
  return list;
}

function likenessText({ hash, shape, similarity, slots }: Likeness & { readonly hash: string }): string {
  const text = `${hash} ${shape} ${shortSketch(similarity)}`;
  return slots === "" ? text : `${text} ${slots}`;
}

/** Written out: a run's window is read again with each request that another process has served. */
function unpack([head, ...parts]: PackedFingerprint): Fingerprint {
  const end = head.indexOf(" ");
  const last = parts.at(-1);
  const rare = isRecord(last) ? last : undefined;
  const calls = (rare === undefined ? parts : parts.slice(0, -1)).map(unpackedCall);
  const { callsHash, outcomesHash } = standsFor(calls);
  const { saidWords, heard } = QUIET;
  const [key, saidHash] = end === -1 ? [head, ""] : [head.slice(0, end), head.slice(end + 1)];
  const fingerprint = { key, calls, callsHash, outcomesHash, saidHash, saidWords, heard, heardHashes: [] };
  return withNamed(fingerprint, rare, STEP_RARE);
}

function unpackedCall(list: unknown): CallFingerprint {
  const [tool, text, words, outcome, last = outcome] = list as PackedCall;
  const { hash, shape, similarity, slots } = likenessOf(text);
  const { kind } = PLAIN_CALL;
  const call: Mutable<CallFingerprint> = { tool, kind, hash, similarity, shape, slots, words };
  if (Array.isArray(outcome)) call.outcome = unpackedOutcome(outcome as unknown as PackedOutcome);
  return withNamed(call, last, CALL_RARE);
}

type PackedCall = readonly [tool: string, text: string, words: number, ...unknown[]];
type PackedOutcome = readonly [text: string, words: number, rare?: unknown];

function unpackedOutcome([text, words, rare]: PackedOutcome): OutcomeFingerprint {
  const { hash, shape, similarity, slots } = likenessOf(text);
  const { failed, weight } = PLAIN_OUTCOME;
  return withNamed({ hash, similarity, failed, weight, shape, slots, words }, rare, OUTCOME_RARE);
}

function withNamed<Whole extends object>(whole: Whole, rare: unknown, names: FieldNames): Whole {
  if (!isRecord(rare)) return whole;
  for (const [name, short] of names) if (rare[short] !== undefined) Reflect.set(whole, name, rare[short]);
  return whole;
}

function likenessOf(text: string) {
  const [hash = "", shape = "", sketch = "", slots = ""] = text.split(" ");
  return { hash, shape, similarity: wholeSketch(sketch), slots };
}

/** Deep enough that what was cut, or written by hand, cannot break a request. */
function isPacked(value: unknown): value is PackedFingerprint {
  return Array.isArray(value) && typeof value[0] === "string" && value.slice(1).every(isPart);
}

function isPart(part: unknown, i: number, { length }: readonly unknown[]): boolean {
  if (!Array.isArray(part)) return isRecord(part) && i === length - 1;
  return typeof part[0] === "string" && typeof part[1] === "string" && isOutcome(part[3]);
}

function isOutcome(value: unknown): boolean {
  return !Array.isArray(value) || typeof value[0] === "string";
}

/** The step's key, without reading the rest. */
function keyOf([head]: PackedFingerprint): string {
  const end = head.indexOf(" ");
  return end === -1 ? head : head.slice(0, end);
}

// --- Sketches: most buckets of a short text are empty ---

/** For two empty buckets in a row, three and so on; none of them is in a sketch, a signature or an escape of JSON. */
const RUNS = "!#$%&'()*,-:;<=>?@[]^_`{|}~";
const FEWEST = 2;
const DOT = ".".charCodeAt(0);
/** By the code of a character: how many empty buckets it stands for. */
const RUN_LENGTHS = Uint8Array.from({ length: 128 }, (_, code) => RUNS.indexOf(String.fromCharCode(code)) + FEWEST);

const MOST = RUNS.length + FEWEST - 1;

function shortSketch(sketch: string): string {
  const codes: number[] = [];
  for (let i = 0; i < sketch.length; i++) {
    let end = i;
    while (end < sketch.length && end - i < MOST && sketch.charCodeAt(end) === DOT) end++;
    const length = end - i;
    codes.push(length < FEWEST ? sketch.charCodeAt(i) : RUNS.charCodeAt(length - FEWEST));
    if (length >= FEWEST) i = end - 1;
  }
  return String.fromCharCode(...codes);
}

function wholeSketch(text: string): string {
  const codes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const length = RUN_LENGTHS[code] ?? 0;
    if (length < FEWEST) codes.push(code);
    else for (let dots = 0; dots < length; dots++) codes.push(DOT);
  }
  return String.fromCharCode(...codes);
}

import type { Mutable } from "../../mutable.ts";
import type { Outcome } from "../../step.ts";
import { canonicalForm, jsonIn } from "./canonical.ts";
import { type Codes, lineCodes } from "../../text/codes.ts";
import { type ListedCells, type Likeness, likenessOf } from "../../scan/scan.ts";
import { absenceIn } from "../reading/denial.ts";
import { type Cause, type OutcomeReading, type ReadingTerms, readOutcome } from "../reading/outcome.ts";
import { memoizeByRef } from "../memoize-by-ref.ts";
import { hashText } from "../../text/hash.ts";
import { withoutReminders } from "../../text/reminders.ts";
import { type Json, isObject as isRecord } from "../../text/is-object.ts";
import type { Sign } from "../../text/sign.ts";
import type { Work } from "../../work.ts";
import { LONGEST_LIST } from "../reading/user-list.ts";
import { ID_FIELD, volatileFields, withoutStamps } from "./volatile.ts";

/** Fingerprint of an outcome: what it was found to be, and signatures by which it is compared. */
export interface OutcomeFingerprint extends Omit<OutcomeReading, "cause" | "pending" | "structured">, Likeness {
  readonly structured?: true;
  readonly pending?: true;
  /** The beginning of the signature of what it is without its last paragraph, where that may be a note. */
  readonly stem?: string;
  readonly cause?: Cause;
  readonly hash: string;
  readonly lines?: Codes;
  readonly state?: ShownState;
  /** Shape of a report that nothing was found, whatever was searched for. */
  readonly absence?: string;
}

export type ShownState = Pick<OutcomeFingerprint, "hash"> & Omit<Likeness, "similarity">;

/**
 * What is left of an outcome.
 * @param reading what is known of the call; what it makes gets a name of its own each time
 * @param items takes what it lists
 */
export function outcomeFingerprint(
  outcome: Outcome,
  reading: ReadingTerms,
  sign: Sign,
  items: ListedCells | undefined,
  work: Work,
): OutcomeFingerprint {
  const text = withoutEnvelope(outcome.text);
  const value = jsonIn(text, work);
  const inner = textsOfMcp(value);
  if (inner !== undefined) {
    const failed = outcome.failed ?? readOutcome({ text }, value).failed;
    return outcomeFingerprint({ ...outcome, text: inner, ...(failed && { failed }) }, reading, sign, items, work);
  }
  const judgement = readOutcome({ ...outcome, text }, value, reading);
  const isMade = reading.makes === true && !judgement.failed;
  const meaning = canonicalOutcome(text, value, isMade, work);
  const { failed, weight, cause, pending, structured } = judgement;
  const likeness = likenessOf(meaning, value !== undefined, sign, meaning.length > LONGEST_LIST ? undefined : items);
  const fingerprint: Mutable<OutcomeFingerprint> = { hash: sign(`out\u0000${meaning}`), failed, weight, ...likeness };
  // A flag that is not there is not remembered.
  if (structured) fingerprint.structured = true;
  if (pending) fingerprint.pending = true;
  if (cause !== undefined) fingerprint.cause = cause;
  const stem = value === undefined ? stemOf(text) : undefined;
  if (stem !== undefined)
    fingerprint.stem = sign(`out\u0000${canonicalOutcome(stem, undefined, isMade, work)}`).slice(0, STEM);
  const lines = failed ? "" : lineCodes(value === undefined ? meaning : text, lineSeed(sign));
  if (lines !== "") fingerprint.lines = lines;
  if (judgement.complains === true) fingerprint.complains = true;
  const absence = failed ? undefined : absenceIn(meaning, value, reading.requested ?? []);
  if (absence !== undefined) fingerprint.absence = likenessOf(absence, value !== undefined, sign).shape;
  if (outcome.state !== undefined) fingerprint.state = shownState(outcome.state, sign);
  return fingerprint;
}

function shownState(page: string, sign: Sign): ShownState {
  const text = withoutStamps(page);
  const { shape, slots, words } = likenessOf(text, false, sign);
  return { hash: sign(`state\u0000${text}`).slice(0, STEM), shape, slots, words };
}

const lineSeed = memoizeByRef((sign: Sign) => hashText(sign("lines")));

/** Of its signature, as of a shape's: compared within one thread alone. */
const STEM = 8;
/** A note is a paragraph of its own. In characters. */
const LONGEST_NOTE = 240;

function stemOf(text: string): string | undefined {
  const end = Math.max(0, text.length - LONGEST_NOTE);
  const from = end + text.slice(end).lastIndexOf("\n\n");
  return from >= end && from > 0 ? text.slice(0, from).trim() : undefined;
}

/** @param isNew what was made, and is called otherwise each time */
function canonicalOutcome(text: string, value: Json, isNew: boolean, work: Work): string {
  if (value === undefined) return withoutStamps(text);
  const isVolatile = volatileFields();
  const keep = (key: string, field: Json): boolean =>
    !isVolatile(key, field) && !(isNew && typeof field !== "object" && ID_FIELD.test(key));
  return canonicalForm(value, work, keep, withoutStamps) ?? withoutStamps(text);
}

/** Lines above a command's output that number the telling and say how long it took; an exit code that tells of a failure stays. */
const HEADER = /^(?:(?:Chunk ID|Wall time|Original token count): .{1,64}|Process exited with code 0|Output:)(?:\n|$)/gm;
/** A header stands at the beginning. In characters. */
const HEADER_SPAN = 512;

/** What a tool gave back, without what the agent's harness says around it: that is new at every turn, whatever the tool says. */
export function withoutEnvelope(text: string): string {
  const bare = withoutReminders(text);
  if (!bare.startsWith("Chunk ID: ") && !bare.startsWith("Wall time: ")) return withoutAddenda(bare.trim());
  return withoutAddenda((bare.slice(0, HEADER_SPAN).replace(HEADER, "") + bare.slice(HEADER_SPAN)).trim());
}

/**
 * The texts of a tool's result as the Model Context Protocol wraps them; undefined for all else.
 * @param value the result's own, where it is JSON
 */
export function textsOfMcp(value: Json): string | undefined {
  if (!isRecord(value) || !Array.isArray(value.content) || value.content.length === 0) return undefined;
  const parts: readonly Json[] = value.content;
  const texts = parts.map((part) => (isRecord(part) && part.type === "text" ? part.text : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}

const MOST_ADDENDA = 4;
const CLOSING_TAG = /<\/([A-Za-z][\w-]{0,40})>$/;

/** Without marked-up blocks at the end of a result that is no markup itself: usage, hints, notes on other things. */
function withoutAddenda(text: string): string {
  if (text.startsWith("<")) return text;
  let inner = text;
  for (let i = 0; i < MOST_ADDENDA; i++) {
    const from = addendumAt(inner);
    if (from <= 0) break;
    inner = inner.slice(0, from).trimEnd();
  }
  return inner === "" ? text : inner;
}

/** What stands in these is what came back. */
const TOLD = /err|fail|out|result|content|body|status|code|data|text/i;
/** Where the last block begins, on a line of its own; -1 if there is none. */
function addendumAt(text: string): number {
  const tag = CLOSING_TAG.exec(text.slice(-48))?.[1];
  const from = tag === undefined || TOLD.test(tag) ? -1 : text.lastIndexOf(`<${tag}>`);
  return from > 0 && text.charCodeAt(from - 1) === 0x0a ? from : -1;
}

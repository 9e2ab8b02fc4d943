import type { Mutable } from "../../mutable.ts";
import type { Call, Outcome, Step } from "../../step.ts";
import { cutText, joinTexts, LONGEST_TEXT } from "../../text/text-span.ts";
import {
  type CallFingerprint,
  callFingerprint,
  type ReadingOfRequest,
  ruleFor,
  type ToolRules,
} from "./call-fingerprint.ts";
import { memoizeByRef } from "../memoize-by-ref.ts";
import { type Leave, leaveIn } from "../reading/closing.ts";
import { CODE } from "../../text/codes.ts";
import { BLANK, readSpeech, type Sketch } from "../../scan/scan.ts";
import type { Sign } from "../../text/sign.ts";
import { announces, type Heard, hearing, isAutomated, isFeedback, plainText, readHeard } from "../reading/speech.ts";
import { startsAgent } from "../reading/tool-kind.ts";
import { withoutStamps } from "./volatile.ts";
import { atOnce, type Pieces } from "../../turns.ts";
import { textWork } from "../../work.ts";

/** Fingerprint: what is left of a step when its texts are gone. Names, signatures, flags; plain JSON. */
export interface Fingerprint {
  /** Identifies the step within its thread, even among equal steps, as far as call ids allow. */
  readonly key: string;
  /** Each distinct call with its outcome, once. */
  readonly calls: readonly CallFingerprint[];
  /** All calls as a set; equal for equal turns whatever their order. */
  readonly callsHash: string;
  /** All calls as a sequence; only where the turn made several. */
  readonly order?: string;
  /** How often each of its calls stands in the turn at least, with the same outcome, up to `MAX_LAPS`; only from twice on. */
  readonly laps?: number;
  /** The outcomes of that set; equal for equal outcomes whatever their order. */
  readonly outcomesHash: string;
  /** All that it calls are tools to think with. */
  readonly thinks?: true;
  readonly spawns?: number;
  readonly saidHash: string;
  /** Blank, and no words, beside calls: there only the very same text tells anything. */
  readonly saidSimilarity?: Sketch;
  readonly saidWords: number;
  readonly announces?: true;
  /** Length of the text where it does nothing but close the conversation, in characters. */
  readonly closes?: number;
  /** Both sides have said a few words that ask for nothing: no question, no figure, one line each. */
  readonly chats?: true;
  /** Both sides have thanked or taken leave, without a question or a figure. */
  readonly gracious?: true;
  readonly heard: Heard;
  readonly heardHashes: readonly string[];
  /** It is set out, or begins, as nothing that a person says: a harness's feedback. */
  readonly automated?: true;
  readonly heardSimilarity?: Sketch;
  readonly heardWords?: number;
  /** Codes of the numbers and codes that a few words of the other side have given, in a talk. */
  readonly given?: string;
  /** Length of the longest thing heard, where all of it does nothing but close the conversation. In characters. */
  readonly heardCloses?: number;
}

/** Calls of one turn that are kept one by one; `act` and `out` stand for all of them. */
const MAX_CALLS = 32;
/** Nobody has seen what came of a call when its turn makes it again: a turn alone is worth a word, and no more. */
const MAX_LAPS = 3;
const MAX_HEARD = 16;

/** Identifies a step among those of its thread without looking at outcomes, for finding where a history goes on. */
export const stepKey = (step: Step, sign: Sign): string => keysBy(sign)(step);

const keysBy = memoizeByRef((sign: Sign) =>
  memoizeByRef(({ calls, text }: Step) => {
    const called = calls.map(({ id, tool, args }) => `${id ?? ""}\u0000${tool}\u0000${cutText(args)}`);
    return sign(`key\u0000${called.join("\u0001")}\u0001${text.slice(0, 512)}`);
  }),
);

/**
 * @param heardBefore signatures of what users said earlier in the thread: a text said again is a prompt, not news
 */
export function* readStep(
  cut: Step,
  sign: Sign,
  rules: ToolRules,
  heardBefore: ReadonlySet<string>,
  reading: ReadingOfRequest,
): Pieces<Fingerprint> {
  const { work } = reading;
  const called = cut.calls.reduce((sum, { args, outcome }) => sum + args.length + (outcome?.text.length ?? 0), 0);
  if (work.isDue(called / 8)) yield;
  const step = cutStep(cut);
  work.spend(stepWork({ ...step, calls: [] }));
  if (work.isDue()) yield;
  const prints: CallFingerprint[] = [];
  for (const call of step.calls) {
    work.spend(callWork(call));
    if (work.isDue()) yield;
    prints.push(callFingerprint(call, sign, ruleFor(rules, call.tool), reading));
  }
  const plainSaid = plainText(step.text);
  const speech = readSpeech(step.calls.length > 0 ? "" : plainSaid);
  const { signatures: heardHashes, plain } = readHeard(step.heard, sign);
  const leave = step.calls.length > 0 ? undefined : leaveIn([step.text]);
  const { calls, callsHash, outcomesHash, order, laps = 1 } = actedOf(prints, sign);
  const isOpen = step.calls.length > 0 && step.heard.length === 0 && step.calls.every(({ outcome }) => !outcome);
  // Written out, and the rare parts added: spreads would cost as much as a signature.
  const fingerprint: Mutable<Fingerprint> = {
    key: stepKey(cut, sign),
    calls,
    callsHash,
    outcomesHash: isOpen ? OPEN : outcomesHash,
    saidHash: plainSaid === "" ? "" : sign(`said\u0000${plainSaid}`),
    saidWords: speech.words,
    heard: hearing(step.heard, heardHashes, heardBefore),
    heardHashes: heardHashes.slice(-MAX_HEARD),
  };
  if (speech.like !== BLANK) fingerprint.saidSimilarity = speech.like;
  if (announces(step.text)) fingerprint.announces = true;
  if (order !== undefined) fingerprint.order = order;
  if (laps > 1) fingerprint.laps = laps;
  if (prints.length > 0 && prints.every(({ kind }) => kind === "think")) fingerprint.thinks = true;
  const spawns = step.calls.length === 0 ? 0 : cut.calls.filter(({ tool }) => startsAgent(tool)).length;
  if (spawns > 0) fingerprint.spawns = spawns;
  if (leave?.only === true) fingerprint.closes = leave.chars;
  if (step.heard.length > 0) addHeard(fingerprint, step.heard, plain, step.text, sign, leave);
  return fingerprint;
}

export const fingerprintOf = (...told: Parameters<typeof readStep>): Fingerprint => atOnce(readStep(...told));

/** What came of it is told nowhere. */
export const OPEN = "?";

const FEW_WORDS = 16;
const WORD = /[a-z\p{N}]+/gu;
/** Counters, times and most ids. */
const NAMED_BY_FIGURES = /\p{N}/u;
/** Who asks, or names a figure, or sets out more than a line, wants to go on. */
const WANTS = /[?？¿\p{N}\n"{}[\]<>:=/`]/u;

/** An order's number, an account, a name with a version: three digits tell it from a count. */
const GIVEN = /[A-Za-z\d][\w./-]{1,39}\w/g;
const QUESTION = /[?？¿]/;
const DIGIT = /\d/g;
const MOST_GIVEN = 4;

function givenIn(heard: readonly string[], sign: Sign): string {
  const statements = heard.filter((text) => !QUESTION.test(text));
  const codes = withoutStamps(statements.join("\n")).match(GIVEN) ?? [];
  return codes
    .filter((code) => (code.match(DIGIT) ?? []).length >= 3)
    .slice(0, MOST_GIVEN)
    .map((code) => sign(`given\u0000${code.toLowerCase()}`).slice(0, CODE))
    .join("");
}

/** @param plain what was heard, as it is compared */
function addHeard(
  fingerprint: Mutable<Fingerprint>,
  heard: readonly string[],
  plain: string,
  text: string,
  sign: Sign,
  leave: Leave | undefined,
): void {
  if (heard.some((text) => isAutomated(text) || isFeedback(text))) fingerprint.automated = true;
  // Of what a program says only the mould is compared, and behind an act it is a program as a rule: it counts what is left.
  const isOwn = fingerprint.calls.length === 0 && fingerprint.automated !== true;
  const { like, words } = readSpeech(
    isOwn ? plain : plain.replace(WORD, (word) => (NAMED_BY_FIGURES.test(word) ? "0" : word)),
  );
  fingerprint.heardSimilarity = like;
  fingerprint.heardWords = words;
  const given = isOwn && words <= FEW_WORDS ? givenIn(heard, sign) : "";
  if (given !== "") fingerprint.given = given;
  const { saidWords } = fingerprint;
  const areBrief = words <= FEW_WORDS && saidWords > 0 && saidWords <= FEW_WORDS && heard.length === 1;
  if (areBrief && fingerprint.announces !== true && ![heard[0] ?? "", text].some((one) => WANTS.test(one)))
    fingerprint.chats = true;
  const theirs = leaveIn(heard);
  if (leave !== undefined && theirs !== undefined) fingerprint.gracious = true;
  if (theirs?.only === true) fingerprint.heardCloses = theirs.chars;
}

type Acted = Pick<Fingerprint, "calls" | "callsHash" | "order" | "laps" | "outcomesHash">;

/** A turn with one call is what the call is; one without is nothing. */
export function actedOf(prints: readonly CallFingerprint[], sign: Sign): Acted {
  const byIdentity = distinct(prints);
  const told = [...byIdentity.values()];
  const outcomes = [...byIdentity.keys()].sort().map((one) => byIdentity.get(one)?.print.outcome?.hash ?? "?");
  const hashes = prints.map(({ hash }) => hash);
  return {
    calls: told.slice(0, MAX_CALLS).map(({ print }) => print),
    callsHash: joined([...new Set(hashes)].sort(), sign),
    outcomesHash: joined(outcomes, sign),
    ...(prints.length > 1 && {
      laps: Math.min(MAX_LAPS, ...told.map(({ count }) => count)),
      order: sign(`order\u0000${hashes.join("+")}`),
    }),
  };
}

/** By call and outcome. Of two that are equal but for what the wire says of them, the failed one stands, whatever their order. */
function distinct(prints: readonly CallFingerprint[]) {
  const byKey = new Map<string, { readonly print: CallFingerprint; readonly count: number }>();
  for (const print of prints) {
    const identity = `${print.hash} ${print.outcome?.hash ?? "?"}`;
    const { print: first, count = 0 } = byKey.get(identity) ?? {};
    byKey.set(identity, { print: print.outcome?.failed === true ? print : (first ?? print), count: count + 1 });
  }
  return byKey;
}

function joined(signatures: readonly string[], sign: Sign): string {
  return signatures.length < 2 ? (signatures[0] ?? "") : sign(signatures.join("+"));
}

/** Calls of one turn that are read one by one; of a turn with more, one call stands for all the rest. */
const MAX_READ_CALLS = 64;
const MAX_READ_HEARD = 64;
/** What a turn's arguments may have together, and so its outcomes and what was heard: it is read without a pause. In characters. */
const LONGEST_STEP = 384 * 1024;

function cutStep({ calls, text, heard }: Step): Step {
  const rest = calls.slice(MAX_READ_CALLS);
  const read = rest.length === 0 ? calls : [...calls.slice(0, MAX_READ_CALLS), inOne(rest)];
  const args = longestOf(read.map((call) => call.args));
  const outcomes = longestOf(read.map(({ outcome }) => outcome?.text ?? ""));
  const newest = heard.slice(-MAX_READ_HEARD);
  const said = longestOf(newest);
  return {
    calls: read.map((call) => cutCall(call, args, outcomes)),
    text: cutText(text),
    heard: newest.map((one) => withoutEcho(cutText(one, said), text)),
  };
}

/** Shorter answers stand in a sentence by chance; by so much one is looked for. In characters. */
const LEAST_ECHO = 16;

/** A harness that cannot use an answer says it again. */
function withoutEcho(heard: string, said: string): string {
  const plain = said.trim();
  const at = plain.length < LEAST_ECHO ? -1 : heard.indexOf(plain.slice(0, LEAST_ECHO));
  return at < 0 || !heard.startsWith(plain, at) ? heard : heard.slice(0, at) + heard.slice(at + plain.length);
}

/** To compare a step, and a call, beside their texts. */
const [STEP, CALL] = [2_048, 1_536];

export function stepWork({ calls, text, heard }: Step): number {
  let units = STEP + textWork(text);
  for (const one of heard) units += textWork(one);
  for (const call of calls) units += callWork(call);
  return units;
}

const callWork = ({ args, outcome }: Call): number => CALL + textWork(args) + textWork(outcome?.text ?? "");

/** How long each of these texts may be: all have an equal share where they are too much together. */
function longestOf(texts: readonly string[]): number {
  const sum = texts.reduce((chars, { length }) => chars + Math.min(length, LONGEST_TEXT), 0);
  return sum <= LONGEST_STEP ? LONGEST_TEXT : Math.floor(LONGEST_STEP / texts.length);
}

function inOne(calls: readonly Call[]): Call {
  const outcomes = calls.flatMap(({ outcome }) => outcome?.text ?? []);
  const call = { tool: calls[0]?.tool ?? "", args: joinTexts(calls.map(({ tool, args }) => `${tool} ${args}`)) };
  return outcomes.length === 0 ? call : { ...call, outcome: { text: joinTexts(outcomes) } };
}

function cutCall(call: Call, mostArgs: number, most: number): Call {
  const { args, outcome } = call;
  const cut = { ...call, args: cutText(args, mostArgs) };
  if (outcome === undefined) return cut;
  const shown: Outcome = { ...outcome, text: cutText(outcome.text, most) };
  return { ...cut, outcome: outcome.state === undefined ? shown : { ...shown, state: cutText(outcome.state, most) } };
}

import type { Mutable } from "../mutable.ts";
import type { Call, Outcome, Step } from "../step.ts";
import { cutText } from "../text-span.ts";
import { cutStep } from "./cut-step.ts";
import { canonicalForm, jsonIn, parseJsonText, withoutBlankEnds } from "./canonical.ts";
import { type Cause, isCorrection, type OutcomeReading, readOutcome } from "./outcome.ts";
import { isObject } from "./is-object.ts";
import { closingLength } from "./closing.ts";
import { readSpeech, sketch } from "./reading.ts";
import { announces, type Heard, hearing, heardSignature, isAutomated, plainText } from "./speech.ts";
import { type Shape, shapeOf } from "./shape.ts";
import { namedIn } from "./user-list.ts";
import { withoutEnvelope } from "./result-envelope.ts";
import type { Sign } from "./sign.ts";
import type { Sketch } from "./sketch.ts";
import { isGesture, kindOf, listOfStates, type ToolKind } from "./tool-kind.ts";
import {
  isContent,
  isCosmeticArgument,
  isVolatileArgument,
  isWaitingArgument,
  isVolatileResult,
  type Names,
  namesOfIncidents,
  namesOfThings,
  withoutPause,
  withoutStamps,
} from "./volatile.ts";

/** Tool rule: what a policy says about one tool. */
export interface ToolRule {
  /** Only these arguments make the signature. */
  readonly only?: readonly string[];
  /** These arguments never take part in it. */
  readonly ignore?: readonly string[];
  /** `ignored`: an argument that is null or an empty text is one that was left out. */
  readonly empty?: "counts" | "ignored";
  /** Overrules what the tool's name and arguments suggest. */
  readonly kind?: ToolKind;
}

/** By tool; `*` is for what a tool's own rule does not say, and for tools without one. */
export type ToolRules = Readonly<Record<string, ToolRule>>;

export interface OutcomeFingerprint extends Omit<OutcomeReading, "cause">, Shape {
  /** The signature of what it is without its last paragraph, where that may be a note. */
  readonly stem?: string;
  readonly cause?: Cause;
  readonly hash: string;
  readonly similarity: Sketch;
}

export interface CallFingerprint extends Shape {
  /** It moves on from where things stand. */
  readonly moves?: true;
  /** Which of the items that the user has listed it names, if any. */
  readonly named?: string;
  readonly tool: string;
  readonly kind: ToolKind;
  readonly hash: string;
  readonly similarity: Sketch;
  /** Missing until the call is answered. */
  readonly outcome?: OutcomeFingerprint;
}

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
  /** The outcomes of that set; equal for equal outcomes whatever their order. */
  readonly outcomesHash: string;
  /** All that it calls are tools to think with. */
  readonly thinks?: true;
  /** What was said beside the calls, normalised; empty when nothing was. */
  readonly said: string;
  /** Blank, and no words, beside calls: there only the very same text tells anything. */
  readonly saidSimilarity: Sketch;
  readonly saidWords: number;
  /** The text says that something will be done now. */
  readonly announces: boolean;
  /** Length of the text where it does nothing but close the conversation, in characters. */
  readonly closes?: number;
  /** Both sides have said a few words that ask for nothing: no question, no figure, one line each. */
  readonly chats?: true;
  readonly heard: Heard;
  readonly heardHashes: readonly string[];
  /** A harness said that it could not use the answer. */
  readonly corrected?: true;
  /** It is set out as no person sets out what they say: a harness's feedback. */
  readonly automated?: true;
  /** What was heard, where anything was. */
  readonly heardSimilarity?: Sketch;
  readonly heardWords?: number;
  /** Length of the longest thing heard, where all of it does nothing but close the conversation. In characters. */
  readonly heardCloses?: number;
}

/** Calls of one turn that are kept one by one; `act` and `out` stand for all of them. */
const MAX_CALLS = 32;
/** The latest user messages after one turn that are kept. */
const MAX_HEARD = 16;

/** Identifies a step among those of its thread without looking at outcomes: cheap, for finding where a history goes on. */
export function stepKey(step: Step, sign: Sign): string {
  return sign(`key\u0000${stepText(step)}`);
}

/** What `stepKey` signs. */
export function stepText({ calls, text }: Step): string {
  const called = calls.map(({ id, tool, args }) => `${id ?? ""}\u0000${tool}\u0000${cutText(args)}`);
  return `${called.join("\u0001")}\u0001${text.slice(0, 512)}`;
}

/** @param heardBefore signatures of what users said earlier in the thread: a text said again is a prompt, not news. */
export function fingerprintOf(
  told: Step,
  sign: Sign,
  rules: ToolRules,
  heardBefore: ReadonlySet<string>,
  listed: ReadonlySet<string> = NOTHING_LISTED,
): Fingerprint {
  const step = cutStep(told);
  const prints = step.calls.map((call) => callPrint(call, sign, ruleFor(rules, call.tool), listed));
  const said = plainText(step.text);
  const reading = readSpeech(step.calls.length > 0 ? "" : said);
  const heardHashes = step.heard.map((text) => heardSignature(text, sign));
  const closes = step.calls.length > 0 ? undefined : closingLength(step.text);
  const { calls, callsHash, outcomesHash, order } = prints.length < 2 ? alone(prints) : together(prints, sign);
  // Written out, and the rare parts added: spreads would cost as much as a signature.
  const fingerprint: Mutable<Fingerprint> = {
    key: stepKey(told, sign),
    calls,
    callsHash,
    outcomesHash,
    said: said === "" ? "" : sign(`said\u0000${said}`),
    saidSimilarity: reading.like,
    saidWords: reading.words,
    announces: announces(step.text),
    heard: hearing(step.heard, heardHashes, heardBefore),
    heardHashes: heardHashes.length === 0 ? NOTHING_HEARD : heardHashes.slice(-MAX_HEARD),
  };
  if (order !== undefined) fingerprint.order = order;
  if (prints.length > 0 && prints.every(({ kind }) => kind === "think")) fingerprint.thinks = true;
  if (closes !== undefined) fingerprint.closes = closes;
  if (step.heard.length > 0) addHeard(fingerprint, step.heard, step.text);
  return fingerprint;
}

const NOTHING_LISTED: ReadonlySet<string> = new Set();
const NOTHING_HEARD: readonly string[] = [];

const FEW_WORDS = 12;
/** Who asks, or names a figure, or sets out more than a line, wants to go on. */
const WANTS = /[?？¿\p{N}\n"{}[\]<>:=/`]/u;

function addHeard(fingerprint: Mutable<Fingerprint>, heard: readonly string[], said: string): void {
  const { like, words } = readSpeech(plainText(heard.join("\n")));
  fingerprint.heardSimilarity = like;
  fingerprint.heardWords = words;
  if (heard.some(isCorrection)) fingerprint.corrected = true;
  if (fingerprint.calls.length === 0 && words <= FEW_WORDS && fingerprint.saidWords <= FEW_WORDS)
    if (heard.length === 1 && fingerprint.saidWords > 0 && !WANTS.test(heard[0] ?? "") && !WANTS.test(said))
      fingerprint.chats = true;
  if (heard.some(isAutomated)) fingerprint.automated = true;
  const closes = longestClosing(heard);
  if (closes !== undefined) fingerprint.heardCloses = closes;
}

interface Acted extends Pick<Fingerprint, "calls" | "callsHash" | "outcomesHash"> {
  readonly order?: string;
}

/** A turn with one call is what the call is; one without is nothing. */
function alone(calls: readonly CallFingerprint[]): Acted {
  const [call] = calls;
  return { calls, callsHash: call?.hash ?? "", outcomesHash: call === undefined ? "" : (call.outcome?.hash ?? "?") };
}

function together(prints: readonly CallFingerprint[], sign: Sign): Acted {
  const byIdentity = distinct(prints);
  const identities = [...byIdentity.keys()].sort();
  return {
    calls: [...byIdentity.values()].slice(0, MAX_CALLS),
    callsHash: joined([...new Set(prints.map((fingerprint) => fingerprint.hash))].sort(), sign),
    order: sign(`order\u0000${prints.map((print) => print.hash).join("+")}`),
    outcomesHash: joined(
      identities.map((identity) => byIdentity.get(identity)?.outcome?.hash ?? "?"),
      sign,
    ),
  };
}

/** Undefined where any of the texts says more than goodbye. */
function longestClosing(texts: readonly string[]): number | undefined {
  const lengths = texts.map(closingLength).filter((length) => length !== undefined);
  return texts.length > 0 && lengths.length === texts.length ? Math.max(...lengths) : undefined;
}

/** By call and outcome. Of two that are equal but for what the wire says of them, the failed one stands, whatever their order. */
function distinct(prints: readonly CallFingerprint[]): ReadonlyMap<string, CallFingerprint> {
  const found = new Map<string, CallFingerprint>();
  for (const fingerprint of prints) {
    const identity = `${fingerprint.hash} ${fingerprint.outcome?.hash ?? "?"}`;
    if (!found.has(identity) || fingerprint.outcome?.failed === true) found.set(identity, fingerprint);
  }
  return found;
}

function joined(signatures: readonly string[], sign: Sign): string {
  return signatures.length === 1 ? (signatures[0] ?? "") : sign(signatures.join("+"));
}

function ruleFor(rules: ToolRules, tool: string): ToolRule | undefined {
  const general = Object.hasOwn(rules, "*") ? rules["*"] : undefined;
  const own = Object.hasOwn(rules, tool) ? rules[tool] : undefined;
  return general === undefined || own === undefined ? (own ?? general) : { ...general, ...own };
}

function callPrint(call: Call, sign: Sign, rule: ToolRule | undefined, listed: ReadonlySet<string>): CallFingerprint {
  // Clients write "no arguments" as an empty text or as an empty object.
  const args = call.args.trim() === "" ? {} : parseJsonText(call.args);
  const kind = rule?.kind ?? kindOf(call.tool, args);
  const action = canonicalCall(call, args, kind, rule);
  const makes = (kind === "write" || kind === "send") && action !== "{}";
  const similarity = sketch(action);
  const tool = NAME.test(call.tool) ? call.tool : `signed:${sign(`tool\u0000${call.tool}`).slice(0, 12)}`;
  const hash = sign(`call\u0000${call.tool}\u0000${action}`);
  const { shape, slots, words } = shapeOf(action, args !== undefined, sign);
  const fingerprint: Mutable<CallFingerprint> = { tool, kind, hash, similarity, shape, slots, words };
  const named = namedIn(action, listed);
  if (named !== "") fingerprint.named = named;
  if (isGesture(call.tool, args)) fingerprint.moves = true;
  if (call.outcome !== undefined) fingerprint.outcome = outcomePrint(call.outcome, makes, sign);
  return fingerprint;
}

/** Anything else that an agent calls a tool may be free text, of which nothing is kept. */
const NAME = /^[\w.:/-]{1,64}$/;

function canonicalCall(call: Call, args: unknown, kind: ToolKind, rule: ToolRule | undefined): string {
  if (args === undefined) return call.args.trim();
  if (kind === "think" && isObject(args)) return thoughtIn(args);
  const states = kind === "plan" ? listOfStates(args) : undefined;
  if (states !== undefined) return states.join(",");
  const keys = isObject(args) ? Object.keys(args) : [];
  const only = rule?.only?.filter((key) => keys.includes(key)) ?? [];
  const isCosmetic = cosmeticArguments(keys, kind);
  const waits = kind === "poll" ? waitingArguments(keys) : NO_KEYS;
  const keep = (key: string, value: unknown, depth: number): boolean => {
    if (depth === 0 && only.length > 0) return only.includes(key);
    if (depth === 0 && (rule?.ignore?.includes(key) || isCosmetic.has(key) || waits.has(key))) return false;
    if (rule?.empty === "ignored" && (value === null || value === "")) return false;
    return !isVolatileArgument(key, value);
  };
  return canonicalForm(args, keep, kind === "poll" ? withoutPause : withoutBlankEnds) ?? call.args;
}

/** Which thought it is, and how many there may be, is no part of it. */
function thoughtIn(args: Readonly<Record<string, unknown>>): string {
  return Object.values(args)
    .filter((value) => typeof value === "string")
    .join("\n");
}

const NO_KEYS: ReadonlySet<string> = new Set();

/** How long to wait is no part of what is waited for, where anything else is said. */
function waitingArguments(keys: readonly string[]): ReadonlySet<string> {
  const waits = keys.filter(isWaitingArgument);
  return waits.length > 0 && waits.length < keys.length ? new Set(waits) : NO_KEYS;
}

/** None where nothing else would be left, or where the wording is what is written or sent. */
function cosmeticArguments(keys: readonly string[], kind: ToolKind): ReadonlySet<string> {
  const writes = kind === "write" || kind === "send";
  const cosmetic = keys.filter((key) => isCosmeticArgument(key, keys) && !(writes && isContent(key, keys)));
  return new Set(cosmetic.length < keys.length ? cosmetic : []);
}

/** @param makes the call makes something, which gets a name of its own each time */
function outcomePrint(outcome: Outcome, makes: boolean, sign: Sign): OutcomeFingerprint {
  const text = withoutEnvelope(outcome.text);
  const value = jsonIn(text);
  const judgement = readOutcome({ ...outcome, text }, value, makes);
  const meaning = canonicalOutcome(text, value, namesIn(makes, judgement.failed));
  const { failed, weight, cause, pending, structured } = judgement;
  const { shape, slots, words } = shapeOf(meaning, value !== undefined, sign);
  const fingerprint: Mutable<OutcomeFingerprint> = {
    hash: sign(`out\u0000${meaning}`),
    similarity: sketch(meaning),
    failed,
    structured,
    weight,
    pending,
    shape,
    slots,
    words,
  };
  if (cause !== undefined) fingerprint.cause = cause;
  const stem = value === undefined ? stemOf(text) : undefined;
  if (stem !== undefined)
    fingerprint.stem = sign(`out\u0000${canonicalOutcome(stem, undefined, namesIn(makes, failed))}`);
  if (judgement.complains === true) fingerprint.complains = true;
  return fingerprint;
}

/** A note is a paragraph of its own. In characters. */
const LONGEST_NOTE = 240;

function stemOf(text: string): string | undefined {
  const from = text.lastIndexOf("\n\n");
  return from > 0 && text.length - from <= LONGEST_NOTE ? text.slice(0, from).trim() : undefined;
}

function namesIn(makes: boolean, failed: boolean): Names | undefined {
  if (failed) return namesOfIncidents;
  return makes ? namesOfThings : undefined;
}

function canonicalOutcome(text: string, value: unknown, names: Names | undefined): string {
  const plain = (part: string): string =>
    withoutStamps(names === undefined ? part : part.replace(names.text, "<name>"));
  const keep = (key: string, field: unknown): boolean =>
    !isVolatileResult(key, field) && !(names?.key.test(key) && typeof field !== "object");
  const form = value === undefined ? undefined : canonicalForm(value, keep, plain);
  return form ?? plain(text);
}

import type { Call, Outcome, Step } from "../step.ts";
import { canonicalForm, longNumbers, parseJson } from "./canonical.ts";
import { type Judgement, judge } from "./outcome.ts";
import { isRecord } from "./record.ts";
import { type Sketch, sketch } from "./sketch.ts";
import { kindOf, listOfStates, type ToolKind } from "./tool-kind.ts";
import { isCosmeticArgument, isVolatileArgument, isVolatileResult, withoutStamps } from "./volatile.ts";

/** A keyed hash: equal texts give equal signatures, and nobody without the key can guess a text from one. */
export type Sign = (text: string) => string;

/** What a policy says about one tool. */
export interface ToolRule {
  /** Only these arguments make the signature. */
  readonly only?: readonly string[];
  /** These arguments never take part in it. */
  readonly ignore?: readonly string[];
  /** Overrules what the tool's name and arguments suggest. */
  readonly kind?: ToolKind;
}

export type ToolRules = Readonly<Record<string, ToolRule>>;

export interface OutcomePrint extends Judgement {
  readonly sig: string;
  readonly like: Sketch;
}

export interface CallPrint {
  readonly tool: string;
  readonly kind: ToolKind;
  readonly sig: string;
  readonly like: Sketch;
  /** Missing until the call is answered. */
  readonly out?: OutcomePrint;
}

/** What the assistant heard after a step: nothing, a prompt to go on (or a repeated one), or a user with news. */
export type Heard = "nothing" | "prompt" | "user";

/** What is left of a step when its texts are gone: names, signatures, flags. Plain JSON. */
export interface Footprint {
  /** Tells this very step from all others of the thread, equal ones included, as far as call ids allow. */
  readonly key: string;
  readonly calls: readonly CallPrint[];
  /** All calls as a set; equal for equal turns whatever their order. */
  readonly act: string;
  /** All outcomes, in the order of `act`. */
  readonly out: string;
  /** What was said beside the calls, normalised; empty when nothing was. */
  readonly said: string;
  readonly saidLike: Sketch;
  readonly saidWords: number;
  /** The text says that something will be done now. */
  readonly announces: boolean;
  readonly heard: Heard;
  readonly heardSigs: readonly string[];
}

/** Calls of one turn that are kept one by one; `act` and `out` stand for all of them. */
const MAX_CALLS = 32;

/** Identifies a step among those of its thread without looking at outcomes: cheap, for finding where a history goes on. */
export function stepKey(step: Step, sign: Sign): string {
  const calls = step.calls.map((call) => `${call.id ?? ""}\u0000${call.tool}\u0000${call.args}`);
  return sign(`key\u0000${calls.join("\u0001")}\u0001${step.text.slice(0, 512)}`);
}

/** @param heardBefore signatures of what users said earlier in the thread: a text said again is a prompt, not news. */
export function footprint(step: Step, sign: Sign, rules: ToolRules, heardBefore: ReadonlySet<string>): Footprint {
  const calls = step.calls.map((call) => callPrint(call, sign, rules[call.tool]));
  const inOrder = distinct([...calls].sort((a, b) => (a.sig < b.sig ? -1 : a.sig > b.sig ? 1 : 0)));
  const said = plainText(step.text);
  const heardSigs = step.heard.map((text) => heardSignature(text, sign));
  return {
    key: stepKey(step, sign),
    calls: calls.slice(0, MAX_CALLS),
    act: joined(
      inOrder.map((call) => call.sig),
      sign,
    ),
    out: joined(
      inOrder.map((call) => call.out?.sig ?? "?"),
      sign,
    ),
    said: said === "" ? "" : sign(`said\u0000${said}`),
    saidLike: sketch(said),
    saidWords: said === "" ? 0 : said.split(" ").length,
    announces: announces(step.text),
    heard: hearing(step.heard, heardSigs, heardBefore),
    heardSigs,
  };
}

export function heardSignature(text: string, sign: Sign): string {
  return sign(`heard\u0000${plainText(withoutStamps(text))}`);
}

function joined(signatures: readonly string[], sign: Sign): string {
  return signatures.length === 1 ? (signatures[0] ?? "") : sign(signatures.join("+"));
}

function distinct(calls: readonly CallPrint[]): readonly CallPrint[] {
  return calls.filter(
    (call, i) => i === 0 || call.sig !== calls[i - 1]?.sig || call.out?.sig !== calls[i - 1]?.out?.sig,
  );
}

function callPrint(call: Call, sign: Sign, rule: ToolRule | undefined): CallPrint {
  const args = parseJson(call.args);
  const kind = rule?.kind ?? kindOf(call.tool, args);
  const action = canonicalCall(call, args, kind, rule);
  return {
    tool: call.tool,
    kind,
    sig: sign(`call\u0000${call.tool}\u0000${action}`),
    like: sketch(action),
    ...(call.outcome === undefined ? {} : { out: outcomePrint(call.outcome, sign) }),
  };
}

function canonicalCall(call: Call, args: unknown, kind: ToolKind, rule: ToolRule | undefined): string {
  if (args === undefined) return call.args.trim();
  if (kind === "plan") return listOfStates(args)?.join(",") ?? call.args;
  const essential = isRecord(args) ? Object.keys(args).filter((key) => !isCosmeticArgument(key)) : [];
  const keep = (key: string, value: unknown, depth: number): boolean => {
    if (depth === 0 && rule?.only !== undefined) return rule.only.includes(key);
    if (depth === 0 && rule?.ignore?.includes(key)) return false;
    if (depth === 0 && essential.length > 0 && isCosmeticArgument(key)) return false;
    return !isVolatileArgument(key, value);
  };
  return `${canonicalForm(args, keep) ?? call.args}${longNumbers(call.args)}`;
}

/** Outcomes beyond this are compared as text even if they are JSON. In characters. */
const MAX_JSON_OUTCOME = 65_536;

function outcomePrint(outcome: Outcome, sign: Sign): OutcomePrint {
  const meaning = canonicalOutcome(outcome.text);
  return { sig: sign(`out\u0000${meaning}`), like: sketch(meaning), ...judge(outcome) };
}

function canonicalOutcome(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MAX_JSON_OUTCOME && /^[{[]/.test(trimmed)) {
    const value = parseJson(trimmed);
    const keep = (key: string, field: unknown): boolean => !isVolatileResult(key, field);
    const form = value === undefined ? undefined : canonicalForm(value, keep, withoutStamps);
    if (form !== undefined) return form + longNumbers(trimmed);
  }
  return withoutStamps(trimmed);
}

/** Case, punctuation, emoji and spacing gone: what is left is what was said. */
export function plainText(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const ANNOUNCEMENT =
  /(^|[.!\n]\s*)(okay,? |ok,? |sure,? |now,? |next,? |first,? )?(let me|let's|i('|’)?ll|i will|i('|’)?m going to|i am going to|i need to|going to)\b/i;

function announces(text: string): boolean {
  return text.length <= 400 && ANNOUNCEMENT.test(text);
}

const GO_ON =
  /^\W*((please|ok(ay)?|yes|just)[,\s]+)*(continue|go on|go ahead|proceed|keep going|carry on|resume|next|try again)\b.{0,40}$/is;
/** A guard's own words, ours or another's, are not a user's. */
const GUARD = /^\s*[[<(](unloop|guard|system|reminder|loop)/i;

function hearing(texts: readonly string[], sigs: readonly string[], before: ReadonlySet<string>): Heard {
  if (texts.length === 0) return "nothing";
  const news = texts.some((text, i) => isNews(text) && !before.has(sigs[i] ?? ""));
  return news ? "user" : "prompt";
}

/** More than "go on", and not a guard's word. */
export function isNews(text: string): boolean {
  return !GO_ON.test(text) && !GUARD.test(text);
}

import type { Mutable } from "../../mutable.ts";
import type { Call } from "../../step.ts";
import { canonicalForm, parseJsonText, withoutBlankEnds } from "./canonical.ts";
import { type Json, type JsonObject, isObject as isRecord } from "../../text/is-object.ts";
import { CODE } from "../../text/codes.ts";
import { type Likeness, likenessOf } from "../../scan/scan.ts";
import { type OutcomeFingerprint, outcomeFingerprint } from "./outcome-fingerprint.ts";
import type { Sign } from "../../text/sign.ts";
import type { Work } from "../../work.ts";
import {
  commandOf,
  isGesture,
  isOperation,
  isPointing,
  listOfStates,
  toolKindOf,
  type ToolKind,
} from "../reading/tool-kind.ts";
import { globMatcher } from "../../text/glob.ts";
import { memoizeByRef } from "../memoize-by-ref.ts";
import { type KnownLists, namedBy } from "../reading/user-list.ts";
import {
  isDeed,
  isCosmeticArgument,
  isWaitParameter,
  isSizeArgument,
  isVolatileArgument,
  isWaitingArgument,
  withoutPause,
} from "./volatile.ts";

export interface ToolRule {
  /** Only these arguments make the signature. */
  readonly only?: readonly string[];
  /**
   * These arguments never take part in it, in place of the product's own list; `usual` among them stands for that, and
   * without any nothing is left out.
   */
  readonly ignore?: readonly string[];
  /** `ignored`: an argument that is null or an empty text is one that was left out. */
  readonly empty?: "counts" | "ignored";
  /** `fail`: a short report that denies something ("Element not found") is a failure; else it is an answer. */
  readonly denials?: "answer" | "fail";
  /** Overrules what the tool's name and arguments suggest. */
  readonly kind?: ToolKind;
}

/** By tool or pattern; `*` is for what a tool's own rule does not say, and for tools without one. */
export type ToolRules = ByTool<ToolRule>;

/** Fingerprint of a call: names, signatures and sketches of it, and of its outcome. */
export interface CallFingerprint extends Likeness {
  /** It moves on from where things stand. */
  readonly moves?: true;
  /** It names what it acts on, where a policy says by which arguments that is told. */
  readonly targeted?: true;
  /** By whatever name, it lets as much time pass as it is asked for. */
  readonly passes?: true;
  /** The pixels at which it points, and the beginning of its signature without them. */
  readonly point?: { readonly of: string; readonly x: number; readonly y: number };
  /** Its only figures say how much is wanted. */
  readonly sized?: true;
  /** What it is about: its arguments that are one word each. */
  readonly place?: string;
  /** Codes of the names in its texts: paths, modules, identifiers. */
  readonly names?: string;
  /** Which of the items that the user, or else a tool, has listed it names, if any. */
  readonly named?: string;
  readonly tool: string;
  readonly kind: ToolKind;
  readonly hash: string;
  readonly outcome?: OutcomeFingerprint;
}

/** What the steps of one request are read with. */
export interface ReadingOfRequest {
  readonly lists?: KnownLists | undefined;
  readonly work: Work;
}

export function callFingerprint(
  call: Call,
  sign: Sign,
  rule: ToolRule | undefined,
  { lists, work }: ReadingOfRequest,
): CallFingerprint {
  // Clients write "no arguments" as an empty text, as an empty object, or as null.
  const args = /^\s*(?:null\s*)?$/.test(call.args) ? {} : parseJsonText(call.args, work);
  const fields = isRecord(args) && isData(args) ? {} : args;
  const kind = rule?.kind ?? toolKindOf(call.tool, fields);
  const action = canonicalCall(call, args, kind, rule, work);
  const tool = NAME.test(call.tool) ? call.tool : `signed:${sign(`tool\u0000${call.tool}`).slice(0, 12)}`;
  const hash = sign(`call\u0000${call.tool}\u0000${action}`);
  const print: Mutable<CallFingerprint> = { tool, kind, hash, ...likenessOf(action, args !== undefined, sign) };
  const named = lists === undefined ? "" : namedBy(action, lists);
  if (named !== "") print.named = named;
  const place = oneWordArguments(args);
  if (place !== "") print.place = sign(`place\u0000${place}`).slice(0, 8);
  const names = namesIn(fields, sign);
  if (names !== "") print.names = names;
  if (print.slots !== "" && isSized(fields)) print.sized = true;
  if (isGesture(call.tool, fields)) print.moves = true;
  const point = print.moves === true ? pointIn(fields, work) : undefined;
  if (point !== undefined)
    print.point = { of: sign(`point\u0000${call.tool}\u0000${point.rest}`).slice(0, 8), ...point.at };
  if (argumentsNamed(rule, args).length > 0) print.targeted = true;
  if (kind === "poll" && PAUSE.test(commandOf(fields) ?? "")) print.passes = true;
  if (call.outcome === undefined) return print;
  const makes = (kind === "write" || kind === "send") && action !== "{}";
  const reading = { makes, denials: rule?.denials, requested: textsIn(fields) };
  print.outcome = outcomeFingerprint(call.outcome, reading, sign, named === "" ? lists?.bringing : undefined, work);
  if (kind === "other" && print.moves !== true && isPassed(args, call.outcome.text)) print.passes = true;
  return print;
}

const LONGEST_RECEIPT = 60;
/** "Waited 30 seconds": a few words, then the figure with its unit, and nothing else. */
const PASSED = /^(?:\p{L}+\s){0,3}\P{L}{0,2}?(?<figure>\d+)\s?\p{L}+[.!。]?$/u;

/** A figure is all that it is asked for, and all that it answers. */
function isPassed(args: Json, answer: string): boolean {
  if (answer.length > LONGEST_RECEIPT || !isRecord(args)) return false;
  const [value, another] = Object.values(args);
  const figure = PASSED.exec(answer.trim())?.groups?.figure;
  return another === undefined && figure !== undefined && (value === figure || value === Number(figure));
}

const MOST_FIELDS = 256;
/** With so many entries its names are no arguments'. */
const isData = (value: object): boolean => Object.keys(value).length > MOST_FIELDS;

/** Below this it may be a field of a board, where the next one is another. In pixels. */
const LEAST_PIXELS = 100;

/** The pixels that a gesture points at, by themselves or as a pair, and all else that it says. */
function pointIn(args: Json, work: Work) {
  if (!isRecord(args)) return undefined;
  const [name, pair] = Object.entries(args).find(([, value]) => Array.isArray(value) && value.length === 2) ?? [];
  const [x, y] = Array.isArray(pair) ? pair : [args.x, args.y];
  if (typeof x !== "number" || typeof y !== "number" || Math.max(x, y) < LEAST_PIXELS) return undefined;
  const rest = canonicalForm(args, work, (key, _, depth) => depth > 0 || (key !== name && key !== "x" && key !== "y"));
  return { at: { x, y }, rest: rest ?? "" };
}

/** A shell that does nothing but wait, in the background, too. */
const PAUSE = /^\s*sleep\s+[\d.]+[smhd]?\s*&?\s*$/;

const HERE = /(^|\/)(?:\.\/)+/g;

/** Records lie in records so deep as a rule. */
const DEPTH = 4;

function oneWordArguments(args: Json, path = "", depth = DEPTH): string {
  if (typeof args === "object" && args !== null) {
    const fields: JsonObject = { ...(args as JsonObject) };
    const keys = depth === 0 || isData(fields) ? [] : Object.keys(fields).sort();
    return keys.map((key) => oneWordArguments(fields[key], `${path}.${key}`, depth - 1)).join("");
  }
  const isText = typeof args === "string" && (args.length > 200 || /\s/.test(args));
  return isText || path === "" ? "" : `${path}=${String(args).replace(HERE, "$1")}\n`;
}

/** A path, a module, an identifier: a word that no sentence has. */
const NAME_IN_TEXT = /(?=[\d_./:@-]*\p{L})[\w@-]*(?:[/._:\d-][\w@-]+|\p{Ll}\p{Lu}\w*)+/gu;
const LONGEST_COMMAND = 512;
const MOST_NAMES = 8;

function namesIn(args: Json, sign: Sign): string {
  const texts = stringsIn(args).filter((text) => /\s/.test(text.trim()));
  const names = texts.flatMap((text) => text.slice(0, LONGEST_COMMAND).match(NAME_IN_TEXT) ?? []);
  return [...new Set(names)]
    .slice(0, MOST_NAMES)
    .map((name) => sign(`name\u0000${name}`).slice(0, CODE))
    .join("");
}

function stringsIn(args: Json): readonly string[] {
  return (isRecord(args) ? Object.values(args) : [args]).filter((value) => typeof value === "string");
}

const LEAST_TEXT = 2;
const LONGEST_TEXT = 200;
const MOST_TEXTS = 16;

function textsIn(args: Json): readonly string[] {
  return stringsIn(isRecord(args) ? args : {})
    .filter(({ length }) => length >= LEAST_TEXT && length <= LONGEST_TEXT)
    .slice(0, MOST_TEXTS)
    .sort((one, other) => other.length - one.length);
}

/** Anything else that an agent calls a tool may be free text, of which nothing is kept. */
const NAME = /^[\w.:/-]{1,64}$/;

/** Those that make the signature, as far as the call has them. */
function argumentsNamed(rule: ToolRule | undefined, args: Json): readonly string[] {
  return isRecord(args) ? (rule?.only?.filter((key) => Object.hasOwn(args, key)) ?? []) : [];
}

function canonicalCall(call: Call, args: Json, kind: ToolKind, rule: ToolRule | undefined, work: Work): string {
  if (args === undefined) return call.args.trim();
  if (kind === "think" && isRecord(args)) return stringsIn(args).join("\n");
  const states = kind === "plan" ? listOfStates(args) : undefined;
  if (states !== undefined) return states.join(",");
  const only = argumentsNamed(rule, args);
  const keys = isRecord(args) && !isData(args) ? Object.keys(args) : [];
  const ignored = ignoredArguments(call.tool, args, keys, kind, rule);
  const isUsual = isUsualIn(rule);
  const keep = (key: string, value: Json, depth: number): boolean => {
    if (depth === 0 && only.length > 0) return only.includes(key);
    if (rule?.empty === "ignored" && (value === null || value === "")) return false;
    return depth === 0 && keys.length > 0 ? !ignored.has(key) : !(isUsual && isVolatileArgument(key, value));
  };
  return canonicalForm(args, work, keep, kind === "poll" ? withoutPause : withoutOwnNames) ?? call.args;
}

const DEFINED = /\b(?:def|function|class|func|fn)\s+([A-Za-z_]\w{0,60})\s*[(:{<]/g;
const MOST_DEFINED = 8;

/** Code without the names that it gives to its own functions: written again under another name it is the same. */
function withoutOwnNames(text: string): string {
  const code = withoutBlankEnds(text);
  if (!/\s/.test(code)) return code;
  const names = [...code.matchAll(DEFINED)].slice(0, MOST_DEFINED).map(([, name = ""]) => name);
  return [...new Set(names)].reduce((out, name, i) => out.replace(new RegExp(`\\b${name}\\b`, "g"), `name${i}`), code);
}

/** What a policy has in the place of the product's own list, or beside it. */
const USUAL = "usual";

function isUsualIn(rule: ToolRule | undefined): boolean {
  return rule?.ignore === undefined || rule.ignore.includes(USUAL);
}

function ignoredArguments(
  tool: string,
  args: Json,
  keys: readonly string[],
  kind: ToolKind,
  rule: ToolRule | undefined,
): ReadonlySet<string> {
  if (!isUsualIn(rule)) return new Set(rule?.ignore);
  const fields = isRecord(args) ? args : {};
  // What is all that a call says is what it is about.
  const unlessAll = (some: readonly string[]) => (some.length < keys.length ? some : []);
  // The wording may be what is written or sent.
  const isMade = kind === "write" || kind === "send";
  const isWording = !isMade || keys.some(isDeed);
  const cosmetic = unlessAll(isWording ? keys.filter((key) => isCosmeticArgument(key, keys)) : []);
  const waits = unlessAll(isMade ? [] : keys.filter(kind === "poll" ? isWaitingArgument : isWaitParameter));
  const volatile = keys.filter((key) => isVolatileArgument(key, fields[key]));
  const isAlone = volatile.length + cosmetic.length === keys.length;
  const ignored = new Set([...(isAlone ? [] : volatile), ...cosmetic, ...waits, ...(rule?.ignore ?? [])]);
  const asides = kind === "other" && isPointing(tool, args) ? keys.filter((key) => isSentence(fields[key])) : [];
  const isBesideTarget = keys.some((key) => !ignored.has(key) && !asides.includes(key) && !isOperation(key));
  return isBesideTarget ? new Set([...ignored, ...asides.filter((key) => !isOperation(key))]) : ignored;
}

/** With it an agent says why it clicks, under whatever name; what a button says has no full stop. */
function isSentence(value: Json): boolean {
  return typeof value === "string" && /\s\S{1,64}[.!]$|[。！]$/.test(value.slice(-LONGEST_TEXT).trimEnd());
}

const FIGURE = /\d/;

function isSized(args: Json): boolean {
  if (!isRecord(args)) return false;
  const figured = Object.keys(args).filter((key) => hasFigure(args[key]));
  return figured.length > 0 && figured.every(isSizeArgument);
}

/** An object has none, and is not made a text: a field of it may be called `toString`. */
function hasFigure(value: Json): boolean {
  const values: readonly Json[] = Array.isArray(value) ? value : [value];
  return values.some((one) => typeof one !== "object" && FIGURE.test(String(one)));
}

export function ruleFor(rules: ToolRules, tool: string): ToolRule | undefined {
  const toolRules = saidOf(rules, tool);
  return toolRules.length < 2 ? toolRules[0] : Object.assign({}, ...toolRules.toReversed());
}

/** What a policy says by tool: under a tool's name, under a pattern with stars, and under `*` for all. */
export type ByTool<Said> = Readonly<Record<string, Said>>;

/** What is said of a tool, the most telling first: its own, then patterns by their length, then that of all tools. */
export function saidOf<Said>(all: ByTool<Said>, tool: string): readonly Said[] {
  const told = saidIn(all) as readonly { readonly isOf: (tool: string) => boolean; readonly said: Said }[];
  return told.filter(({ isOf }) => isOf(tool)).map(({ said }) => said);
}

const isPattern = (name: string): boolean => name.includes("*");

const saidIn = memoizeByRef((all: ByTool<unknown>) =>
  Object.entries(all)
    .sort(([a], [b]) => Number(isPattern(a)) - Number(isPattern(b)) || b.length - a.length)
    .map(([name, said]) => ({ isOf: isPattern(name) ? globMatcher(name) : (tool: string) => tool === name, said })),
);

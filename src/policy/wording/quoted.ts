import { isWaitingArgument, readOutcome, WINDOW } from "../../engine/engine.ts";
import type { Call, Step } from "../../step.ts";
import { parseJson } from "../../text/parse-json.ts";

/** What of a text may be quoted to somebody. It is applied before the text is quoted, so that the quotation stays whole. */
export type Cleaning = (text: string) => string;

export interface Naming {
  readonly clean: Cleaning;
  /** The names that the request offers as tools; undefined where there is no request. */
  readonly offered?: ReadonlySet<string> | undefined;
}

/** Direction overrides, joiners and other invisible characters. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Words in brackets of any kind, which may be the guard's own tag. */
const BRACKETED = /[\p{Ps}<‹]([^\p{Ps}\p{Pe}<>‹›]{4,24})[\p{Pe}>›]/gu;
/** The guard's name in letters that are taken for its own, or a mark of a role that chat templates write in brackets. */
const FORGED = /^(?:[uυսʋᴜ][nпոηɴ][l1iıιіӏ|ǀʟ][oоοօסᴏ0]{2}[pрρᴘ]|inst)$/u;
/** What begins a tag of markup, or of a chat template. */
const MARKUP = /<(?=[/!|\p{L}])/gu;
const LINK = /(?<![a-z])(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.|mailto:|javascript:|data:)[^\s"']*/gi;
const HARMLESS: Readonly<Record<string, string>> = { "[": "(", "]": ")", "<": "‹", ">": "›", "`": "'" };

/** For a model: nothing invisible, no tag of the guard, no role. */
export function forModel(text: string): string {
  return text
    .replace(UNSEEN, "")
    .replace(BRACKETED, (bracketed, word: string) => (isForged(word) ? `(${word})` : bracketed))
    .replace(MARKUP, "‹");
}

/** For a person whom no model stands before: the person's program finds no link, picture or markup in it either. */
export function forPerson(text: string): string {
  return forModel(text)
    .replace(LINK, "(link)")
    .replace(/[[\]<>`]/g, (mark) => HARMLESS[mark] ?? "");
}

function isForged(word: string): boolean {
  return FORGED.test(
    word
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}|]/gu, ""),
  );
}

/** One line, cut between characters: half a surrogate pair would not survive as UTF-8. */
export function shorten(text: string, max: number): string {
  const trimmed = text.trim();
  const head = trimmed.slice(0, 4 * max).toWellFormed();
  const characters = Array.from(head.replace(/[\s\p{Cc}]+/gu, " "));
  if (head.length === trimmed.length && characters.length <= max) return characters.join("");
  return `${characters.slice(0, max).join("")}…`;
}

declare const IS_QUOTED: unique symbol;

/** A text that may stand in a place of a sentence: a quotation, or words of the product's or the policy's own. */
export type Quotation = string & { readonly [IS_QUOTED]: true };

/** Words that nobody but the product or its operator has written, and what is put together of quotations. */
export const ownWords = (text: string): Quotation => text as Quotation;

const NAME_MAX = 48;
const ARGUMENTS_MAX = 120;
const OUTCOME_MAX = 160;
/** Longer arguments are not parsed to be shortened. In characters. */
const PARSED_MAX = 16_000;

/** Long enough for a name, and too short for a sentence. */
const IDENTIFIER = /^[A-Za-z_][\w-]{0,47}$/;

const TEXTS = /"(?:[^"\\]|\\.)*"/g;

/** What a tool, a page, a model or a user said, with JSON's quotation marks and escapes: nothing in it can end it and go on in the guard's own voice. */
export function quoted(text: string, max: number, clean: Cleaning): Quotation {
  return ownWords(JSON.stringify(clean(shorten(text, max))));
}

/** An identifier that the request offers as it is; any other name is a text like all others. */
export function quotedName(name: string, { clean, offered }: Naming): Quotation {
  const isKnown = offered === undefined || offered.has(name);
  return isKnown && IDENTIFIER.test(name) && clean(name) === name ? ownWords(name) : quoted(name, NAME_MAX, clean);
}

/** JSON stays JSON, its longest texts cut; what is no JSON, or too long all the same, is quoted as a whole. */
function quotedArguments(args: string, clean: Cleaning): string {
  if (args.length <= PARSED_MAX && parseJson(args) !== undefined) {
    const line = shorten(args, PARSED_MAX);
    for (const most of [ARGUMENTS_MAX, 64, 24, 8]) {
      const shown = line.replace(TEXTS, (text) => quotedAgain(text, most, clean));
      if (shown.length <= ARGUMENTS_MAX) return shown;
    }
  }
  const whole = quoted(args, ARGUMENTS_MAX, clean);
  return whole === '""' ? "" : whole;
}

/** A text of a JSON text as it is written there, unless it is too long or not clean. */
function quotedAgain(json: string, most: number, clean: Cleaning): string {
  const text = String(parseJson(json));
  const shown = clean(text.length > most ? shorten(text, most) : text);
  return shown === text ? json : JSON.stringify(shown);
}

/** The calls of some steps, each once; of many only the first. */
export function quotedCalls(steps: readonly Step[], naming: Naming, most = 3): Quotation {
  const calls = steps.flatMap((step) => step.calls);
  const named = calls.map((call) => `${quotedName(call.tool, naming)}(${quotedArguments(call.args, naming.clean)})`);
  return listOf(named, most);
}

export function quotedTools({ calls }: Step, naming: Naming): Quotation {
  const names = calls.map(({ tool }) => quotedName(tool, naming));
  return listOf(names, 3);
}

/** The argument by which a call says how long it waits, and what it could be: four times as long. Empty where none does. */
export function longerWait({ calls }: Step, clean: Cleaning): Quotation {
  for (const { args } of calls) {
    const told = args.length <= PARSED_MAX ? parseJson(args) : undefined;
    const [name, value] = Object.entries(Object(told)).find(([key, value]) => isWait(key, value)) ?? [];
    if (name !== undefined) return ownWords(` (${quotedName(name, { clean })}: ${4 * Number(value)})`);
  }
  return ownWords("");
}

const isWait = (key: string, value: unknown): boolean =>
  isWaitingArgument(key) && typeof value === "number" && Number.isFinite(value) && value > 0;

function listOf(names: readonly string[], most: number): Quotation {
  const each = [...new Set(names)];
  const shown = each.slice(0, most).join(", ");
  return ownWords(each.length > most ? `${shown}, …` : shown);
}

/** Index of the element that the step's first call acts on, if elements are numbered. */
export function indexOf({ calls }: Step, clean: Cleaning): Quotation | undefined {
  const index = /"index"\s*:\s*(?:"([^"\\]{1,64})"|(-?\d{1,15}))/.exec(calls[0]?.args.slice(0, 2_000) ?? "");
  const value = index?.[1] ?? index?.[2];
  if (value === undefined) return undefined;
  return /^-?\d+$/.test(value) ? ownWords(value) : quoted(value, NAME_MAX, clean);
}

/** Of all results together, and of one. In characters. */
const RESULTS_MAX = 1_200;
const RESULT_MAX = 300;

/** Quotations of the distinct results of some steps, newest first; of those that failed the newest alone. Empty where nothing came back. */
export function quotedResults(steps: readonly Step[], clean: Cleaning): Quotation {
  const results: string[] = [];
  let left = RESULTS_MAX;
  let hasFailure = false;
  for (const { outcome } of steps
    .slice(-WINDOW)
    .flatMap(({ calls }) => calls)
    .reverse()) {
    if (outcome === undefined) continue;
    const text = quoted(outcome.text, RESULT_MAX, clean);
    const { failed } = readOutcome(outcome, undefined);
    if (text === '""' || results.includes(text) || (failed && hasFailure)) continue;
    hasFailure ||= failed;
    left -= text.length + 2;
    if (left < 0) break;
    results.push(text);
  }
  return ownWords(results.join(", "));
}

export function quotedOutcome({ calls }: Step, clean: Cleaning): Quotation | undefined {
  const last: Call | undefined = calls.at(-1);
  const text = quoted(last?.outcome?.text ?? "", OUTCOME_MAX, clean);
  return text === '""' ? undefined : text;
}

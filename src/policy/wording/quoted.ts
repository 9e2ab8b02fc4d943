import { isWaitingArgument } from "../../engine/engine.ts";
import type { Call, Step } from "../../step.ts";
import { parseJson } from "../../text/parse-json.ts";
import { shorten } from "./shorten.ts";

const NAME_MAX = 64;
const ARGUMENTS_MAX = 120;
const OUTCOME_MAX = 160;
/** Longer arguments are not parsed to be shortened. In characters. */
const PARSED_MAX = 16_000;

/** Direction overrides, joiners and other invisible characters. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Words in brackets of any kind, which may be the guard's own tag. */
const BRACKETED = /[\p{Ps}<‹]([^\p{Ps}\p{Pe}<>‹›]{4,24})[\p{Pe}>›]/gu;
/** The guard's name in letters that are taken for its own, or a mark of a role that chat templates write in brackets. */
const FORGED = /^(?:[uυսʋᴜ][nпոηɴ][l1iıιіӏ|ǀʟ][oоοօסᴏ0]{2}[pрρᴘ]|inst)$/u;
/** What begins a tag of markup, or of a chat template. */
const MARKUP = /<(?=[/!|\p{L}])/gu;
const IDENTIFIER = /^[\w.:/-]+$/;

/**
 * Quotation of what a tool, a page, a model or a user said: JSON's quotation marks and escapes, so that nothing in it can end it
 * and go on in the guard's own voice.
 */
export function quoted(text: string, max: number): string {
  return JSON.stringify(unmarked(shorten(text, max)));
}

/** An identifier as it is; any other name is a text like all others. */
export function named(name: string): string {
  return name.length <= NAME_MAX && IDENTIFIER.test(name) ? name : quoted(name, NAME_MAX);
}

/** JSON quotes its texts itself; what is no JSON, or was cut, is quoted as a whole. */
function quotedArguments(args: string): string {
  const shown = unmarked(shorten(args, ARGUMENTS_MAX));
  if (shown === "" || parseJson(shown) !== undefined) return shown;
  return unmarked(shorten(shortenedJson(args) ?? "", ARGUMENTS_MAX)) || JSON.stringify(shown);
}

function unmarked(text: string): string {
  return text
    .replace(UNSEEN, "")
    .replace(BRACKETED, (bracketed, word: string) => (isForged(word) ? `(${word})` : bracketed))
    .replace(MARKUP, "‹");
}

function isForged(word: string): boolean {
  return FORGED.test(
    word
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}|]/gu, ""),
  );
}

/** The arguments with their longest texts cut; undefined where they are no JSON, or too many. */
function shortenedJson(args: string): string | undefined {
  if (args.length > PARSED_MAX) return undefined;
  try {
    const value: unknown = JSON.parse(args);
    for (const most of [64, 24, 8]) {
      const text = JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? shorten(part, most) : part));
      if (text.length <= ARGUMENTS_MAX) return text;
    }
  } catch {
    // No JSON, or nested too deep.
  }
  return undefined;
}

/** The calls of some steps, each once; of many only the first. */
export function quotedCalls(steps: readonly Step[], and: string, most = 3): string {
  const calls = steps.flatMap((step) => step.calls);
  return nameList(
    calls.map((call) => `${named(call.tool)}(${quotedArguments(call.args)})`),
    and,
    most,
  );
}

export function quotedTools(step: Step, and: string): string {
  return nameList(
    step.calls.map((call) => named(call.tool)),
    and,
    3,
  );
}

/** The argument by which a call says how long it waits, and what it could be: four times as long. */
export function waitOf({ calls }: Step): { readonly argument: string; readonly value: number } | undefined {
  for (const { args } of calls) {
    const [name, value] = Object.entries(Object(parseJson(args))).find(([key, value]) => isWait(key, value)) ?? [];
    if (name !== undefined) return { argument: named(name), value: 4 * Number(value) };
  }
  return undefined;
}

const isWait = (key: string, value: unknown): boolean =>
  isWaitingArgument(key) && typeof value === "number" && Number.isFinite(value) && value > 0;

function nameList(names: readonly string[], and: string, most: number): string {
  const each = [...new Set(names)];
  const shown = each.slice(0, most).join(and);
  return each.length > most ? `${shown}, …` : shown;
}

/** Index of the element that the step's first call acts on, if elements are numbered. */
export function indexOf({ calls }: Step): string | undefined {
  const index = /"index"\s*:\s*(?:"([^"\\]{1,64})"|(-?\d{1,15}))/.exec(calls[0]?.args.slice(0, 2_000) ?? "");
  const value = index?.[1] ?? index?.[2];
  if (value === undefined) return undefined;
  return /^-?\d+$/.test(value) ? value : quoted(value, NAME_MAX);
}

/** Quotation of what came back; undefined where nothing did. */
export function quotedOutcome({ calls }: Step): string | undefined {
  const last: Call | undefined = calls.at(-1);
  const text = quoted(last?.outcome?.text ?? "", OUTCOME_MAX);
  return text === '""' ? undefined : text;
}

import { isWaitingArgument } from "../../engine/engine.ts";
import type { Call, Step } from "../../step.ts";
import { parseJson } from "../../text/parse-json.ts";
import type { Cleaning } from "./clean.ts";
import { shorten } from "./shorten.ts";

const NAME_MAX = 64;
const ARGUMENTS_MAX = 120;
const OUTCOME_MAX = 160;
/** Longer arguments are not parsed to be shortened. In characters. */
const PARSED_MAX = 16_000;

const IDENTIFIER = /^[\w.:/-]+$/;

/** The texts of a JSON text, keys among them. */
const TEXTS = /"(?:[^"\\]|\\.)*"/g;

/**
 * Quotation of what a tool, a page, a model or a user said: JSON's quotation marks and escapes, so that nothing in it can end it
 * and go on in the guard's own voice.
 */
export function quoted(text: string, max: number, clean: Cleaning): string {
  return JSON.stringify(clean(shorten(text, max)));
}

/** An identifier as it is; any other name is a text like all others. */
function named(name: string, clean: Cleaning): string {
  const isPlain = name.length <= NAME_MAX && IDENTIFIER.test(name) && clean(name) === name;
  return isPlain ? name : quoted(name, NAME_MAX, clean);
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
export function quotedCalls(steps: readonly Step[], and: string, clean: Cleaning, most = 3): string {
  const calls = steps.flatMap((step) => step.calls);
  return nameList(
    calls.map((call) => `${named(call.tool, clean)}(${quotedArguments(call.args, clean)})`),
    and,
    most,
  );
}

export function quotedTools(step: Step, and: string, clean: Cleaning): string {
  return nameList(
    step.calls.map((call) => named(call.tool, clean)),
    and,
    3,
  );
}

/** The argument by which a call says how long it waits, and what it could be: four times as long. */
export function waitOf(
  { calls }: Step,
  clean: Cleaning,
): { readonly argument: string; readonly value: number } | undefined {
  for (const { args } of calls) {
    const [name, value] = Object.entries(Object(parseJson(args))).find(([key, value]) => isWait(key, value)) ?? [];
    if (name !== undefined) return { argument: named(name, clean), value: 4 * Number(value) };
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
export function indexOf({ calls }: Step, clean: Cleaning): string | undefined {
  const index = /"index"\s*:\s*(?:"([^"\\]{1,64})"|(-?\d{1,15}))/.exec(calls[0]?.args.slice(0, 2_000) ?? "");
  const value = index?.[1] ?? index?.[2];
  if (value === undefined) return undefined;
  return /^-?\d+$/.test(value) ? value : quoted(value, NAME_MAX, clean);
}

/** Quotation of what came back; undefined where nothing did. */
export function quotedOutcome({ calls }: Step, clean: Cleaning): string | undefined {
  const last: Call | undefined = calls.at(-1);
  const text = quoted(last?.outcome?.text ?? "", OUTCOME_MAX, clean);
  return text === '""' ? undefined : text;
}

import { isWaitingArgument } from "../../engine/engine.ts";
import type { Call, Step } from "../../step.ts";
import { shorten } from "./shorten.ts";

const NAME_MAX = 64;
const ARGUMENTS_MAX = 120;
const OUTCOME_MAX = 160;

/** The calls of some steps, each once; of many only the first. */
export function callsOf(steps: readonly Step[], and: string, most = 3): string {
  const calls = steps.flatMap((step) => step.calls);
  return listed(
    calls.map((call) => `${shorten(call.tool, NAME_MAX)}(${shorten(call.args, ARGUMENTS_MAX)})`),
    and,
    most,
  );
}

export function toolsOf(step: Step, and: string): string {
  return listed(
    step.calls.map((call) => shorten(call.tool, NAME_MAX)),
    and,
    3,
  );
}

/** The argument by which a call says how long it waits, and what it could be: four times as long. */
export function waitOf({ calls }: Step): { readonly argument: string; readonly value: number } | undefined {
  for (const { args } of calls) {
    const [name, value] = Object.entries(fieldsOf(args)).find(([key, value]) => isWait(key, value)) ?? [];
    if (name !== undefined) return { argument: shorten(name, NAME_MAX), value: 4 * Number(value) };
  }
  return undefined;
}

const isWait = (key: string, value: unknown): boolean =>
  isWaitingArgument(key) && typeof value === "number" && Number.isFinite(value) && value > 0;

function fieldsOf(args: string): object {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // Arguments that are no JSON name no argument.
    return {};
  }
}

function listed(names: readonly string[], and: string, most: number): string {
  const each = [...new Set(names)];
  const shown = each.slice(0, most).join(and);
  return each.length > most ? `${shown}, …` : shown;
}

/** On which element the step's first call acts, where elements are numbered. */
export function indexOf({ calls }: Step): string | undefined {
  const index = /"index"\s*:\s*(?:"([^"\\]{1,64})"|(-?\d{1,15}))/.exec(calls[0]?.args.slice(0, 2_000) ?? "");
  const value = index?.[1] ?? index?.[2];
  return value === undefined ? undefined : shorten(value, NAME_MAX);
}

/** In quotes; undefined where nothing came back. */
export function outcomeOf({ calls }: Step): string | undefined {
  const last: Call | undefined = calls.at(-1);
  const text = last?.outcome?.text.trim();
  return text === undefined || text === "" ? undefined : `"${shorten(text, OUTCOME_MAX)}"`;
}

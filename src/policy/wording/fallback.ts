import { type ByTool, saidOf } from "../../engine/engine.ts";
import type { Step } from "../../step.ts";
import { shorten } from "./shorten.ts";

/** Fallback action that a policy offers instead of a repeated call: in words, or as a call. */
export type FallbackAction = string | FallbackCall;

interface FallbackCall {
  readonly tool: string;
  readonly args?: Readonly<Record<string, string | number | boolean>>;
}

/** The part of a policy that names fallback actions. */
export interface Falling {
  readonly tools?: ByTool<{ readonly fallback?: FallbackAction }>;
}

const LONGEST = 500;

/** Fallback action of the first call whose tool has one; undefined if none has. */
export function fallbackFor({ calls }: Step, { tools }: Falling): string | undefined {
  if (tools === undefined) return undefined;
  for (const { tool } of calls)
    for (const { fallback } of saidOf(tools, tool))
      if (fallback !== undefined) return shorten(textOf(fallback), LONGEST);
  return undefined;
}

function textOf(fallback: FallbackAction): string {
  if (typeof fallback === "string") return fallback.replace(/[.。]$/, "");
  return `${fallback.tool}(${JSON.stringify(fallback.args ?? {})})`;
}

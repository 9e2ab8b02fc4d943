import { callingTools } from "./calling-tools.ts";
import { code } from "./code.ts";
import type { Dialect, TextActions, TextOrigin } from "./dialect.ts";
import { fieldsIn } from "./fields.ts";
import { jsonActions } from "./json-actions.ts";
import { markupCalls } from "./markup-calls.ts";
import { react } from "./react.ts";
import { taggedCalls } from "./tagged-calls.ts";

/** Every dialect, in the order in which they are asked: the more a text must have to be one, the earlier. */
export const dialects: readonly Dialect[] = [
  taggedCalls,
  code,
  callingTools,
  fieldsIn,
  markupCalls,
  jsonActions,
  react,
];

/** What an assistant's text tells, and in which dialect. */
export interface TextTurn {
  readonly dialect: Dialect;
  readonly steps: readonly TextActions[];
}

/** The actions that an assistant's text holds; undefined for ordinary prose. */
export function readText(text: string, origin: TextOrigin): TextTurn | undefined {
  for (const dialect of dialects) {
    const steps = dialect.read(text, origin);
    if (steps !== undefined) return { dialect, steps };
  }
  return undefined;
}

/**
 * Actions that the texts of one request may tell; what comes after them is words. Calls in a wire format are bounded by the body's
 * structural characters, which a text has none of. No run comes near: with 64 calls a step these are 256 steps.
 */
const MOST_TOLD = 16_384;

/** Reads the texts of one request, oldest first. */
export function textReader(): typeof readText {
  let told = 0;
  return (text, origin) => {
    const turn = told < MOST_TOLD ? readText(text, origin) : undefined;
    for (const { calls } of turn?.steps ?? []) told += calls.length;
    return turn;
  };
}

/** The dialect that instructions ask for. */
export function demandedDialect(instructions: string): Dialect | undefined {
  return dialects.find((dialect) => dialect.recognises(instructions));
}

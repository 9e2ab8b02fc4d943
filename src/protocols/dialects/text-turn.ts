import type { Dialect, TextActions } from "./dialect.ts";
import { jsonActions } from "./json-actions.ts";
import { react } from "./react.ts";

/** Every dialect, in the order in which they are asked. */
export const dialects: readonly Dialect[] = [jsonActions, react];

/** What an assistant's text tells, and in which dialect. */
export interface TextTurn extends TextActions {
  readonly dialect: Dialect;
}

/** The actions that an assistant's text holds; undefined for ordinary prose. */
export function readText(text: string): TextTurn | undefined {
  for (const dialect of dialects) {
    const told = dialect.read(text);
    if (told !== undefined) return { ...told, dialect };
  }
  return undefined;
}

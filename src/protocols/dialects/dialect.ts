import type { Call } from "../../step.ts";
import type { Ended } from "../schema-fill/schema-fill.ts";

/** Actions that an assistant message tells in plain text. */
export interface TextActions {
  readonly calls: readonly Call[];
  /** What was said beside them. */
  readonly text: string;
}

/** What a dialect needs to word an end. */
export interface FinalTextTerms {
  /** What is told to the agent, and through it to the person. */
  readonly text: string;
  readonly ended: Ended;
  /** The latest assistant text that was told in this dialect. */
  readonly sample: string;
}

/**
 * Dialect: a habit in which an agent writes actions and outcomes into plain text, and the form in which it accepts an
 * end. Reading and ending stand together: an agent that can be read but not ended only goes on. Pure and wire-neutral.
 */
export interface Dialect {
  readonly name: string;
  /** The actions that an assistant's text tells; undefined for ordinary prose. */
  read(text: string): TextActions | undefined;
  /** The whole text that this agent takes for an end. */
  finalText(terms: FinalTextTerms): string;
}

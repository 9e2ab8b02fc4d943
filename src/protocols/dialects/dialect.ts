import type { Call } from "../../step.ts";
import type { Ended } from "../schema-fill/schema-fill.ts";

/** Actions that an assistant message tells in plain text. Their outcomes are missing, or told in the same message. */
export interface TextActions {
  readonly calls: readonly Call[];
  /** What was said beside them. */
  readonly text: string;
}

/** Where a text was found: an answer just given, or a message of the history, to which agents add what came back. */
export type TextOrigin = "answer" | "history";

/** What a dialect needs to word an end. */
export interface FinalTextTerms {
  /** What is told to the agent, and through it to the person. */
  readonly text: string;
  readonly ended: Ended;
  /** The latest assistant text that was told in this dialect; empty if there is none yet. */
  readonly sample: string;
  /** What the model was told about the form: system texts and the task. */
  readonly instructions: string;
}

/**
 * Dialect: a habit in which an agent writes actions and outcomes into plain text, and the form in which it accepts an
 * end. Reading and ending stand together: an agent that can be read but not ended only goes on. Pure and wire-neutral.
 */
export interface Dialect {
  readonly name: string;
  /** It ends in its own form even where the request demands JSON of some schema: its fields hold another language. */
  readonly ownsSchema?: true;
  /** Its end is all of the message: nothing may stand before it. */
  readonly isWhole?: true;
  /** Only its history is text: its next actions are calls. */
  readonly isNative?: true;
  /** Whether these instructions ask for this form, so that an end needs it even where the model never wrote it. */
  recognises(instructions: string): boolean;
  /**
   * The actions that an assistant's text tells, as many steps as it tells; undefined for ordinary prose. Several steps
   * only where all but the last carry their outcomes.
   */
  read(text: string, origin: TextOrigin): readonly TextActions[] | undefined;
  /** The user's task in a message that wraps it; undefined where the message is the task. */
  task(message: string): string | undefined;
  /** The action that ends a run told like this sample, if it has a name. */
  lastAction(sample: string): string | undefined;
  /** How the model has to write its last answer, as an instruction to it; undefined where any text is an end. */
  finishNote(terms: Pick<FinalTextTerms, "sample" | "instructions">): string | undefined;
  /** The whole text that this agent takes for an end. */
  finalText(terms: FinalTextTerms): string;
}

/** What most dialects have in common: no message wraps the task, and no action that ends a run has a name. */
export const plainDialect: Pick<Dialect, "task" | "lastAction"> = {
  task: () => undefined,
  lastAction: () => undefined,
};

import type { Json } from "./text/is-object.ts";
/**
 * The neutral model of a conversation: what every wire format is turned into, and all that detection ever sees.
 * Texts live here only while an exchange lasts; what is kept of them is a `Fingerprint` (engine).
 */

/** Outcome: what came back for a call. */
export interface Outcome {
  /** The whole text that the model was shown; parts joined by line breaks, images as a short mark. */
  readonly text: string;
  /** What was shown beside it, and no later request tells: the page to which a browser agent's action has led. */
  readonly state?: string;
  /** Set only where the wire says it in so many words (Anthropic's `is_error`); else the engine judges the text. */
  readonly failed?: boolean;
}

/** One tool call. */
export interface Call {
  /** As on the wire; may be missing, and some agents use one id for every call. */
  readonly id?: string;
  readonly tool: string;
  /** The argument text exactly as the model wrote it: JSON as a rule, anything at all in practice. */
  readonly args: string;
  /** Missing until it is answered. */
  readonly outcome?: Outcome;
}

/** Name of a call's tool where only its id and its outcome are told; no API has a tool without a name. */
export const UNKNOWN_TOOL = "";

/** Step: one assistant turn. The calls it made, what came back, what it said, and what it heard before the next turn. */
export interface Step {
  /** All calls of the turn, in order: a parallel turn is one step. */
  readonly calls: readonly Call[];
  /** What the assistant said beside (or instead of) its calls; empty if nothing. */
  readonly text: string;
  /** The user messages between this turn and the next, oldest first, but for those that are outcomes. */
  readonly heard: readonly string[];
  /** Only the outcome is known, as in prompts that are written anew each time: the call itself was relayed earlier. */
  readonly isUntold?: true;
  /** Told in one message with the step before, to which its agent has added it. */
  readonly sharesMessage?: true;
  /** It said in its own form that the run is over. */
  readonly ends?: true;
}

/** Conversation: the part of a run that one request carries. */
export interface Conversation {
  /** All system and developer texts, joined by line breaks. */
  readonly system: string;
  /** Those of them that stand before the task, where others follow it: such notes may be new with each request. */
  readonly lead?: string;
  /** The user messages before the first step, oldest first. */
  readonly opening: readonly string[];
  readonly steps: readonly Step[];
  /** It is told in one message, by marks that a policy names: what is said to the model is said at its end. */
  readonly isPrompt?: true;
  /** It is told in a prompt that says of most steps only what came of them (`Step.isUntold`). */
  readonly isUntold?: true;
  /** It shows the state that things are in, and no step that has led there. */
  readonly showsState?: true;
}

/** A tool that the request offers to the model. */
export interface Tool {
  readonly name: string;
  /** JSON Schema of its arguments; undefined if the request gives none. */
  readonly schema?: Json;
}

import type { Step } from "../../step.ts";
import { readBrowserPrompt } from "./prompt-browser.ts";
import { readHeadedPrompt } from "./prompt-headed.ts";
import { readScratchpad, readTrajectory } from "./prompt-scratchpad.ts";
import { readStatePrompt } from "./prompt-state.ts";

/** A history that is told in one message, which the agent writes anew at each step. */
export interface PromptHistory {
  /** The section that says what the run is for; all else in the prompt changes from step to step. */
  readonly task: string;
  readonly steps: readonly Step[];
  /** What stands in front of the task: the form, as other agents have it in their system text. */
  readonly instructions?: string;
  /** What it says of the answer's form, where that may be another text each time: it names no run. */
  readonly form?: string;
  /** Such prompts tell what came of steps, and hardly ever what they did. */
  readonly isUntold?: true;
  /** Of its steps it shows no more than the state that the newest has led to. */
  readonly showsState?: true;
}

const readers: readonly ((text: string) => PromptHistory | undefined)[] = [
  readTrajectory,
  readBrowserPrompt,
  readScratchpad,
  readHeadedPrompt,
  readStatePrompt,
];

/** Undefined for a message that tells no history: a question, a task, a document. */
export function readPrompt(text: string): PromptHistory | undefined {
  for (const read of readers) {
    const history = read(text);
    if (history !== undefined) return history;
  }
  return undefined;
}

/** What an action does to what is shown, and so how it is undone; a `look` changes nothing. */
export const actionTypes = ["checkbox", "dialog", "text", "menu", "window", "look", "other"] as const;
export type ActionType = (typeof actionTypes)[number];

/** Of which type an action is whose words fit: of each list that is given, one has to be there. Case and punctuation do not matter. */
export interface ActionRule {
  readonly type: ActionType;
  /** In the tool's name. */
  readonly tool?: readonly string[];
  /** In the arguments. */
  readonly args?: readonly string[];
  /** In what came back, and not in what came back before it. */
  readonly outcome?: readonly string[];
}

/** The call that undoes an action: the `same` once more, or this one; a value `$name` is that argument of the action. */
export type Reversal =
  | "same"
  | { readonly tool: string; readonly args: Readonly<Record<string, string | number | boolean>> };

/** When an action is kept, undone, or the plan given up. */
export interface Planning {
  /**
   * `latest`: the task is what the user said last, and another one is another plan; `first`: it is what was said before
   * the first step, and what is said later is part of the state, as from a harness that tells the state as a user.
   */
  readonly task: "latest" | "first";
  /** An action that raises the score by more than this has brought progress. */
  readonly progress: number;
  /** The plan is given up when the same state has come this many times. */
  readonly sameState: number;
  /** The plan is given up when the score has fallen this many times in a row. */
  readonly falls: number;
  /** The plan is given up after this many actions. */
  readonly maxSteps: number;
  /** Looked at before the product's own rules, in order. */
  readonly actions: readonly ActionRule[];
  /** Actions of these types are undone by a call in place of an instruction, where the agent has the tool. */
  readonly reversals: Partial<Readonly<Record<ActionType, Reversal>>>;
}

/** How often a judge is asked, and what it is shown. */
export interface JudgeTerms {
  /** Every N steps; sooner where a loop is near. */
  readonly every: number;
  /**
   * A request waits for the judge of its newest state, so many milliseconds at most, and goes on without it then; undefined:
   * none waits, and a judgement counts from the next request on.
   */
  readonly wait?: number;
  /** For each session. */
  readonly maxCalls: number;
  /** For each session, input and output together. */
  readonly maxTokens: number;
  /** `redacted`: what was done and what came back, without keys and addresses; `off`: names of tools and signatures alone. */
  readonly excerpts: "redacted" | "off";
  /** The most characters of an outcome that are shown. */
  readonly excerptChars: number;
}

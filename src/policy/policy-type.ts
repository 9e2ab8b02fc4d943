import type { DetectorSettings, ToolRule } from "../engine/engine.ts";
import type { BudgetLimits, Ladders, Prices } from "./budget.ts";
import type { FallbackAction, Language, OwnWords } from "./wording/wording.ts";

/** Terms for one tool: how its calls are compared, and how soon its loops matter. */
export interface ToolTerms extends ToolRule {
  /** Ladders that replace the policy's own of the same names; for a turn with several tools the most lenient counts. */
  readonly ladders?: Ladders;
  /** Action that a nudge suggests instead of a repeated call of this tool. */
  readonly fallback?: FallbackAction;
}

/** Text added to the system prompt of every request, to prevent loops. */
export interface Preamble {
  readonly text: string | Partial<Readonly<Record<Language, string>>>;
  /** `always` without it; `stop-signal`: only where the system text mentions the policy's stop signal. */
  readonly when?: "always" | "stop-signal";
}

/** A runaway answer: how often a block has come without a break. */
export interface RunawayTerms {
  /** Laps of a block of up to 16 tokens. */
  readonly shortLaps: number;
  /** Laps of a block of up to 60 tokens. */
  readonly longLaps: number;
  /** Fewer characters than this are never cut off. */
  readonly leastChars: number;
}

/** Which loops matter, how soon, and what is said about them. Plain JSON. */
export interface Policy {
  readonly name: string;
  readonly ladders: Ladders;
  /** Limits of a session; a ladder `budget:<kind>` takes precedence. */
  readonly budget?: BudgetLimits;
  /** Prices of tokens; a model that is not listed costs nothing. */
  readonly prices?: Prices;
  /** What a judge is asked, if there is one; without it none is. */
  readonly judge?: Judge;
  /** Settings of detectors; missing ones have their defaults. */
  readonly detectors?: DetectorSettings;
  /** Whether a force-done that was ignored is followed by a short-circuit at the next step, whatever the count. */
  readonly finalResponseAfterFailure: boolean;
  /** Whether an answer that would complete a loop is kept from the agent, and the upstream asked once more in its place. */
  readonly intercept: "on" | "off";
  /** Limits beyond which a runaway answer is cut off; `off`: never. */
  readonly runaway: RunawayTerms | "off";
  /**
   * How a short-circuit speaks: as a valid answer, or as an error that no SDK retries; `answer-then-error`: as an error to a
   * client that goes on behind the answer though nothing new was said.
   */
  readonly finalResponse: "answer" | "error" | "answer-then-error";
  /**
   * What a short-circuit says: the `reason` (as without it); `brief`, the answer that the model keeps giving, else only that
   * the run was stopped; or the model's `own-text` of that turn where it has one.
   */
  readonly finalText?: "brief" | "reason" | "own-text";
  /** Whether a final answer of the guard quotes the results that the run had; without it: `results`. */
  readonly endTells?: "results" | "nothing";
  /** Stop signal: the whole final answer, if the system prompt told the model to end with it. */
  readonly stopSignal?: string;
  readonly preamble?: Preamble;
  /** How agents that are unknown to the product mark the parts of a prompt that they write anew at each step. */
  readonly prompts?: readonly PromptTerms[];
  /** Tools that end a run, in order of preference, whatever they say of themselves. Without it: those that say so. */
  readonly doneTools?: readonly string[];
  /** The language of what is told to the model; `auto`: that of the user's messages. */
  readonly language: Language | "auto";
  /** Sentences said in place of the product's own, by language and name. */
  readonly wording?: OwnWords;
  /** By tool; `*` is for all tools, as far as their own rules do not say otherwise. */
  readonly tools: Readonly<Record<string, ToolTerms>>;
}

/** The marks of one agent's prompts: names of its sections, and how its lines begin. */
export interface PromptTerms {
  readonly history: string;
  readonly task: string;
  readonly state?: string;
  readonly step: string;
  readonly action: string;
  readonly result: string;
}

/** What an action does to what is shown, and so how it is undone; a `look` changes nothing. */
export const actionTypes = ["checkbox", "dialog", "text", "menu", "window", "look", "other"] as const;
export type ActionType = (typeof actionTypes)[number];

/** A call that undoes an action: the `same` once more, or this one; a value `$name` is that argument of the action. */
export type Reversal =
  | "same"
  | { readonly tool: string; readonly args: Readonly<Record<string, string | number | boolean>> };

/**
 * Of which type an action is whose words fit: of each list that is given, one has to be there, whatever case and punctuation. A
 * rule without lists says of its type alone how it is undone.
 */
export interface ActionRule {
  readonly type: ActionType;
  /** In the tool's name. */
  readonly tool?: readonly string[];
  /** In the arguments. */
  readonly args?: readonly string[];
  /** In what came back, and not in what came back before it. */
  readonly outcome?: readonly string[];
  /** Actions of this type are undone by a call in place of an instruction, where the agent has the tool. */
  readonly undo?: Reversal;
}

/** What a judge is asked, how often, and what it is shown; what is left out is as usual for what it is asked. */
export interface Judge {
  /**
   * `goal`: after each step, how near the goal is, so that an action is kept, undone, or the plan given up; `near`: whether a
   * loop is one, where a rule is about to nudge; `doubt`: the same where the newest steps may go in circles and no rule has said so.
   */
  readonly asks: "goal" | "near" | "doubt";
  /** A model of the run's own upstream, asked with the run's own key; without it the server's judge is asked. */
  readonly model?: string;
  /** At most one question in so many steps; a goal is judged sooner where a loop is near. */
  readonly every?: number;
  /** A request waits so many milliseconds at most to hear how near the goal is; without it none waits, and what is said counts from the next one on. */
  readonly wait?: number;
  /** For each session. */
  readonly maxCalls?: number;
  /** The most characters of an outcome that are shown, without keys and addresses; 0: names of tools and signatures alone. */
  readonly excerptChars?: number;
  /** A plan is given up after so many actions. */
  readonly maxSteps?: number;
  /** Looked at before the product's own rules, in order. */
  readonly actions?: readonly ActionRule[];
}

/** A judge with all that was left out. */
export type JudgeTerms = Required<Omit<Judge, "model" | "wait">> & Pick<Judge, "model" | "wait">;

const usual = { maxSteps: 50, actions: [] } as const;
const ofGoal = { ...usual, every: 1, maxCalls: 100, excerptChars: 4_000 };
const ofLoop = { ...usual, every: 8, maxCalls: 4, excerptChars: 600 };

/** Undefined where the policy asks no judge. */
export function judgeTermsOf({ judge }: { readonly judge?: Judge }): JudgeTerms | undefined {
  return judge && { ...(judge.asks === "goal" ? ofGoal : ofLoop), ...judge };
}

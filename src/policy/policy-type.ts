import type { DetectorSettings, ToolRule } from "../engine/engine.ts";
import type { BudgetLimits } from "./budget.ts";
import type { JudgeTerms, Planning } from "./planning.ts";
import type { Prices } from "./prices.ts";
import type { SecondOpinion } from "./second-opinion.ts";
import type { Ladders } from "./rungs.ts";
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
  /** When an action is kept, undone, or the plan given up; without it nothing is planned. */
  readonly planning?: Planning;
  /** Terms for the goal judge; without them it is never asked. */
  readonly judge?: JudgeTerms;
  /** Whether a judge is asked about a loop before a nudge is said, if there is one; never without it. */
  readonly secondOpinion?: SecondOpinion;
  /** Settings of detectors; missing ones have their defaults. */
  readonly detectors?: DetectorSettings;
  /** Whether a force-done that was ignored is followed by a short-circuit at the next step, whatever the count. */
  readonly finalResponseAfterFailure: boolean;
  /** What happens while a budget cannot be read because the store fails: `allow` goes on with what the history tells, `deny` answers 503. */
  readonly whenBudgetUnknown: "allow" | "deny";
  /** Whether an answer that would complete a loop is kept from the agent. */
  readonly intercept: "on" | "off";
  /** How often the upstream is asked again within one exchange, in place of an answer that was kept from the agent. */
  readonly maxReasks: number;
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

import type { DetectorSettings, ToolRule } from "../engine/engine.ts";
import type { BudgetLimits, Ladders } from "./budget.ts";
import type { Judge } from "./judge.ts";
import {
  type FallbackAction,
  finalText,
  type Language,
  languageOf,
  type NoteFacts,
  type OwnWords,
} from "./wording/wording.ts";
import type { Step } from "../step.ts";

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

/** Facts about the request that a policy's texts depend on. */
interface Speaking {
  readonly policy: Policy;
  /** The request's system texts. */
  readonly system: string;
  readonly language: Language;
}

/**
 * What a short-circuit says: the stop signal alone where the guarded side was told to end with it, else the turn's own
 * text where the policy prefers that, else the reason. @param step the turn that the finding is about
 */
export function closingText(facts: NoteFacts, step: Step, { policy, system, language }: Speaking): string {
  if (mentionsStop(policy, system)) return policy.stopSignal ?? "";
  const own = policy.finalText === "own-text" ? step.text.trim() : "";
  return own || finalText(facts, step, language, policy);
}

/** Preamble to add to the system prompt; undefined if there is none, or it is there already. */
export function preambleFor({ policy, system, language }: Speaking): string | undefined {
  const { preamble, stopSignal = "" } = policy;
  if (preamble === undefined || (preamble.when === "stop-signal" && !mentionsStop(policy, system))) return undefined;
  const { text } = preamble;
  // Who was told of a signal was told in the language of its own instructions, whatever language it is greeted in.
  const own = preamble.when === "stop-signal" ? languageOf(system) : language;
  const template = typeof text === "string" ? text : (text[own] ?? text.en ?? Object.values(text)[0] ?? "");
  const preambleText = template.replaceAll("{signal}", () => stopSignal);
  return preambleText === "" || system.includes(preambleText) ? undefined : preambleText;
}

function mentionsStop({ stopSignal }: Policy, system: string): boolean {
  return stopSignal !== undefined && stopSignal !== "" && system.includes(stopSignal);
}

/** Price of a million tokens, in any currency. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** For the input tokens that the provider had in its cache; as `input` without it. */
  readonly cachedInput?: number;
  /** For the input tokens that the provider wrote to its cache; as `input` without it. */
  readonly cacheWrite?: number;
}

/** Prices by model: its name, or a prefix followed by `*`. */
type Prices = Readonly<Record<string, Price>>;

interface Consumption {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input tokens; none without it. */
  readonly cachedInputTokens?: number;
  /** Of the input tokens; none without it. */
  readonly cacheWriteTokens?: number;
}

/** The model's own price, else that of the longest beginning; undefined for a model that the table leaves out. */
export function priceFor(prices: Prices, model: string): Price | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  const fitting = Object.keys(prices).filter((name) => name.endsWith("*") && model.startsWith(name.slice(0, -1)));
  const [longest] = fitting.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : prices[longest];
}

/** Cost in whole millionths of the currency: the price of a million tokens is that of one token in millionths. */
export function costOf({ input, output, cachedInput = input, cacheWrite = input }: Price, used: Consumption): number {
  const cached = Math.min(used.cachedInputTokens ?? 0, used.inputTokens);
  const written = Math.min(used.cacheWriteTokens ?? 0, used.inputTokens - cached);
  const plain = used.inputTokens - cached - written;
  return Math.round(plain * input + cached * cachedInput + written * cacheWrite + used.outputTokens * output);
}

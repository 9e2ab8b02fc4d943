import type { Sign } from "../text/sign.ts";
import { goalWords } from "./action-type.ts";
import type { GoalJudgement } from "./take-in.ts";

/** What a judge says of a state, in its own words. */
export interface GoalScore {
  /** From 0 (far) to 10 (reached). */
  readonly distance: number;
  /** The same before the last action; undefined where the judge does not say. */
  readonly before: number | undefined;
  readonly reasons: string;
  readonly met: boolean;
  readonly reachable: boolean;
  /** What has not been tried; undefined where the judge does not say. */
  readonly unexplored: readonly string[] | undefined;
}

/** The most of an answer that is read, from its end: reasoning comes first. In characters. */
const READ_MAX = 20_000;
const OPTIONS_MAX = 8;
const TEXT_MAX = 400;
/** "Reached" with a lower score contradicts itself. */
const MET_LEAST = 8;

/**
 * The verdict in a judge's answer: JSON, also within prose or a fence, of several objects the last that is one.
 * Undefined for anything without a score from 0 to 10.
 */
export function goalScoreIn(answer: string): GoalScore | undefined {
  const text = answer.slice(-READ_MAX);
  let end = text.length;
  for (let tries = 0; tries < MAX_ENDS && end > 0; tries++) {
    end = text.lastIndexOf("}", end - 1);
    if (end === -1) return undefined;
    const json = objectEndingAt(text, end);
    const verdict = json === undefined ? undefined : verdictOf(json);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** Bounds on the JSON search: how many closing brackets are tried, and how many opening ones for each. */
const MAX_ENDS = 16;
const MAX_BEGINNINGS = 12;

function objectEndingAt(text: string, end: number): ScoreFields | undefined {
  let start = text.lastIndexOf("{", end);
  for (let tries = 0; start !== -1 && tries < MAX_BEGINNINGS; tries++) {
    const fields = parsed(text.slice(start, end + 1));
    if (fields !== undefined && scoreOf(fields) !== undefined) return fields;
    start = start === 0 ? -1 : text.lastIndexOf("{", start - 1);
  }
  return undefined;
}

type ScoreFields = Readonly<Record<string, unknown>>;

function parsed(json: string): ScoreFields | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    // Another beginning may make it JSON.
    return undefined;
  }
}

function verdictOf(fields: ScoreFields): GoalScore | undefined {
  const distance = scoreOf(fields);
  if (distance === undefined) return undefined;
  const reasons = firstOf(fields, REASONS);
  return {
    distance,
    before: score(firstOf(fields, BEFORE)),
    reasons: typeof reasons === "string" ? oneLine(reasons) : "",
    // Who says nothing of it has said it with the score.
    met: isYes(firstOf(fields, MET), distance === 10) && distance >= MET_LEAST,
    reachable: isYes(firstOf(fields, REACHABLE), true),
    unexplored: textsIn(firstOf(fields, UNEXPLORED)),
  };
}

/** Keys under which judges answer, each with the one that they are asked for first. */
const SCORE = [
  "distance",
  "distance_score",
  "distance_to_goal",
  "goal_distance",
  "score",
  "proximity",
  "closeness",
  "rating",
];
const BEFORE = ["distance_before", "score_before", "before", "distance_to_goal_before", "distance_score_before"];
const REASONS = ["reasons", "reasoning", "reason", "explanation", "rationale", "why"];
const MET = ["goal_met", "met", "goal_reached", "goal_achieved", "achieved", "is_goal_met"];
const REACHABLE = ["reachable", "goal_reachable", "is_reachable"];
const UNEXPLORED = [
  ...["unexplored", "unexplored_options", "exploration_options", "exploration_branches", "options", "alternatives"],
  ...["next_options", "next_steps", "suggestions"],
];

function firstOf(fields: ScoreFields, keys: readonly string[]): unknown {
  const key = keys.find((name) => Object.hasOwn(fields, name));
  return key === undefined ? undefined : fields[key];
}

function scoreOf(fields: ScoreFields): number | undefined {
  return score(firstOf(fields, SCORE));
}

/** Also "7", "7.5" and "7/10". What lies outside was measured by another scale, so it is no score. */
function score(value: unknown): number | undefined {
  const said =
    typeof value === "string"
      ? /^(-?\d{1,6}(?:\.\d{1,9})?)(?:\s{0,3}(?:\/|of|out of)\s{0,3}10)?$/.exec(value.trim())?.[1]
      : value;
  const number = typeof said === "string" ? Number(said) : said;
  return typeof number === "number" && number >= 0 && number <= 10 ? number : undefined;
}

function isYes(value: unknown, otherwise: boolean): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return otherwise;
  if (/^\s*(true|yes)\s*$/i.test(value)) return true;
  return /^\s*(false|no)\s*$/i.test(value) ? false : otherwise;
}

function textsIn(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.map((one) => oneLine(optionText(one)));
  return texts.filter((text) => text !== "").slice(0, OPTIONS_MAX);
}

/** Some name an option and describe it. */
function optionText(option: unknown): string {
  if (typeof option !== "object" || option === null) return typeof option === "string" ? option : "";
  const fields: ScoreFields = { ...option };
  const text = firstOf(fields, ["description", "option", "action", "text", "name", "action_hint"]);
  return typeof text === "string" ? text : "";
}

function oneLine(text: string): string {
  return text
    .slice(0, TEXT_MAX)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

export interface SignedGoalScore {
  readonly judgement: GoalJudgement;
  /** What the signatures stand for; to be held in memory and never kept. */
  readonly texts: readonly (readonly [signature: string, text: string])[];
}

/** A verdict as it may be kept: its texts as signatures. @param key of the step after which the state was judged */
export function signGoalScore(key: string, verdict: GoalScore, sign: Sign): SignedGoalScore {
  const { distance, before, met, reachable, reasons, unexplored } = verdict;
  const why = sign(`reasons\u0000${reasons}`);
  const options = unexplored?.map((text) => [sign(`option\u0000${goalWords(text)}`), text] as const);
  const open = options?.map(([signature]) => signature);
  return {
    judgement: { key, distance, before, met, reachable, open, why },
    texts: [...(options ?? []), ...(reasons === "" ? [] : [[why, reasons] as const])],
  };
}

const OPINION = /"looping"\s{0,8}:\s{0,8}(true|false)\b/g;

/** What an answer says last of whether a run goes in circles; undefined for anything that does not say it. */
export function opinionIn(answer: string): boolean | undefined {
  const said = [...answer.slice(-READ_MAX).matchAll(OPINION)].at(-1)?.[1];
  return said === undefined ? undefined : said === "true";
}

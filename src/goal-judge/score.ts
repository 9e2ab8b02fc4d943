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
    const found = objectEndingAt(text, end);
    const verdict = found === undefined ? undefined : verdictOf(found);
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
  const reasons = fields.reasons ?? fields.reasoning ?? fields.reason;
  return {
    distance,
    before: score(fields.distance_before ?? fields.score_before),
    reasons: typeof reasons === "string" ? oneLine(reasons) : "",
    met: isYes(fields.goal_met ?? fields.met, false) && distance >= MET_LEAST,
    reachable: isYes(fields.reachable, true),
    unexplored: textsIn(fields.unexplored ?? fields.unexplored_options ?? fields.options),
  };
}

function scoreOf(fields: ScoreFields): number | undefined {
  return score(fields.distance ?? fields.distance_score ?? fields.score);
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
  const texts = value.filter((one): one is string => typeof one === "string").map(oneLine);
  return texts.filter((text) => text !== "").slice(0, OPTIONS_MAX);
}

function oneLine(text: string): string {
  return text
    .slice(0, TEXT_MAX)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

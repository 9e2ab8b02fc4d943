/** What the name of a field says about the value that a final answer should put there, by how the run has ended. */

const textNames = [
  ["finalanswer", "answer", "text", "message", "result", "response", "reply", "output", "summary", "content"],
  ["finaloutput", "finalresult", "explanation", "conclusion", "reason", "report", "description", "comment", "details"],
].flat();
const innerNames = /thought|thinking|reasoning|memory|plan|evaluation|nextgoal/;
const labelNames = /(id|ids|url|uri|path|file|filename|title|name|language|code|key|type|kind|status|date|time)$/;
const successNames = /succe|passed|solved|achieved|resolved|satisf|valid|correct|ok$|helpful|progress/;
const doneNames =
  /done|complet|finish|final|stop|terminat|exit|submit|giveup|giv(e|ing)_up|fail|error|stuck|blocked|abort|cancel/;
const failureWords =
  /fail|error|incomplete|partial|stuck|block|cancel|abort|unable|unsuccess|unresolved|impossible|gave_?up/i;
const neutralWords =
  /^(unknown|none|null|n\/?a|other|unspecified|undecided|undetermined|pending|unclear|inconclusive|abstain|neutral|skip(ped)?|stopped|timeout|escalated?|not[ _-]?(sure|found|available|applicable|determined|known|decided))$/i;
const goodWords = /succe|done|complete|finish|final|solved|passed|achieved|submit|ok/i;
const doneWords = /done|complete|finish|final|stop|terminat|exit|submit/i;

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** How fit a string field of this name is to carry the answer's text; higher is better, always above 0. */
export function textFitness(name: string): number {
  const word = plain(name);
  const exact = textNames.indexOf(word);
  if (exact !== -1) return 100 - exact;
  if (innerNames.test(word)) return 20;
  if (labelNames.test(word)) return 10;
  const part = textNames.findIndex((textName) => word.includes(textName));
  return part === -1 ? 30 : 70 - part;
}

const statusNames = /^(currentstate|explanation|analysis|rationale)$/;
const flagNames = /^(is)?(task)?(done|completed?|finished)$/;

/** Whether a member beside an agent's actions says only why it acts, and whether it is through. */
export function isThoughtField(name: string): boolean {
  const word = plain(name);
  return innerNames.test(word) || statusNames.test(word) || flagNames.test(word);
}

/** Whether a member of this name says in so many words that the run is over. */
export function isEndFlag(name: string): boolean {
  return flagNames.test(plain(name));
}

/** `badly`: without success, or unknown. */
export type Ended = "well" | "badly";

/** Undefined if the name says nothing: the run is over, and it did not succeed unless it has ended well. */
export function booleanMeaning(name: string, ended: Ended): boolean | undefined {
  const word = plain(name);
  if (/^(not|no|un|in)(success|done|complete|finish)/.test(word))
    return !booleanMeaning(word.replace(/^(not|no|un|in)/, ""), ended);
  if (successNames.test(word)) return ended === "well";
  if (ended === "well" && failureWords.test(word)) return false;
  return doneNames.test(word) ? true : undefined;
}

/** Whether an action or a member of this name ends a run. */
export function isDoneName(name: string): boolean {
  return doneWords.test(name);
}

/** Of the allowed values the one that says best: over, and how. */
export function bestWord(values: readonly unknown[], ended: Ended): unknown {
  const matching = (words: RegExp) => values.find((value) => typeof value === "string" && words.test(value));
  if (ended === "well") {
    const good = (value: unknown) => typeof value === "string" && goodWords.test(value) && !failureWords.test(value);
    return values.find(good) ?? values[0];
  }
  return matching(failureWords) ?? matching(neutralWords) ?? matching(doneWords) ?? values[0];
}

/** Whether a value says that something went wrong or is not known, and nothing else. */
export function isNeutralWord(value: string): boolean {
  return failureWords.test(value) || neutralWords.test(value);
}

/** A word for the meaning of a yes-or-no field that is told in words; undefined where the name has no meaning. */
export function wordMeaning(values: readonly unknown[], meaning: boolean | undefined): unknown {
  if (meaning === undefined) return undefined;
  const word = meaning ? /^(yes|y|true)$/i : /^(no|n|false)$/i;
  return values.find((value) => typeof value === "string" && word.test(value));
}

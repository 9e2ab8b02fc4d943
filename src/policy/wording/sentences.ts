import type { Language } from "./language.ts";
import type { Quotation } from "./quoted.ts";

/** A text as it is written. In a plain string the Worker's bundler would write each letter beyond ASCII as an escape, twice as long. */
const raw = String.raw;

/**
 * Every sentence that a model or a person is shown: what was seen (of the run, since a person may read it), what to do about it, how to
 * finish (`…-now`), how a run was ended. `{…}` are the places below.
 */
export const englishSentences = {
  "seen:call": raw`The same call was made {count} times: {calls}.`,
  "seen:foreseen": raw`You were about to do the same again, which would be time number {count}: {calls}.`,
  "seen:failure": raw`{count} attempts have failed, the last of them {calls}.`,
  "seen:cycle": raw`This run goes round in a circle: {count} laps of the same calls, the last of them {calls}.`,
  "seen:known": raw`{count} of the last calls have brought nothing new, the last of them {calls}.`,
  "seen:circles": raw`The last steps go in circles and bring nothing new.`,
  "seen:poll": raw`{count} looks, and nothing has changed: {calls}.`,
  "seen:said": raw`Nothing new has been said for {count} turns.`,
  "seen:budget": raw`The budget of this run ({unit}): {count} of {limit} used.`,
  "seen:retries": raw`The same request came {count} times within {seconds} seconds, though its history had not grown.`,
  "seen:agents": raw`{count} sub-agents were started, more of them at every turn.`,
  "seen:plan": raw`{calls} has not brought the goal nearer (scored {before} before, {after} of 10 now).`,
  "seen:met": raw`The goal is reached: the state was scored {after} of 10.`,
  "seen:given-up": raw`This plan is given up, as it does not lead to the goal ({why}). Tried: {tried}. Undone again: {undone}. Reason: {reason}.`,

  "advice:call": raw`More of the same will bring nothing new. Use what you have for the next step, or take a different approach.`,
  "advice:failure": raw`Trying the same again will fail again. Read the error and change what it names, or reach the goal by another way.`,
  "advice:poll": raw`Wait considerably longer before you look again{wait}, or go on with something that does not depend on it.`,
  "advice:act": raw`Act now on what matters most, or give your final answer with what you have.`,
  "advice:undo": raw`Undo it: for a checkbox, click the same place once more; in a dialog, click "Cancel" or "Close"; for a text, clear the field (Ctrl+A, Delete); for a menu, press Escape, or click elsewhere; for a window, close the window (its X, or Alt+F4); otherwise compare the state now with the one before it, and find the way back.`,
  "advice:next": raw`Do this next: {next}.`,

  came: raw`The tools answered (quoted): {outcome}.`,
  intended: raw`If this is intended, carry on.`,
  "answer-now": raw`Tools are no longer available. Give your final answer now, in the language of the task. Include everything you have found out so far, and say what is missing and why. If the results do not hold the answer, say so.`,
  "call-now": raw`Your only tool is "{doneTool}": none of the others in the history or in examples can be called. Call it now. If the task is not fully finished as it was asked for, say so (success=false where it asks), else success=true. Include everything you have found out so far, in the language of the task, and say what is missing and why. If the results do not hold the answer, say so.`,
  success: raw`Report that it is done (success=true where it asks), with the result. If you know that something is missing, say so instead.`,
  task: raw`The task was: {task}`,
  stopped: raw`This run was stopped because it was going in circles. The task may be unfinished. Send a new instruction to go on.`,
  "stopped:talk": raw`This conversation has come to its end: nothing new was being said. Send a new message to go on.`,
  "stopped:budget": raw`This run was stopped because its budget is used up. It can go on in a new session, or with a larger budget.`,
  "stopped:operator": raw`This run was stopped by an operator. Reason: {reason}`,
};

type StandardName = keyof typeof englishSentences;
export type StandardSentences = Readonly<Record<StandardName, string>>;

/** A policy may add one, for a repeated action on a numbered element. */
const ADDED = "seen:index";

export type SentenceName = StandardName | typeof ADDED;
export type Sentences = StandardSentences & Partial<Readonly<Record<SentenceName, string>>>;
export const sentenceNames = [...Object.keys(englishSentences), ADDED] as readonly SentenceName[];

export type OwnWords = Partial<Readonly<Record<Language, Partial<Sentences>>>>;

/** Placeholders for any sentence, as `{name}`; empty if there is nothing to fill in. */
export const places = [
  ...(["count", "calls", "tool", "index", "outcome", "task", "doneTool", "limit", "unit"] as const),
  ...(["seconds", "wait", "next", "before", "after", "why", "tried", "undone", "reason"] as const),
] as const;
export type Places = Partial<Readonly<Record<(typeof places)[number], Quotation | number>>>;

/** Fills placeholders in one pass: a `{task}` inside a quotation stays as it is. */
export function filled(sentence: string, values: Places): string {
  const byName: Readonly<Record<string, Quotation | number | undefined>> = values;
  return sentence.replace(PLACE, (_, name: string) => String(byName[name] ?? ""));
}

const PLACE = new RegExp(`\\{(${places.join("|")})\\}`, "g");

import type { Step } from "../../step.ts";
import type { ParsedRequest } from "../protocol.ts";
import { finalFormat } from "./asked-form.ts";
import { sectionsOf } from "./labels.ts";

/** Turns without calls that are looked at, the newest ones. */
const LOOKED_AT = 8;
/** Longer ones are no answers that a person reads at once. In characters. */
const MAX_ANSWER = 8_000;
/** Talk about the form itself, announcements, goodbyes: none of them answers anything. */
const NO_ANSWER =
  /\b(correct|right|following|required|expected|exact) format\b|\binvalid format\b|^\W*(let me|let's|i('|’)?ll|i will|i('|’)?m going to|i am going to|i need to|i should|i cannot|i can('|’)t|i am unable|sorry)\b/i;

/**
 * The model's own answer: what it keeps saying where the agent demands another form than plain text, and takes none of it
 * for an end. Undefined where it acts, says something else each time, or nothing that answers.
 * @param withheld the answer that has just come, if it has not reached the client
 */
export function modelsAnswer(request: ParsedRequest, withheld?: Step): string | undefined {
  if (finalFormat(request).kind === "text") return undefined;
  const { steps } = request.conversation;
  const turns = withheld === undefined ? steps : [...steps, withheld];
  const acted = turns.findLastIndex(({ calls }) => calls.length > 0);
  const answerTexts = turns.slice(Math.max(acted + 1, turns.length - LOOKED_AT)).map(({ text }) => answerIn(text));
  const newest = answerTexts.at(-1);
  if (newest === undefined) return undefined;
  return answerTexts.slice(0, -1).some((text) => text !== undefined && saysTheSame(text, newest)) ? newest : undefined;
}

/** What stands behind a label for answers, whichever that is, else all of it. */
function answerIn(text: string): string | undefined {
  const labelled = sectionsOf(text).findLast(({ kind }) => kind === "final")?.body;
  const answer = (labelled ?? text).trim();
  return answer === "" || answer.length > MAX_ANSWER || NO_ANSWER.test(answer) ? undefined : answer;
}

/** Two thirds of all their words are in both. */
function saysTheSame(one: string, other: string): boolean {
  if (one === other) return true;
  const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const first = words(one);
  const second = words(other);
  const shared = [...first].filter((word) => second.has(word)).length;
  return shared * 3 >= (first.size + second.size - shared) * 2;
}

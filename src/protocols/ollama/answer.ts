import { sum } from "../answer/sum-usage.ts";
import { tokensUsed } from "../answer/tokens-used.ts";
import { stepOf } from "../chat-completions/chat-completions.ts";
import { isObject, type JsonObject, parseJson, spliced, stringIn } from "../json/json.ts";
import { locatedBody, memberSplice } from "../wire-format.ts";
import type { Answer, Usage } from "../protocol.ts";

/** A whole answer; undefined for an error or another shape. */
export function readAnswer(answer: JsonObject): Answer | undefined {
  const { message, done } = answer;
  if (hasFailed(answer) || done === false || !isObject(message)) return undefined;
  return {
    id: undefined,
    step: stepOf(message),
    finishReason: reasonIn(answer),
    usage: usageOf(answer),
    model: stringIn(answer.model),
  };
}

export function hasFailed({ error }: JsonObject): boolean {
  return error !== undefined && error !== null;
}

/** Older servers give none. */
export function reasonIn({ done_reason: reason }: JsonObject): string {
  return stringIn(reason) ?? "stop";
}

const COUNTS = [
  "total_duration",
  "load_duration",
  "prompt_eval_count",
  "prompt_eval_duration",
  "eval_count",
  "eval_duration",
];

/** What an answer has taken, tokens and nanoseconds, as the wire tells it. */
export function countsIn(answer: JsonObject): JsonObject {
  return Object.fromEntries(COUNTS.flatMap((key) => (typeof answer[key] === "number" ? [[key, answer[key]]] : [])));
}

/** Undefined where no tokens are counted. */
export function usageOf({ prompt_eval_count: input, eval_count: output }: JsonObject): Usage | undefined {
  return tokensUsed(input, output, undefined);
}

/** A whole answer with the counts of another one added to its own; all else byte for byte. */
export function addCounts(earlier: string, answer: string): string {
  const before = parseJson(earlier);
  const located = locatedBody(answer);
  if (!isObject(before) || located === undefined) return answer;
  const total = Object.entries(sum(countsIn(before), countsIn(located.body)));
  const splices = total.map(([key, count]) => memberSplice(located, key, String(count)));
  return spliced(answer, splices, { start: 0, end: answer.length });
}

/** What our own answers have taken. */
export const noCounts: JsonObject = Object.fromEntries(COUNTS.map((key) => [key, 0]));

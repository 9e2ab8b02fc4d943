import {
  arrayIn,
  isObject,
  type JsonObject,
  jsonText,
  nonEmpty,
  objectIn,
  parseJson,
  spliced,
  stringIn,
} from "../json/json.ts";
import type { Answer, Usage } from "../protocol.ts";
import { stepOf } from "./calls.ts";
import { partsOf } from "./parts.ts";
import { sum } from "../answer/sum-usage.ts";
import { countIn, isCount } from "../answer/tokens-used.ts";
import { locatedBody, memberSplice } from "../wire-format.ts";

/** A whole answer; undefined for an error or another shape. A prompt that is blocked has an answer that says nothing. */
export function readAnswer(answer: JsonObject): Answer | undefined {
  const finishReason = finishReasonIn(answer);
  if (isFailure(answer) || (candidateIn(answer) === undefined && finishReason === undefined)) return undefined;
  const { responseId, usageMetadata, modelVersion } = answer;
  return {
    id: nonEmpty(responseId),
    step: stepOf(answerParts(answer)),
    finishReason,
    usage: usageOf(usageMetadata),
    model: nonEmpty(modelVersion),
  };
}

/** Of several alternatives the one that agents read. */
export function candidateIn(answer: JsonObject): JsonObject | undefined {
  for (const candidate of arrayIn(answer.candidates)) {
    if (isObject(candidate) && (candidate.index ?? 0) === 0) return candidate;
  }
  return undefined;
}

export function finishReasonIn(answer: JsonObject): string | undefined {
  return nonEmpty(candidateIn(answer)?.finishReason) ?? nonEmpty(objectIn(answer.promptFeedback).blockReason);
}

export function isFailure({ error }: JsonObject): boolean {
  return error !== undefined && error !== null;
}

/** The model has called a function in a way that the API could not read, or one that there is not. */
const FAILED_CALLS: ReadonlySet<unknown> = new Set(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"]);

/** The parts of an answer. A call that the API has thrown away, of which only the reason tells, is one that failed. */
export function answerParts(answer: JsonObject): readonly JsonObject[] {
  const { content, finishReason: reason, finishMessage } = candidateIn(answer) ?? {};
  const parts = partsOf(content);
  if (!FAILED_CALLS.has(reason)) return parts;
  const error = stringIn(finishMessage) ?? reason;
  return [
    ...parts,
    { toolCall: { toolType: reason, args: { call: error } } },
    { toolResponse: { response: { error } } },
  ];
}

/** Undefined if the value does not count any tokens. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const { promptTokenCount: input, candidatesTokenCount: output } = value;
  if (!isCount(input) && !isCount(output)) return undefined;
  const cached = countIn(value.cachedContentTokenCount);
  return {
    // What the API's own tools told the model, and what that thought, are counted beside the rest.
    inputTokens: countIn(input) + countIn(value.toolUsePromptTokenCount),
    outputTokens: countIn(output) + countIn(value.thoughtsTokenCount),
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
  };
}

/** A whole answer with the usage of another one added to its own; all else byte for byte. */
export function addUsage(earlier: string, answer: string): string {
  const used = objectIn(parseJson(earlier)).usageMetadata;
  const located = locatedBody(answer);
  if (!isObject(used) || located === undefined || located.members.size === 0) return answer;
  const own = located.body.usageMetadata;
  const json = jsonText(isObject(own) ? sum(used, own) : used);
  if (json === undefined) return answer;
  return spliced(answer, [memberSplice(located, "usageMetadata", json)], { start: 0, end: answer.length });
}

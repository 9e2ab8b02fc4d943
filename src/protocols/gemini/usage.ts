import { sum } from "../answer/sum-usage.ts";
import { countIn, isCount } from "../answer/tokens-used.ts";
import { isObject, jsonText, objectIn, parseJson, spliced } from "../json/json.ts";
import { locatedBody, memberSplice } from "../located-body.ts";
import type { Usage } from "../protocol.ts";

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

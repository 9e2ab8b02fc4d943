import type { Call, Step } from "../../step.ts";
import { cutText, joinTexts, LONGEST_TEXT } from "../../text/text-span.ts";

/** Calls of one turn that are read one by one; of a turn with more, one call stands for all the rest. */
const MAX_READ_CALLS = 64;

/** With each text as it is read. Wire formats have cut theirs; steps may come from elsewhere. */
export function cutStep(step: Step): Step {
  const { calls, text, heard } = step;
  const isShort = (one: string | undefined) => one === undefined || one.length <= LONGEST_TEXT;
  const isReadable =
    calls.length <= MAX_READ_CALLS &&
    isShort(text) &&
    heard.every(isShort) &&
    calls.every(({ args, outcome }) => isShort(args) && isShort(outcome?.text));
  if (isReadable) return step;
  const rest = calls.slice(MAX_READ_CALLS);
  const read = [...calls.slice(0, MAX_READ_CALLS), ...(rest.length === 0 ? [] : [inOne(rest)])].map(cutCall);
  return { calls: read, text: cutText(text), heard: heard.map(cutText) };
}

function inOne(calls: readonly Call[]): Call {
  const outcomes = calls.flatMap(({ outcome }) => outcome?.text ?? []);
  const call = { tool: calls[0]?.tool ?? "", args: joinTexts(calls.map(({ tool, args }) => `${tool} ${args}`)) };
  return outcomes.length === 0 ? call : { ...call, outcome: { text: joinTexts(outcomes) } };
}

function cutCall(call: Call): Call {
  const { outcome, ...source } = { ...call, args: cutText(call.args) };
  return outcome === undefined ? source : { ...source, outcome: { ...outcome, text: cutText(outcome.text) } };
}

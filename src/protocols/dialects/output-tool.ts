import type { OfferedTool, ParsedRequest } from "../protocol.ts";
import { arrayIn, objectIn } from "../json/json.ts";

/**
 * Output tool: some frameworks offer a tool that they never run, whose arguments are the run's result. Names vary; what is common
 * is that a choice is forced, that it is described as the end, and that no call of it has ever come back with a result. Where the
 * choice is free, all that tells it must be there.
 */
export function outputToolOf({ tools, toolChoice, conversation }: ParsedRequest): string | undefined {
  if (typeof toolChoice === "object")
    return tools.some(({ name }) => name === toolChoice.tool) ? toolChoice.tool : undefined;
  const executed = new Set(
    conversation.steps.flatMap(({ calls }) => calls.flatMap((call) => (call.outcome === undefined ? [] : [call.tool]))),
  );
  const open = tools.filter((tool) => !executed.has(tool.name) && (toolChoice !== undefined || isSurelyEnd(tool)));
  const scored = open.map((tool) => ({ name: tool.name, score: fitness(tool, tools) }));
  const enough = toolChoice === undefined ? ALL_BUT_CLASS : ENOUGH;
  return scored.filter(({ score }) => score >= enough).toSorted((one, other) => other.score - one.score)[0]?.name;
}

const ENOUGH = 3;
/** Described, named and with a result to fill in. */
const ALL_BUT_CLASS = 7;
const SURELY_END =
  /\b(final|last) (response|answer|result|output|tool)\b|\bends? (this|the) (conversation|run|task)|\bstructured (response|output|answer)\b/i;
const DESCRIBED_AS_END = /\b(return|give|provide|submit)s? the (result|answer|response|output)\b/i;
const NAMED_AS_END =
  /(^|[_-])(final|answer|result|respond|response|output|report|return|extract)([_-]|\d|$)|^(provide|give|submit|return)_/i;

function isSurelyEnd({ description = "" }: OfferedTool): boolean {
  return SURELY_END.test(description);
}

function fitness(tool: OfferedTool, tools: readonly OfferedTool[]): number {
  const { name, description = "", schema } = tool;
  const isClass = /^[A-Z][A-Za-z0-9]*$/.test(name) && tools.some((other) => !/^[A-Z]/.test(other.name));
  const required = arrayIn(objectIn(schema).required).length;
  return (
    (isSurelyEnd(tool) || DESCRIBED_AS_END.test(description) ? 4 : 0) +
    (NAMED_AS_END.test(name.replace(/([a-z])([A-Z])/g, "$1_$2")) ? 2 : 0) +
    (isClass ? 2 : 0) +
    // A tool that is run says what it is for.
    (description.trim() === "" && tools.some((other) => (other.description ?? "") !== "") ? 1 : 0) +
    (required > 0 ? 1 : 0)
  );
}

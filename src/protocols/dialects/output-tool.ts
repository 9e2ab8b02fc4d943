import type { OfferedTool, ParsedRequest } from "../protocol.ts";
import { arrayIn, objectIn } from "../json/json.ts";

/**
 * Output tool: under a forced choice some frameworks offer a tool that they never run, whose arguments are the run's
 * result. Names vary; what is common is that a choice is forced, that it is described as the end, and that no call of it
 * has ever come back with a result.
 */
export function outputToolOf({ tools, toolChoice, conversation }: ParsedRequest): string | undefined {
  if (toolChoice === undefined) return undefined;
  if (toolChoice !== "any") return tools.some(({ name }) => name === toolChoice.tool) ? toolChoice.tool : undefined;
  const executed = new Set(
    conversation.steps.flatMap(({ calls }) => calls.flatMap((call) => (call.outcome === undefined ? [] : [call.tool]))),
  );
  const open = tools.filter(({ name }) => !executed.has(name));
  const scored = open.map((tool) => ({ name: tool.name, score: fitness(tool, tools) }));
  return scored.filter(({ score }) => score >= ENOUGH).toSorted((one, other) => other.score - one.score)[0]?.name;
}

const ENOUGH = 3;
const DESCRIBED_AS_END =
  /\bfinal (response|answer|result|output)\b|\bends? (this|the) (conversation|run|task)|\bstructured (response|output|answer)\b|\b(return|give|provide|submit)s? the (result|answer|response|output)\b/i;
const NAMED_AS_END =
  /(^|[_-])(final|answer|result|respond|response|output|report|return|extract)([_-]|\d|$)|^(provide|give|submit|return)[A-Z_]/i;

function fitness({ name, description = "", schema }: OfferedTool, tools: readonly OfferedTool[]): number {
  const isClass = /^[A-Z][A-Za-z0-9]*$/.test(name) && tools.some((other) => !/^[A-Z]/.test(other.name));
  const required = arrayIn(objectIn(schema).required).length;
  return (
    (DESCRIBED_AS_END.test(description) ? 4 : 0) +
    (NAMED_AS_END.test(name) ? 2 : 0) +
    (isClass ? 2 : 0) +
    // A tool that is run says what it is for.
    (description.trim() === "" && tools.some((other) => (other.description ?? "") !== "") ? 1 : 0) +
    (required > 0 ? 1 : 0)
  );
}

import type { Call } from "../../step.ts";
import type { Work } from "../../work.ts";
import { arrayIn, isObject, type JsonObject, jsonText, objectIn, jsonValue, stringIn } from "../json/json.ts";
import type { ParsedRequest } from "../protocol.ts";
import { referenced } from "../schema-fill/schema-fill.ts";

/** Member of a schema that names the agent's next step: `{ action: "lookup" | "final", … }`. One of the names ends the run. */
export interface NextStep {
  /** The tool that takes it; undefined where the answer itself is the step. */
  readonly tool: string | undefined;
  readonly key: string;
  readonly names: readonly string[];
}

const KEY = /^(?:next_?)?(?:action|step|move|tool|command|operation)(?:_?(?:name|type|kind))?$/i;
const END = /^(?:final(?:_?(?:answer|result|response|output))?|finish(?:ed)?|done|answer|respond|stop|complete)$/i;

interface Terms extends Pick<ParsedRequest, "tools" | "format"> {
  readonly toolChoice?: ParsedRequest["toolChoice"] | undefined;
}

/** Undefined where the client lets the model do anything else than name its next step. */
export function nextStepOf({ tools, toolChoice, format }: Terms): NextStep | undefined {
  if (tools.length === 0 && format.kind === "schema") return namedSteps(format.schema, undefined);
  const [tool, another] = typeof toolChoice === "object" ? tools.filter(({ name }) => name === toolChoice.tool) : tools;
  const isAlone = toolChoice !== undefined && another === undefined;
  return tool !== undefined && isAlone ? namedSteps(tool.schema, tool.name) : undefined;
}

function namedSteps(schema: unknown, tool: string | undefined): NextStep | undefined {
  for (const [key, member] of Object.entries(objectIn(objectIn(schema).properties))) {
    const { $ref } = objectIn(member);
    const { enum: values } = objectIn($ref === undefined ? member : referenced(schema, stringIn($ref) ?? ""));
    const names = arrayIn(values).filter((name) => typeof name === "string");
    if (KEY.test(key) && names.length > 1 && names.some((name) => END.test(name))) return { tool, key, names };
  }
  return undefined;
}

/** The name of the step that ends the run. */
export function lastStepOf(request: Terms): string | undefined {
  return nextStepOf(request)?.names.find((name) => END.test(name));
}

/** The schema of the member that names the next step, with no other than this one. */
export function lastStepIn(schema: unknown, name: string | undefined): [key: string, last: JsonObject] | undefined {
  const step = namedSteps(schema, undefined);
  if (name === undefined || step?.names.includes(name) !== true || !END.test(name)) return undefined;
  return [step.key, { type: "string", enum: [name] }];
}

/** The call that a text is which names the next step; undefined for an end, which is an answer. */
export function calledStep({ tool, key, names }: NextStep, text: string, work: Work): Call | undefined {
  const said = jsonValue(text, work);
  const { [key]: name, ...rest } = objectIn(said);
  if (!isObject(said) || typeof name !== "string" || !names.includes(name) || END.test(name)) return undefined;
  return tool === undefined ? { tool: name, args: jsonText(rest) ?? "{}" } : { tool, args: text };
}

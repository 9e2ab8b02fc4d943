import type { Call } from "../../step.ts";
import { type Dialect, type FinalTextTerms, plainDialect } from "./dialect.ts";

/** Field blocks, each under a heading `[[ ## name ## ]]` (DSPy). A step is the fields of a tool's name and its arguments. */
export const fieldsIn: Dialect = {
  name: "fields",
  ...plainDialect,
  recognises: (instructions) => TOOL_FIELD.test(instructions) && lastTool(instructions) !== undefined,
  read: (text) => {
    const values = fieldsOf(text);
    const call = values && callInFields(values, "next_");
    return call === undefined ? undefined : [{ calls: [call], text: values?.get("next_thought")?.trim() ?? "" }];
  },
  finishNote: (terms) =>
    `Call no further tool. Your whole answer must have this form:\n${shaped("<what you have found out>", terms)}`,
  finalText: (terms) => shaped(terms.text, terms),
};

const HEADING = /\[\[ ## ([A-Za-z_]\w{0,63}) ## \]\]/g;
const TOOL_FIELD = /\[\[ ## next_tool_name ## \]\]/;

/** The fields of a text by name, of equal names the last; undefined where it has none. */
export function fieldsOf(text: string): ReadonlyMap<string, string> | undefined {
  if (!text.includes("[[ ## ")) return undefined;
  const heads = [...text.matchAll(HEADING)];
  return new Map(
    heads.map((head, index): [string, string] => {
      return [head[1] ?? "", text.slice(head.index + head[0].length, heads[index + 1]?.index).trim()];
    }),
  );
}

/** @param prefix of the fields of an answer; those of a trajectory end with a number instead */
export function callInFields(fields: ReadonlyMap<string, string>, prefix: string, suffix = ""): Call | undefined {
  const tool = fields.get(`${prefix}tool_name${suffix}`);
  if (tool === undefined || tool === "") return undefined;
  return { tool, args: fields.get(`${prefix}tool_args${suffix}`) ?? "" };
}

/** Of the tools that a name may stand for, the one that ends the run. */
function lastTool(instructions: string): string | undefined {
  return /Literal\[[^\]\n]{0,4000}'(finish|done|submit|final_answer)'/.exec(instructions)?.[1];
}

function shaped(thought: string, { instructions }: Pick<FinalTextTerms, "instructions">): string {
  const values = [
    ["next_thought", thought],
    ["next_tool_name", lastTool(instructions) ?? "finish"],
    ["next_tool_args", "{}"],
  ];
  return [...values.map(([name, value]) => `[[ ## ${name} ## ]]\n${value}\n`), "[[ ## completed ## ]]"].join("\n");
}

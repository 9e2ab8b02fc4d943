import type { Tool } from "../../step.ts";
import { arrayIn, isObject, type JsonObject, nonEmpty } from "../json/json.ts";
import { qualified } from "./items.ts";

/** A tool that the model may call by name, and where it stands in the request. */
export interface NumberedTool extends Tool {
  readonly description?: string;
  readonly form: "function" | "custom";
  readonly namespace: string | undefined;
  /** Its own name, within its namespace. */
  readonly ownName: string;
  /** Index in the request's list of it, or of its namespace. */
  readonly at: number;
  /** Index in its namespace. */
  readonly within: number | undefined;
}

/** Functions, custom tools, and those in namespaces. What the provider runs itself goes by no name. */
export function listedTools(tools: unknown): readonly NumberedTool[] {
  return arrayIn(tools).flatMap((tool, at) => {
    if (!isObject(tool)) return [];
    if (tool.type !== "namespace") return numberedTool(tool, undefined, at, undefined);
    const namespace = nonEmpty(tool.name);
    return arrayIn(tool.tools).flatMap((inner, within) =>
      isObject(inner) ? numberedTool(inner, namespace, at, within) : [],
    );
  });
}

function numberedTool(
  tool: JsonObject,
  namespace: string | undefined,
  at: number,
  within: number | undefined,
): readonly NumberedTool[] {
  const ownName = nonEmpty(tool.name);
  const { type: form } = tool;
  if (ownName === undefined || (form !== "function" && form !== "custom")) return [];
  const described = typeof tool.description === "string" ? { description: tool.description } : {};
  const named = { name: qualified(ownName, namespace), ...described, form, namespace, ownName, at, within } as const;
  const { parameters: schema } = tool;
  return [schema === undefined || schema === null ? named : { ...named, schema }];
}

import { isObject, type JsonObject } from "./json.ts";
import type { AnswerFormat } from "./protocol.ts";
import { reactActions } from "./react-text.ts";
import { actionObject } from "./text-actions.ts";

/**
 * How an agent that writes its actions as text expects to be told that it is over, judged by one such text:
 * an object like its own that asks for no further action, or a ReAct `Final Answer:`. Undefined for ordinary prose.
 */
export function finalShapeLike(text: string): AnswerFormat | undefined {
  const example = actionObject(text);
  if (example !== undefined) return { kind: "schema", schema: finalSchema(example) };
  return reactActions(text) === undefined ? undefined : { kind: "react" };
}

const doneAction = {
  type: "object",
  required: ["done"],
  properties: {
    done: {
      type: "object",
      required: ["text", "success"],
      properties: { text: { type: "string" }, success: { type: "boolean" } },
    },
  },
};

function finalSchema(example: JsonObject): unknown {
  if (typeof example.action === "string") {
    return objectSchema([
      ["action", { const: "Final Answer" }],
      ["action_input", { type: "string" }],
    ]);
  }
  const members = Object.entries(example).map(([key, value]): [string, unknown] => {
    if (!isActionList(example, key)) return [key, schemaLike(value)];
    return [key, namesItsActions(value) ? { type: "array", maxItems: 0 } : doneList];
  });
  const speaks = members.some(([, schema]) => schema === doneList) || Object.values(example).some(isString);
  return objectSchema(speaks ? members : [...members, ["message", { type: "string" }]]);
}

const doneList = { type: "array", minItems: 1, maxItems: 1, items: doneAction };

function isActionList(example: JsonObject, key: string): boolean {
  return Array.isArray(example[key]) && key === (Array.isArray(example.actions) ? "actions" : "action");
}

/** Web agents name each action in a field and stop at an empty list; browser-use has a `done` action. */
function namesItsActions(list: unknown): boolean {
  return Array.isArray(list) && list.some((element) => isObject(element) && typeof element.action === "string");
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}

function schemaLike(value: unknown): unknown {
  if (Array.isArray(value)) return { type: "array" };
  // One level is what such agents have; anything deeper keeps its key and no more.
  if (isObject(value)) {
    return objectSchema(
      Object.entries(value).map(([key, inner]) => [key, isObject(inner) ? { type: "object" } : schemaLike(inner)]),
    );
  }
  return { type: value === null ? "null" : typeof value };
}

function objectSchema(members: readonly (readonly [string, unknown])[]): unknown {
  return {
    type: "object",
    required: members.map(([key]) => key),
    properties: Object.fromEntries(members),
  };
}

import { isObject } from "../json/json.ts";

/** A choice of words as people sketch one. In characters. */
const MAX_CHOICE = 200;

/** A schema of which an example is one value. Words between bars (`yes | no`) are a choice. */
export function exampleSchema(value: unknown): unknown {
  if (Array.isArray(value)) return { type: "array" };
  // One level is what such objects have; anything deeper keeps its key and no more.
  if (isObject(value)) {
    return objectSchema(
      Object.entries(value).map(([key, inner]) => [key, isObject(inner) ? { type: "object" } : exampleSchema(inner)]),
    );
  }
  const choice =
    typeof value === "string" && value.length <= MAX_CHOICE ? value.split("|").map((one) => one.trim()) : [];
  if (choice.length > 1 && choice.every((one) => /^[\w -]+$/.test(one))) return { enum: choice };
  return { type: value === null ? "null" : typeof value };
}

export function objectSchema(members: readonly (readonly [string, unknown])[]): unknown {
  return {
    type: "object",
    required: members.map(([key]) => key),
    properties: Object.fromEntries(members),
  };
}

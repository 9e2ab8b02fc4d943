import { historyOf } from "../dialects/dialects.ts";
import { isObject } from "../json/json.ts";
import type { DeltaFormat } from "../wire-format.ts";
import { callsIn } from "./calls.ts";
import { neutralContents } from "./conversation.ts";
import { listIn } from "./names.ts";
import { functionResultIn, isModels, partsOf } from "./parts.ts";

/** How a body goes on behind the contents that an earlier one of its run has carried already. */
export const delta: DeltaFormat = {
  comparable: (body) => body,
  list: "contents",
  // It names calls, too, and whatever else has an id: these are hints.
  resultKey: "id",
  // What the model says goes on with what it has said.
  members: (body) => (isModels(listIn(body.contents).at(-1)) ? undefined : Object.keys(body)),
  steps: (contents) =>
    standsAlone(contents) ? historyOf(neutralContents({ contents }).messages).conversation.steps : undefined,
};

/** It begins with an answer and tells only of its own calls: read alone it is what it is in its place. */
function standsAlone(contents: readonly unknown[]): boolean {
  if (!isModels(contents[0])) return false;
  const called = new Set<string>();
  for (const content of contents) {
    if (!isObject(content)) return false;
    const parts = partsOf(content);
    for (const { id, tool } of isModels(content) ? callsIn(parts) : []) called.add(id ?? "").add(`of ${tool}`);
    const results = parts.flatMap((part) => functionResultIn(part) ?? []);
    if (results.some(({ id, tool }) => !called.has(id ?? `of ${tool}`))) return false;
  }
  return true;
}

import { arrayIn, type LocatedValue, placedElements, placedWithin, type Splice, spliced } from "../json/json.ts";
import { type LocatedBody, memberSplice } from "../located-body.ts";
import type { FinishFormat, PlacedTool } from "../wire-format.ts";
import { type NumberedTool, listedTools } from "./tools.ts";

export const finish: FinishFormat = {
  offers,
  mayNarrow: () => true,
  // The API refuses a choice where nothing is offered.
  silence: (located) =>
    arrayIn(located.body.tools).length === 0 ? [] : [memberSplice(located, "tool_choice", '"none"')],
  schemas: [["text", "format", "schema"]],
};

function offers(located: LocatedBody): readonly PlacedTool[] {
  const { text, body, members } = located;
  const places = placedElements(text, arrayIn(body.tools), members.get("tools"));
  return listedTools(body.tools).map((tool) => ({
    name: tool.name,
    schema: schemaAt(text, places, tool),
    alone: (splices) => [
      memberSplice(located, "tools", `[${toolText(text, places, tool, splices)}]`),
      memberSplice(located, "tool_choice", JSON.stringify(choiceOf(tool))),
    ],
  }));
}

/** A tool in a namespace has no choice of its own: it is required as the only one there is. */
function choiceOf({ namespace, form, ownName }: NumberedTool): unknown {
  return namespace === undefined ? { type: form, name: ownName } : "required";
}

/** The text of a tool, within its namespace if it has one, and with these splices made in it. */
function toolText(
  text: string,
  places: readonly LocatedValue<unknown>[],
  { at, within }: NumberedTool,
  splices: readonly Splice[],
): string {
  const outer = places[at];
  if (outer === undefined) return "";
  if (within === undefined) return spliced(text, splices, outer.span);
  const list = placedWithin(text, outer, ["tools"]);
  const inner = placedElements(text, arrayIn(list?.value), list?.span)[within];
  if (list === undefined || inner === undefined) return spliced(text, splices, outer.span);
  return spliced(text, [{ ...list.span, text: `[${spliced(text, splices, inner.span)}]` }], outer.span);
}

function schemaAt(
  text: string,
  places: readonly LocatedValue<unknown>[],
  { at, within }: NumberedTool,
): LocatedValue<unknown> | undefined {
  const outer = places[at];
  if (outer === undefined || within === undefined) return outer && placedWithin(text, outer, ["parameters"]);
  const list = placedWithin(text, outer, ["tools"]);
  const inner = placedElements(text, arrayIn(list?.value), list?.span)[within];
  return inner && placedWithin(text, inner, ["parameters"]);
}

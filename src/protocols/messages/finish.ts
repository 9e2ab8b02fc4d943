import { arrayIn, nonEmpty, objectIn, placedElements, placedWithin, spliced } from "../json/json.ts";
import { type LocatedBody, memberSplice } from "../located-body.ts";
import type { FinishFormat, PlacedTool } from "../wire-format.ts";
import { thinks } from "./request.ts";

export const finish: FinishFormat = {
  offers,
  // Tools that the history refers to must be on offer, and while the model thinks none may be chosen: then the note's words must do.
  mayNarrow: ({ text, body }) => !thinks(body) && !text.includes('"tool_reference"'),
  // The API refuses a choice where nothing is offered.
  silence: (located) =>
    arrayIn(located.body.tools).length === 0 ? [] : [memberSplice(located, "tool_choice", '{"type":"none"}')],
  schemas: [
    ["output_config", "format", "schema"],
    ["output_format", "schema"],
  ],
};

function offers(located: LocatedBody): readonly PlacedTool[] {
  const { text, body, members } = located;
  return placedElements(text, arrayIn(body.tools), members.get("tools")).flatMap((tool): readonly PlacedTool[] => {
    const name = nonEmpty(objectIn(tool.value).name);
    if (name === undefined) return [];
    return [
      {
        name,
        schema: placedWithin(text, tool, ["input_schema"]),
        alone: (splices) => [
          memberSplice(located, "tools", `[${spliced(text, splices, tool.span)}]`),
          memberSplice(located, "tool_choice", JSON.stringify({ type: "tool", name })),
        ],
      },
    ];
  });
}

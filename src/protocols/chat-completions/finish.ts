import { arrayIn, nonEmpty, objectIn, placedElements, placedWithin, spliced } from "../json/json.ts";
import { type LocatedBody, memberSplice } from "../located-body.ts";
import type { FinishFormat, PlacedTool } from "../wire-format.ts";

/** The two generations of the API's members for tools. */
const tooling = [
  { list: "tools", choice: "tool_choice", schema: ["function", "parameters"] },
  { list: "functions", choice: "function_call", schema: ["parameters"] },
] as const;

export const finish: FinishFormat = {
  offers,
  mayNarrow: () => true,
  // The API refuses a choice where nothing is offered.
  silence: (located) =>
    tooling
      .filter(({ list }) => arrayIn(located.body[list]).length > 0)
      .map(({ choice }) => memberSplice(located, choice, '"none"')),
  schemas: [["response_format", "json_schema", "schema"]],
};

function offers(located: LocatedBody): readonly PlacedTool[] {
  const { text, body, members } = located;
  return tooling.flatMap(({ list, choice, schema }) =>
    placedElements(text, arrayIn(body[list]), members.get(list)).flatMap((tool): readonly PlacedTool[] => {
      const toolChoice = choiceOf(list, tool.value);
      if (toolChoice === undefined) return [];
      return [
        {
          name: toolChoice.name,
          schema: placedWithin(text, tool, schema),
          alone: (splices) => [
            memberSplice(located, list, `[${spliced(text, splices, tool.span)}]`),
            memberSplice(located, choice, JSON.stringify(toolChoice.choice)),
          ],
        },
      ];
    }),
  );
}

/** The name of an offered tool and how it is chosen. */
function choiceOf(
  list: "tools" | "functions",
  offered: unknown,
): { readonly name: string; readonly choice: unknown } | undefined {
  const tool = objectIn(offered);
  const custom = nonEmpty(objectIn(tool.custom).name);
  const name = list === "functions" ? nonEmpty(tool.name) : (custom ?? nonEmpty(objectIn(tool.function).name));
  if (name === undefined) return undefined;
  if (list === "functions") return { name, choice: { name } };
  return {
    name,
    choice: custom === name ? { type: "custom", custom: { name } } : { type: "function", function: { name } },
  };
}

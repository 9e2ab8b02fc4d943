import { chatFormat } from "../chat-completions/chat-completions.ts";
import { arrayIn, spliced, placedElements, placedWithin, objectIn, nonEmpty } from "../json/json.ts";
import { memberSplice } from "../located-body.ts";
import type { FinishFormat, PlacedTool } from "../wire-format.ts";

/** No tool can be chosen, so what is not to be called is not offered. */
export const finish: FinishFormat = {
  ...chatFormat.edits.finish,
  offers(located) {
    const { text, body, members } = located;
    return placedElements(text, arrayIn(body.tools), members.get("tools")).flatMap((tool): readonly PlacedTool[] => {
      const name = nonEmpty(objectIn(objectIn(tool.value).function).name);
      if (name === undefined) return [];
      return [
        {
          name,
          schema: placedWithin(text, tool, ["function", "parameters"]),
          alone: (splices) => [memberSplice(located, "tools", `[${spliced(text, splices, tool.span)}]`)],
        },
      ];
    });
  },
  silence: (located) => (arrayIn(located.body.tools).length === 0 ? [] : [memberSplice(located, "tools", "[]")]),
  schemas: [["format"]],
};

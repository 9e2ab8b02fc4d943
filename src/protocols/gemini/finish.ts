import {
  isObject,
  nonEmpty,
  insertion,
  innerEnd,
  membersOf,
  objectIn,
  placedElements,
  placedWithin,
  spliced,
} from "../json/json.ts";
import type { LocatedValue, Span, Splice } from "../json/json.ts";
import { type LocatedBody, memberSplice } from "../located-body.ts";
import type { FinishFormat, PlacedTool } from "../wire-format.ts";
import { listIn, pathsOf, spelled } from "./names.ts";
import { jsonSchema } from "./schema.ts";
import { allowedNames, isCached, offeredTools } from "./tools.ts";

export const finish: FinishFormat = {
  offers,
  mayNarrow: ({ body }) => !isCached(body),
  silence: (located) =>
    isCached(located.body) || offeredTools(located.body).length === 0 ? [] : [choiceSplice(located, '{"mode":"NONE"}')],
  schemas: [...pathsOf("generationConfig", "responseSchema"), ...pathsOf("generationConfig", "responseJsonSchema")],
};

function offers(located: LocatedBody): readonly PlacedTool[] {
  const { text, body, members } = located;
  const may = allowedNames(body);
  return elementsAt(text, body.tools, members.get("tools"))
    .flatMap((tool) => membersAt(text, tool))
    .flatMap((declared): readonly PlacedTool[] => {
      const name = nonEmpty(objectIn(declared.value).name);
      if (name === undefined || may?.has(name) === false) return [];
      return [
        {
          name,
          schema: schemaOf(text, declared),
          alone: (splices) => [
            memberSplice(located, "tools", `[{"functionDeclarations":[${spliced(text, splices, declared.span)}]}]`),
            choiceSplice(located, JSON.stringify({ mode: "ANY", allowedFunctionNames: [name] })),
          ],
        },
      ];
    });
}

/** The declarations of one tool. */
function membersAt(text: string, { value, span }: LocatedValue<unknown>): readonly LocatedValue<unknown>[] {
  const tool = objectIn(value);
  const key = spelled(tool, "functionDeclarations");
  return elementsAt(text, tool[key], membersOf(text, span).get(key));
}

/** A list's elements; what stands in the place of a list is the one element. */
export function elementsAt(text: string, value: unknown, span: Span | undefined): readonly LocatedValue<unknown>[] {
  if (span !== undefined && isObject(value)) return [{ value, span }];
  return placedElements(text, listIn(value), span);
}

function schemaOf(text: string, declared: LocatedValue<unknown>): PlacedTool["schema"] {
  const plain = placedWithin(text, declared, [spelled(objectIn(declared.value), "parametersJsonSchema")]);
  if (plain !== undefined) return plain;
  const place = placedWithin(text, declared, ["parameters"]);
  return place && { ...place, value: jsonSchema(place.value) };
}

/** The choice among functions; what else the client configures stays. */
function choiceSplice(located: LocatedBody, choice: string): Splice {
  const { text, body, members } = located;
  const key = spelled(body, "toolConfig");
  const [config, span] = [body[key], members.get(key)];
  if (!isObject(config) || span === undefined) return memberSplice(located, key, `{"functionCallingConfig":${choice}}`);
  const name = spelled(config, "functionCallingConfig");
  const inner = membersOf(text, span);
  const place = inner.get(name);
  if (place !== undefined) return { ...place, text: choice };
  return insertion(innerEnd(text, span), `${inner.size === 0 ? "" : ","}"${name}":${choice}`);
}

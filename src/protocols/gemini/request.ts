import { historyOf } from "../dialects/dialects.ts";
import { isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";
import type { AnswerFormat } from "../protocol.ts";
import type { RequestFormat } from "../wire-format.ts";
import { neutralContents } from "./conversation.ts";
import { listIn, memberOf } from "./names.ts";
import { partsOf } from "./parts.ts";
import { jsonSchema } from "./schema.ts";
import { forcedChoice, isCached, offeredTools } from "./tools.ts";

export const requests: RequestFormat<undefined> = {
  recognises: (body) => isObject(body) && isRequest(body),
  isRequest,
  // The URL says it.
  streams: () => false,
  sampling: ["model", "cachedContent", ...["temperature", "topP", "seed"].map((name) => `generationConfig.${name}`)],
  read(body) {
    const { messages } = neutralContents(body);
    const tools = offeredTools(body);
    const candidates = memberOf(generationIn(body), "candidateCount");
    return {
      messages,
      history: historyOf(messages),
      tools,
      hasTools: tools.length > 0 || isCached(body),
      toolChoice: forcedChoice(body),
      format: formatOf(generationIn(body)),
      alternatives: typeof candidates === "number" && candidates > 1,
      previousAnswerId: undefined,
      keptUnder: undefined,
      own: undefined,
    };
  },
};

function isRequest(body: JsonObject): boolean {
  return listIn(body.contents).some((content) => partsOf(content).length > 0);
}

function generationIn(body: JsonObject): JsonObject {
  return objectIn(memberOf(body, "generationConfig"));
}

function formatOf(generation: JsonObject): AnswerFormat {
  const schema = memberOf(generation, "responseJsonSchema") ?? jsonSchema(memberOf(generation, "responseSchema"));
  const mime = stringIn(memberOf(generation, "responseMimeType"))?.toLowerCase();
  if (isObject(schema) && mime !== "text/x.enum") return { kind: "schema", schema };
  return mime === "application/json" ? { kind: "json" } : { kind: "text" };
}

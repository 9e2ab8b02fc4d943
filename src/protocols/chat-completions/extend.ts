import { innerEnd, insertion, type JsonObject, type LocatedValue, membersOf, type Splice } from "../json/json.ts";

/** The texts at the end of what a message says. None where its content is of no known kind. */
export function extended(body: string, message: LocatedValue<JsonObject>, texts: readonly string[]): readonly Splice[] {
  const { content } = message.value;
  const span = membersOf(body, message.span).get("content");
  const joined = texts.join("\n\n");
  if (span === undefined) {
    const end = innerEnd(body, message.span);
    return [insertion(end, `,"content":${JSON.stringify(joined)}`)];
  }
  if (typeof content === "string") {
    const added = JSON.stringify(content === "" ? joined : `\n\n${joined}`);
    return [insertion(span.end - 1, added.slice(1, -1))];
  }
  if (content === null) return [{ ...span, text: JSON.stringify(joined) }];
  if (!Array.isArray(content)) return [];
  const parts = texts.map((text) => JSON.stringify({ type: "text", text })).join(",");
  return [insertion(innerEnd(body, span), content.length === 0 ? parts : `,${parts}`)];
}

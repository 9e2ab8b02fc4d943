import { innerEnd, insertion, isObject, type JsonObject, membersOf, parseJson, rootSpan } from "./json/json.ts";
import type { Span, Splice } from "./json/json.ts";

/** A request's body, its own text, and where its members stand in it. */
export interface LocatedBody {
  readonly text: string;
  readonly body: JsonObject;
  readonly span: Span;
  readonly members: ReadonlyMap<string, Span>;
}

/** Undefined for what is no JSON object. */
export function locatedBody(text: string): LocatedBody | undefined {
  const body = parseJson(text);
  if (!isObject(body)) return undefined;
  const span = rootSpan(text);
  return { text, body, span, members: membersOf(text, span) };
}

/** A member's value in place of the one it has, or as a new one. */
export function memberSplice({ text, span, members }: LocatedBody, key: string, json: string): Splice {
  const place = members.get(key);
  if (place !== undefined) return { ...place, text: json };
  return insertion(innerEnd(text, span), `,${JSON.stringify(key)}:${json}`);
}

import { type Call, type Step, UNKNOWN_TOOL } from "../../step.ts";
import { isObject, type JsonObject, membersOf, nonEmpty, objectIn, placedElements, rootSpan } from "../json/json.ts";
import type { ParsedRequest, PreviousTurn } from "../protocol.ts";
import type { RequestBody } from "../wire-format.ts";
import { itemsOf, kindOf } from "./items.ts";

/** Begins the ids of items that the guard has made itself: the API keeps none of them, so that it must not be referred to one. */
export const OWN_ITEM = "unloop_";
const OWN_ID = new RegExp(`^[a-z]+_${OWN_ITEM}`);

/** Calls of a turn that is only referred to, known by the results that came back for them. @param told those told beside it */
export function referredCalls(told: readonly Call[], results: readonly JsonObject[]): readonly Call[] {
  const ids = new Set(told.map(({ id }) => id));
  return results.flatMap((item): readonly Call[] => {
    const id = nonEmpty(item.call_id);
    if (id === undefined || ids.has(id)) return [];
    ids.add(id);
    return [{ id, tool: UNKNOWN_TOOL, args: id }];
  });
}

/** The request with what is known of the turns that it refers to. */
export function withKnownTurns(request: ParsedRequest, { earlier = [], ...turn }: PreviousTurn): ParsedRequest {
  const turns = new Map([...earlier, turn].flatMap((known) => known.calls.map(({ id }) => [id, known] as const)));
  const calls = new Map([...turns].map(([id, known]) => [id, known.calls.find((call) => call.id === id)]));
  const steps = request.conversation.steps.map((step): Step => {
    const first = step.calls.find(({ tool }) => tool === UNKNOWN_TOOL);
    if (first === undefined) return step;
    const knownCalls = step.calls.map((call) => {
      const { tool, args } = (call.tool === UNKNOWN_TOOL && calls.get(call.id)) || call;
      return { ...call, tool, args };
    });
    return { ...step, calls: knownCalls, text: step.text || (turns.get(first.id)?.text ?? "") };
  });
  return { ...request, conversation: { ...request.conversation, steps } };
}

/** The body without the items of the guard's own that it refers to, and without their results; undefined if there are none. */
export function withoutOwnItems({ text, body, target }: RequestBody): RequestBody | undefined {
  const items = itemsOf(body.input);
  const kept = items.filter((item) => !isOwnReference(objectIn(item)));
  const span = membersOf(text, rootSpan(text)).get("input");
  if (kept.length === items.length || span === undefined) return undefined;
  const texts = placedElements(text, items, span)
    .filter(({ value }) => kept.includes(value))
    .map((item) => text.slice(item.span.start, item.span.end));
  const shorter = `${text.slice(0, span.start)}[${texts.join(",")}]${text.slice(span.end)}`;
  return { text: shorter, body: { ...body, input: kept }, target };
}

function isOwnReference(item: JsonObject): boolean {
  const id = kindOf(item) === "reference" ? item.id : kindOf(item) === "result" ? item.call_id : undefined;
  return isObject(item) && typeof id === "string" && OWN_ID.test(id);
}

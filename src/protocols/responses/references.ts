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

/**
 * The request with what is known of the turns that it refers to. Some clients tell the items of all their turns first and then
 * all results: what was made in several answers is several turns.
 */
export function withKnownTurns(request: ParsedRequest, { earlier = [], ...turn }: PreviousTurn): ParsedRequest {
  const turns = new Map([...earlier, turn].flatMap((known) => known.calls.map(({ id }) => [id, known] as const)));
  const steps = request.conversation.steps.flatMap((step): readonly Step[] => {
    if (step.calls.every(({ tool }) => tool !== UNKNOWN_TOOL)) return [step];
    const groups = new Map<KnownTurn | undefined, Call[]>();
    for (const call of step.calls) {
      const known = turns.get(call.id);
      const { tool, args } = known?.calls.find(({ id }) => id === call.id) ?? call;
      groups.set(known, [...(groups.get(known) ?? []), call.tool === UNKNOWN_TOOL ? { ...call, tool, args } : call]);
    }
    return [...groups].map(([known, calls], index) => ({
      calls,
      text: step.text || (known?.text ?? ""),
      heard: index === groups.size - 1 ? step.heard : [],
      ...(index > 0 && { sharesMessage: true as const }),
    }));
  });
  return { ...request, conversation: { ...request.conversation, steps } };
}

type KnownTurn = Pick<Step, "calls" | "text">;

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

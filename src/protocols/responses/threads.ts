import { type Call, type Step, UNKNOWN_TOOL } from "../../step.ts";
import { elementsAt } from "../edits.ts";
import { objectIn, stringIn } from "../json/json.ts";
import { instead, placedObject } from "../json/place.ts";
import type { ParsedRequest, PreviousTurn } from "../protocol.ts";
import { NOT_DONE, type RequestBody, type ThreadFormat, wire } from "../requests.ts";
import { itemsOf, kindOf, OWN_ITEM } from "./items.ts";

/** Requests that go on from what the API keeps: an answer, a conversation, items by their ids. */
export const threads: ThreadFormat = {
  always: true,
  substitutes(unanswered, step, tools) {
    const custom = new Set(tools.filter(({ form }) => form === "custom").map(({ name }) => name));
    const results = unanswered.flatMap(({ id, tool }) => {
      const type = custom.has(tool) ? "custom_tool_call_output" : "function_call_output";
      return id === undefined ? [] : [{ type, call_id: id, output: NOT_DONE }];
    });
    const words = step === undefined || step.text === "" ? [] : [{ role: "assistant", content: step.text }];
    const calls = (step?.calls ?? []).map(({ id, tool, args }) =>
      custom.has(tool)
        ? { type: "custom_tool_call", call_id: id, name: tool, input: args }
        : { type: "function_call", call_id: id, name: tool, arguments: args },
    );
    return [...results, ...words, ...calls];
  },
  tellsTurn: (items) => items.some((item) => kindOf(item) === "said" || kindOf(item) === "call"),
  renamed(body, answerId, items) {
    const [named, input] = [body.at("previous_response_id"), body.at("input")];
    const told = `{"role":"user","content":${input?.json()}}`;
    const isText = typeof input?.value === "string";
    return [
      ...(named === undefined ? [] : [instead(named, JSON.stringify(answerId))]),
      ...(input === undefined || items === ""
        ? []
        : [isText ? instead(input, `[${items},${told}]`) : input.lead(items)]),
    ];
  },
  referring(request, turn, read) {
    const sent = withoutOwnItems(wire.show(request.wire));
    return withKnownTurns(sent === undefined ? request : read(sent), turn);
  },
};

/**
 * The request with what is known of the turns that it refers to. Some clients tell the items of all their turns first and then
 * all results: what was made in several answers is several turns.
 */
function withKnownTurns(request: ParsedRequest, { earlier = [], ...turn }: PreviousTurn): ParsedRequest {
  const turns = new Map([...earlier, turn].flatMap((known) => known.calls.map(({ id }) => [id, known] as const)));
  const steps = request.conversation.steps.flatMap((step): readonly Step[] => {
    if (step.calls.every(({ tool }) => tool !== UNKNOWN_TOOL)) return [step];
    const groups = new Map<Pick<Step, "calls" | "text"> | undefined, Call[]>();
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

const OWN_ID = new RegExp(`^[a-z]+_${OWN_ITEM}`);

/** The body without the items of the guard's own that it refers to, and without their results; undefined if there are none. */
function withoutOwnItems(source: RequestBody): RequestBody | undefined {
  const items = itemsOf(source.body);
  const kept = items.map((item) => {
    const id = { reference: "id", result: "call_id" }[String(kindOf(item))];
    return !OWN_ID.test(stringIn(id && objectIn(item)[id]) ?? "");
  });
  const body = placedObject(source.text);
  const input = body?.at("input");
  if (kept.every(Boolean) || body === undefined || input === undefined) return undefined;
  const texts = elementsAt(body, "input").filter((_, index) => kept[index]);
  const text = body.json([instead(input, `[${texts.map((item) => item.json()).join(",")}]`)]);
  return { ...source, text, body: { ...source.body, input: items.filter((_, index) => kept[index]) } };
}

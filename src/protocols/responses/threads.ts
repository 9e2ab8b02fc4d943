import { type Call, type Step, UNKNOWN_TOOL } from "../../step.ts";
import {
  arrayIn,
  insertion,
  isObject,
  type JsonObject,
  jsonText,
  membersOf,
  objectIn,
  parseForReading,
  jsonValue,
  placedElements,
  rootSpan,
  type Span,
  type Splice,
  spliced,
} from "../json/json.ts";
import type { OfferedTool, ParsedRequest, PreviousTurn } from "../protocol.ts";
import { contentText, type RequestBody, type ThreadFormat, wire } from "../requests.ts";
import { itemsOf, kindOf, outcomeOf, OWN_ITEM, resultId, turnsIn } from "./items.ts";

/** Requests that go on from what the API keeps: an answer, a conversation, items by their ids. */
export const threads: ThreadFormat = {
  always: true,
  behindTurn(request, turn, task, reread) {
    const shown = wire.show(request.wire);
    if (request.previousAnswerId === undefined) {
      const sent = withoutOwnItems(shown);
      return withKnownTurns(sent === undefined ? request : reread(sent), turn);
    }
    const { calls, text, standIn } = turn;
    const items = itemsOf(shown.body).map(objectIn);
    const before = turnsIn(items).before.map((index) => items[index] ?? {});
    const results = before.filter((item) => kindOf(item) === "result");
    const answered = calls.map((call): Call => {
      const result = call.id === undefined ? undefined : results.findLast((item) => resultId(item) === call.id);
      return result === undefined ? call : { ...call, outcome: outcomeOf(result) };
    });
    const heard = before.filter((item) => kindOf(item) === "user").map(({ content }) => contentText(content));
    const { system, steps } = request.conversation;
    const first = { calls: answered, text, heard };
    const placed = { ...shown, turns: [-1, ...shown.turns] };
    return {
      ...request,
      conversation: { system, opening: task === "" ? [] : [task], steps: [first, ...steps] },
      wire: wire.hide(standIn === undefined ? placed : withItems(placed, standIn)),
    };
  },
  substituteItems,
};

/** A model reads it, never a person. */
const NOT_DONE = "[unloop] The run was stopped here: there is no result.";

function substituteItems(unanswered: readonly Call[], step: Step | undefined, tools: readonly OfferedTool[]): string {
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
  return jsonText([...results, ...words, ...calls]) ?? "[]";
}

/** A request in terms of the upstream's own answer. */
function withItems<Shown extends RequestBody & { readonly turns: readonly number[] }>(
  shown: Shown,
  { answerId, items }: NonNullable<PreviousTurn["standIn"]>,
): Shown {
  const { text, body, turns, work } = shown;
  const before = arrayIn(jsonValue(items, work));
  const places = membersOf(text, rootSpan(text));
  const [named, input] = [places.get("previous_response_id"), places.get("input")];
  const splices: readonly Splice[] = [
    ...(named === undefined ? [] : [{ ...named, text: JSON.stringify(answerId) }]),
    ...(input === undefined || before.length === 0 ? [] : [itemsBefore(text, body.input, input, items.slice(1, -1))]),
  ];
  const changed = spliced(text, splices, { start: 0, end: text.length });
  const reread = parseForReading(changed, work);
  return {
    ...shown,
    text: changed,
    body: isObject(reread) ? reread : body,
    turns: turns.map((turn) => turn + before.length),
  };
}

function itemsBefore(text: string, input: unknown, span: Span, items: string): Splice {
  if (Array.isArray(input)) return insertion(span.start + 1, input.length === 0 ? items : `${items},`);
  return { ...span, text: `[${items},{"role":"user","content":${text.slice(span.start, span.end)}}]` };
}

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
function withoutOwnItems({ text, body, target, work }: RequestBody): RequestBody | undefined {
  const items = itemsOf(body);
  const kept = items.filter((item) => !isOwnReference(objectIn(item)));
  const span = membersOf(text, rootSpan(text)).get("input");
  if (kept.length === items.length || span === undefined) return undefined;
  const texts = placedElements(text, items, span)
    .filter(({ value }) => kept.includes(value))
    .map((item) => text.slice(item.span.start, item.span.end));
  const shorter = `${text.slice(0, span.start)}[${texts.join(",")}]${text.slice(span.end)}`;
  return { text: shorter, body: { ...body, input: kept }, target, work };
}

function isOwnReference(item: JsonObject): boolean {
  const id = kindOf(item) === "reference" ? item.id : kindOf(item) === "result" ? item.call_id : undefined;
  return typeof id === "string" && OWN_ID.test(id);
}

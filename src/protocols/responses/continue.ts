import type { Call, Step } from "../../step.ts";
import {
  insertion,
  isObject,
  jsonText,
  membersOf,
  parseForReading,
  parseJson,
  rootSpan,
  type Splice,
  spliced,
} from "../json/json.ts";
import type { OfferedTool, PreviousTurn } from "../protocol.ts";
import type { FormatRequest, ThreadRecord } from "../wire-format.ts";
import { BEFORE, type ResponsesOwn } from "./conversation.ts";
import { withKnownTurns, withoutOwnItems } from "./references.ts";
import { turnsIn } from "./items.ts";

export const threads: ThreadRecord<ResponsesOwn> = { always: true, behindTurn, substituteItems };

/** The outcomes of the turn's calls stand before the first turn of the input, or behind what refers to them. */
function behindTurn(
  ...[request, shown, turn, task, { hide, reread }]: Parameters<ThreadRecord<ResponsesOwn>["behindTurn"]>
) {
  if (request.previousAnswerId === undefined) {
    const sent = withoutOwnItems(shown);
    return withKnownTurns(sent === undefined ? request : reread(sent, undefined), turn);
  }
  const { calls, text, standIn } = turn;
  const { turns, continuation } = shown.own;
  const { outcomes, heard } = continuation;
  const answered = calls.map((call): Call => {
    const outcome = call.id === undefined ? undefined : outcomes.get(call.id);
    return outcome === undefined ? call : { ...call, outcome };
  });
  const { system, steps } = request.conversation;
  const placed = { ...shown, own: { continuation, turns: [BEFORE, ...turns] } };
  return {
    ...request,
    conversation: {
      system,
      opening: task === "" ? [] : [task],
      steps: [{ calls: answered, text, heard }, ...steps],
    },
    wire: hide(standIn === undefined ? placed : substituteItemsFor(placed, standIn)),
  };
}

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

/** A model reads it, never a person. */
const NOT_DONE = "[unloop] The run was stopped here: there is no result.";

function substituteItemsFor(
  { text, body, target, own }: FormatRequest<ResponsesOwn>,
  { answerId, items }: NonNullable<PreviousTurn["standIn"]>,
): FormatRequest<ResponsesOwn> {
  const substitutes = parseJson(items);
  const before = Array.isArray(substitutes) ? substitutes : [];
  const members = membersOf(text, rootSpan(text));
  const named = members.get("previous_response_id");
  const input = members.get("input");
  const splices: readonly Splice[] = [
    ...(named === undefined ? [] : [{ ...named, text: JSON.stringify(answerId) }]),
    ...(input === undefined || before.length === 0 ? [] : itemsBefore(text, body.input, input, items.slice(1, -1))),
  ];
  const changed = spliced(text, splices, { start: 0, end: text.length });
  const reread = parseForReading(changed);
  const shift = turnsIn(before).turns.length;
  return {
    text: changed,
    body: isObject(reread) ? reread : body,
    target,
    own: { ...own, turns: own.turns.map((turn) => turn + shift) },
  };
}

function itemsBefore(
  text: string,
  input: unknown,
  span: { readonly start: number; readonly end: number },
  items: string,
): readonly Splice[] {
  if (Array.isArray(input)) return [insertion(span.start + 1, input.length === 0 ? items : `${items},`)];
  const userItem = `{"role":"user","content":${text.slice(span.start, span.end)}}`;
  return [{ ...span, text: `[${items},${userItem}]` }];
}

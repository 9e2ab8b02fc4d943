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
import type { OfferedTool, ParsedRequest, PreviousTurn } from "../protocol.ts";
import type { Continuation } from "./conversation.ts";
import { turnsIn } from "./turns.ts";
import { BEFORE, type ResponsesWire, wire } from "./wire.ts";

/** A request with the turn that it goes on from in front of all it tells. */
export function behindTurn(
  request: ParsedRequest,
  { calls, text, standIn }: PreviousTurn,
  task: string,
  { outcomes, heard }: Continuation,
): ParsedRequest {
  const answered = calls.map((call): Call => {
    const outcome = call.id === undefined ? undefined : outcomes.get(call.id);
    return outcome === undefined ? call : { ...call, outcome };
  });
  const { system, steps } = request.conversation;
  const shown = wire.show(request.wire);
  const placed = { ...shown, turns: [BEFORE, ...shown.turns] };
  return {
    ...request,
    conversation: {
      system,
      opening: task === "" ? [] : [task],
      steps: [{ calls: answered, text, heard }, ...steps],
    },
    wire: wire.hide(standIn === undefined ? placed : substituteItemsFor(placed, standIn)),
  };
}

/** What the upstream is to be told that has never heard of the answer that its client goes on from. */
export function substituteItems(
  unanswered: readonly Call[],
  step: Step | undefined,
  tools: readonly OfferedTool[],
): string {
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
  { text, body, turns }: ResponsesWire,
  { answerId, items }: NonNullable<PreviousTurn["standIn"]>,
): ResponsesWire {
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
    turns: turns.map((turn) => turn + shift),
  };
}

function itemsBefore(
  text: string,
  input: unknown,
  span: { readonly start: number; readonly end: number },
  items: string,
): readonly Splice[] {
  if (Array.isArray(input)) return [insertion(span.start + 1, input.length === 0 ? items : `${items},`)];
  const said = `{"role":"user","content":${text.slice(span.start, span.end)}}`;
  return [{ ...span, text: `[${items},${said}]` }];
}

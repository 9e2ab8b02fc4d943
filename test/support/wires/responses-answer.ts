import { type Item, keep, responsesRequestOf } from "./responses-body.ts";
import { inPieces, jsonAnswer, renderedBy, streamAnswer, tokensOf, type Turn } from "./writing.ts";
import type { RawAnswer } from "./scripted-answer.ts";
import type { ModelView } from "./wire.ts";

export const renderedResponse = renderedBy((message) => failure(message, "scripted"), written);

function written({ text, calls }: Turn, { raw, model, streams }: ModelView, nextId: () => string): RawAnswer {
  const { body, items, refusal } = responsesRequestOf(raw);
  if (refusal !== undefined) return jsonAnswer(400, failure(refusal, "invalid_request_error"));
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  const status = "completed";
  const output: Item[] = [
    ...(text ? [{ type: "message", id: `msg_${nextId()}`, status, role: "assistant", content }] : []),
    ...calls.map(({ tool, args, id: call_id }) => ({
      ...{ type: "function_call", id: `fc_${nextId()}`, call_id, ...named(tool), arguments: args, status },
    })),
  ];
  const [input_tokens, output_tokens] = [tokensOf(items), tokensOf(output)];
  const response = {
    ...{ id: `resp_${nextId()}`, object: "response", created_at: 1_700_000_000, status, model, output },
    ...{ background: false, error: null, incomplete_details: null, instructions: null, max_output_tokens: null },
    ...{ parallel_tool_calls: true, previous_response_id: body.previous_response_id ?? null, store: true },
    ...{ reasoning: { effort: null, summary: null }, temperature: 1, text: { format: { type: "text" } } },
    ...{ tool_choice: "auto", tools: [], top_p: 1, truncation: "disabled", user: null, metadata: {} },
    usage: {
      ...{ input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
      ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    },
  };
  const kindred = body.conversation?.id ?? body.conversation;
  keep(response.id, [...items, ...output]);
  if (typeof kindred === "string") keep(kindred, [...items, ...output]);
  return streams ? eventStream(response) : jsonAnswer(200, response);
}

function failure(message: string, type: string) {
  return { error: { message, type, param: null, code: null } };
}

/** `space.tool` is a tool in a namespace. */
function named(tool: string) {
  const [name = "", namespace] = tool.split(".").reverse();
  return namespace === undefined ? { name } : { name, namespace };
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

function eventStream(response: { readonly output: readonly Item[] }): RawAnswer {
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const events: readonly Event[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...response.output.flatMap(itemEvents),
    { type: "response.completed", response },
  ];
  const pieces = events.map(
    (event, sequence_number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
  return streamAnswer([": keep-alive\n\n", ...pieces]);
}

function itemEvents(done: Item, output_index: number): readonly Event[] {
  const at = { item_id: done.id, output_index };
  const announced = {
    ...done,
    ...(done.type === "message" ? { content: [] } : { arguments: "" }),
    status: "in_progress",
  };
  return [
    { type: "response.output_item.added", output_index, item: announced },
    ...(done.type === "message" ? textEvents(done, at) : argumentEvents(done, at)),
    { type: "response.output_item.done", output_index, item: done },
  ];
}

function textEvents({ content }: Item, place: object): readonly Event[] {
  const [part] = content as [{ readonly text: string }];
  const at = { ...place, content_index: 0 };
  const { text } = part;
  return [
    { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
    ...inPieces(text).map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
    { type: "response.output_text.done", ...at, text, logprobs: [] },
    { type: "response.content_part.done", ...at, part },
  ];
}

function argumentEvents({ name, arguments: args }: Item, at: object): readonly Event[] {
  return [
    ...inPieces(String(args)).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
    { type: "response.function_call_arguments.done", ...at, name, arguments: args },
  ];
}

import type { RawAnswer, ScriptedAnswer } from "./scripted-answer.ts";
import { type Item, keep, type ResponsesRequest } from "./responses-body.ts";
import { inPieces, jsonAnswer, streamAnswer, tokensOf } from "./writing.ts";

export function renderedResponse(answer: ScriptedAnswer, request: ResponsesRequest, nextId: () => string): RawAnswer {
  if (answer.kind === "raw") return answer;
  if (answer.kind === "error") return jsonAnswer(answer.status, failure(answer.message, "scripted"));
  if (request.refusal !== undefined) return jsonAnswer(400, failure(request.refusal, "invalid_request_error"));
  const response = responseOf(answer, request, nextId);
  const { conversation, stream } = request.body;
  const kindred = conversation?.id ?? conversation;
  const items = [...request.items, ...response.output];
  keep(response.id, items);
  if (typeof kindred === "string") keep(kindred, items);
  return stream === true ? eventStream(response) : jsonAnswer(200, response);
}

function failure(message: string, type: string) {
  return { error: { message, type, param: null, code: null } };
}

type Response = ReturnType<typeof responseOf>;

function responseOf(
  answer: Exclude<ScriptedAnswer, { kind: "raw" | "error" }>,
  { body, items }: ResponsesRequest,
  nextId: () => string,
) {
  const calls = answer.kind === "calls" ? answer.calls : [];
  const output: Item[] = [
    ...(answer.text ? [saidItem(answer.text, nextId)] : []),
    ...calls.map(({ tool, args, id }) => ({
      type: "function_call",
      id: `fc_${nextId()}`,
      call_id: id ?? `call_${nextId()}`,
      ...named(tool),
      arguments: args,
      status: "completed",
    })),
  ];
  const [input_tokens, output_tokens] = [tokensOf(items), tokensOf(output)];
  return {
    id: `resp_${nextId()}`,
    object: "response",
    created_at: 1_700_000_000,
    status: "completed",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: String(body.model ?? "scripted"),
    output,
    parallel_tool_calls: true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + output_tokens,
    },
    user: null,
    metadata: {},
  };
}

/** `space.tool` is a tool in a namespace. */
function named(tool: string) {
  const [name = "", namespace] = tool.split(".").reverse();
  return namespace === undefined ? { name } : { name, namespace };
}

function saidItem(text: string, nextId: () => string): Item {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { type: "message", id: `msg_${nextId()}`, status: "completed", role: "assistant", content };
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

function eventStream(response: Response): RawAnswer {
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

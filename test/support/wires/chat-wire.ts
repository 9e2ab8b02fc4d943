import type { RawAnswer, ScriptedAnswer } from "./scripted-answer.ts";
import type { ModelView } from "./wire.ts";
import { inPieces, jsonAnswer, streamAnswer, tokensOf } from "./writing.ts";

export function rendered(answer: ScriptedAnswer, chat: ModelView, nextId: () => string): RawAnswer {
  if (answer.kind === "raw") return answer;
  if (answer.kind === "error")
    return jsonAnswer(answer.status, { error: { message: answer.message, type: "scripted" } });
  const turn = turnOf(answer, chat, nextId);
  return chat.streams ? eventStream(turn, chat) : jsonAnswer(200, completion(turn, chat));
}

type Turn = ReturnType<typeof turnOf>;

function turnOf(answer: Exclude<ScriptedAnswer, { kind: "raw" | "error" }>, chat: ModelView, nextId: () => string) {
  const calls = answer.kind === "calls" ? answer.calls : [];
  const text = answer.text ?? null;
  const prompt_tokens = tokensOf(Object(chat.raw).messages);
  const completion_tokens = tokensOf((text ?? "") + calls.map((call) => call.tool + call.args).join(""));
  return {
    id: `chatcmpl-${nextId()}`,
    text,
    calls: calls.map((call) => ({
      id: call.id ?? `call_${nextId()}`,
      type: "function",
      function: { name: call.tool, arguments: call.args },
    })),
    finish_reason: calls.length > 0 ? "tool_calls" : "stop",
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

function completion(turn: Turn, chat: ModelView) {
  const message = {
    role: "assistant",
    content: turn.text,
    refusal: null,
    ...(turn.calls.length > 0 && { tool_calls: turn.calls }),
  };
  return {
    ...envelope(turn, chat, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: turn.finish_reason }],
    usage: turn.usage,
  };
}

function eventStream(turn: Turn, chat: ModelView): RawAnswer {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({
      ...envelope(turn, chat, "chat.completion.chunk"),
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
  const usage = { ...envelope(turn, chat, "chat.completion.chunk"), choices: [], usage: turn.usage };
  const pieces = [
    ": keep-alive\n\n",
    chunk({ role: "assistant", content: turn.calls.length > 0 ? null : "" }),
    ...inPieces(turn.text ?? "").map((content) => chunk({ content })),
    ...turn.calls.flatMap((call, index) => callDeltas(call, index).map((delta) => chunk({ tool_calls: [delta] }))),
    chunk({}, turn.finish_reason),
    ...(Object(chat.raw).stream_options?.include_usage ? [event(usage)] : []),
    "data: [DONE]\n\n",
  ];
  return streamAnswer(pieces);
}

/** As the API does it: the head of a call first with no arguments, then the arguments in pieces. */
function callDeltas(call: Turn["calls"][number], index: number): object[] {
  const head = { index, ...call, function: { ...call.function, arguments: "" } };
  return [head, ...inPieces(call.function.arguments).map((piece) => ({ index, function: { arguments: piece } }))];
}

function envelope(turn: Turn, chat: ModelView, object: string) {
  return { id: turn.id, object, created: 1_700_000_000, model: chat.model, system_fingerprint: "fp_scripted" };
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

// The model behind the deployed Worker: the same call for ever, each under an id of its own; and one that says a word and no more.
let answers = 0;

export default {
  async fetch(request) {
    const { stream = false, model } = await request.json().catch(() => ({}));
    if (model === "endless") return endless();
    answers += 1;
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/messages")) return stream ? events(messageEvents()) : Response.json(message());
    return Response.json(pathname.endsWith("/responses") ? response() : completion());
  },
};

const called = { name: "search", arguments: '{"q":"Paris"}' };

function completion() {
  const call = { id: `call_${answers}`, type: "function", function: called };
  const message = { role: "assistant", content: null, tool_calls: [call] };
  const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
  return { id: `chatcmpl-${answers}`, object: "chat.completion", model: "m", choices };
}

function response() {
  const output = [{ type: "function_call", id: `fc_${answers}`, call_id: `call_${answers}`, ...called }];
  return { id: `resp_${answers}`, object: "response", status: "completed", model: "m", output };
}

const beginning = () => ({ id: `msg_${answers}`, type: "message", role: "assistant", model: "m" });
const used = { input_tokens: 1, output_tokens: 1 };
const toolUse = (input) => ({ type: "tool_use", id: `toolu_${answers}`, name: "search", input });

function message() {
  const content = [toolUse({ q: "Paris" })];
  return { ...beginning(), content, stop_reason: "tool_use", stop_sequence: null, usage: used };
}

function messageEvents() {
  const delta = { type: "input_json_delta", partial_json: called.arguments };
  return [
    { type: "message_start", message: { ...beginning(), content: [], stop_reason: null, usage: used } },
    { type: "content_block_start", index: 0, content_block: toolUse({}) },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: used },
    { type: "message_stop" },
  ];
}

function events(list) {
  const text = list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

function endless() {
  const choices = [{ index: 0, delta: { role: "assistant", content: "one " }, finish_reason: null }];
  const chunk = { id: "chatcmpl-endless", object: "chat.completion.chunk", created: 1, model: "endless", choices };
  const encoder = new TextEncoder();
  const readable = new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)),
    // What waits for nothing workerd would end.
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      controller.enqueue(encoder.encode(": still here\n\n"));
    },
  });
  return new Response(readable, { headers: { "content-type": "text/event-stream" } });
}

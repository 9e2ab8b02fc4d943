// The model behind the deployed Worker: the same call for ever, each under an id of its own.
let answers = 0;

export default {
  async fetch(request) {
    await request.text();
    answers += 1;
    return Response.json(new URL(request.url).pathname.endsWith("/responses") ? response() : completion());
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

// The model behind the deployed Worker: the same call for ever, each under an id of its own.
let answers = 0;

export default {
  async fetch(request) {
    await request.text();
    answers += 1;
    const call = { id: `call_${answers}`, type: "function", function: { name: "search", arguments: '{"q":"Paris"}' } };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    return Response.json({ id: `chatcmpl-${answers}`, object: "chat.completion", model: "m", choices });
  },
};

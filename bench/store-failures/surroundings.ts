import { createServer } from "node:http";
import { delayProxy } from "../../test/support/servers/delay-proxy.ts";
import { bodyOf, listening } from "../../test/support/servers/http.ts";

/**
 * What stands around the guard, in a process of its own: a model behind HTTP, and a proxy before Redis that can be late.
 * Its parent tells it Redis's port first, and then by how many milliseconds Redis is late.
 */
let calls = 0;

/** Always calls a tool; which one, the agent says that asks. */
const model = createServer(async (incoming, response) => {
  await bodyOf(incoming);
  calls += 1;
  const args = incoming.headers["x-agent"] === "looping" ? '{"q":"weather"}' : `{"q":"part ${calls}"}`;
  const call = { id: `call_${calls}`, type: "function", function: { name: "search", arguments: args } };
  const message = { role: "assistant", content: null, tool_calls: [call] };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({ id: `chatcmpl-${calls}`, object: "chat.completion", created: 1, model: "m", choices, usage }),
  );
});

process.once("message", async (redisPort) => {
  const late = await delayProxy(Number(redisPort));
  process.on("message", (ms) => late.delay(Number(ms)));
  process.send?.({ model: await listening(model), redisPort: late.port });
});
// Ends with its parent.
process.once("disconnect", () => process.exit());

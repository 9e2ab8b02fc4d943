/**
 * Detection without the proxy: an agent loop that watches itself. After each turn it tells `watchRun` what was called and what came
 * back; the watch says whether to go on, what to tell the model, or to stop. Nothing but the agent's own requests leaves the process.
 *
 *   OPENAI_API_KEY=sk-… npx tsx examples/engine/agent.ts
 */
import OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import { type Call, watchRun } from "unloop/engine";

const MAX_STEPS = 15;

const search: ChatCompletionTool = {
  type: "function",
  function: {
    name: "search",
    description: "Search the web",
    parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  },
};

if (!process.env.OPENAI_API_KEY) {
  console.error("OPENAI_API_KEY is missing: start this example as its first lines say.");
  process.exit(2);
}
const sdk = new OpenAI();
const task = process.argv[2] ?? "What is the weather in Paris?";
const messages: ChatCompletionMessageParam[] = [{ role: "user", content: task }];
const watch = watchRun({
  policy: '{ "extends": "default", "ladders": { "repeated-call": { "force-done": 4 } } }',
  task,
});
let mustFinish = false;

for (let step = 0; step < MAX_STEPS; step++) {
  const { choices } = await sdk.chat.completions.create({
    model: process.env.OPENAI_MODEL ?? "gpt-4o-mini",
    messages,
    tools: [search],
    tool_choice: mustFinish ? "none" : "auto",
  });
  const message = choices[0]?.message;
  if (message === undefined) throw new Error("The model gave no answer.");
  messages.push(message);
  const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
  if (calls.length === 0) {
    console.log(message.content);
    break;
  }

  const results = calls.map((call) => ({ call, result: noResults() }));
  for (const { call, result } of results) messages.push({ role: "tool", tool_call_id: call.id, content: result });

  const { intervention } = watch.observe({
    calls: results.map(
      ({
        call: {
          id,
          function: { name, arguments: args },
        },
        result,
      }): Call => {
        return { id, tool: name, args, outcome: { text: result } };
      },
    ),
    text: message.content ?? "",
    heard: [],
  });
  if (intervention === undefined) continue;
  console.log(`step ${step + 1}: ${intervention.rung}, ${intervention.note}`);
  if (intervention.rung === "short-circuit") {
    console.log(intervention.text);
    break;
  }
  messages.push({ role: "user", content: intervention.text });
  mustFinish = intervention.rung === "force-done";
}

/** A tool that is no help: what makes models call it again and again. */
function noResults(): string {
  return JSON.stringify({ results: [], hint: "Try another query." });
}

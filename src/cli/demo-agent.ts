import type OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";

/** What one run of the agent came to. */
export interface AgentRun {
  readonly steps: readonly AgentStep[];
  readonly messagesSent: number;
}

export interface AgentStep {
  /** In a few words. */
  readonly did: string;
  /** What the guard says of it; undefined without a guard. */
  readonly verdict: string | undefined;
}

/** The agent's own cap, as agents have one. */
export const maxSteps = 15;

/** The loop that every agent is: ask the model, run its tools, and again, until it answers in words. */
export async function runAgent(sdk: OpenAI): Promise<AgentRun> {
  const messages = opening();
  const steps: AgentStep[] = [];
  let messagesSent = 0;
  while (steps.length < maxSteps) {
    const { data, response } = await sdk.chat.completions
      .create({ model: "demo", messages, tools: [sendMessage] })
      .withResponse();
    const verdict = response.headers.get("x-unloop-verdict") ?? undefined;
    const message = data.choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    if (!message || calls.length === 0) {
      steps.push({ did: "final answer", verdict });
      break;
    }
    messages.push(message);
    for (const call of calls) {
      messagesSent += 1;
      const content = JSON.stringify({ ok: true, message_id: `msg-${messagesSent}` });
      messages.push({ role: "tool", tool_call_id: call.id, content });
    }
    steps.push({ did: `send_message -> msg-${messagesSent}`, verdict });
  }
  return { steps, messagesSent };
}

function opening(): ChatCompletionMessageParam[] {
  return [
    { role: "system", content: "You are the support agent of a web shop. Use the tools, then sum up what you did." },
    { role: "user", content: "Tell Ana (ana@example.com) that her refund is on its way." },
  ];
}

const sendMessage: ChatCompletionTool = {
  type: "function",
  function: {
    name: "send_message",
    description: "Send a message to a customer",
    parameters: {
      type: "object",
      properties: { to: { type: "string" }, text: { type: "string" } },
      required: ["to", "text"],
    },
  },
};

import { request } from "undici";

/** Result of one run of the agent. */
export interface AgentRun {
  readonly steps: readonly AgentStep[];
  readonly messagesSent: number;
  /** Its history at the end. */
  readonly messages: readonly object[];
}

export interface AgentStep {
  /** In a few words. */
  readonly did: string;
  /** The guard's verdict; undefined without a guard. */
  readonly verdict: string | undefined;
  readonly detector?: string;
  readonly count?: number;
}

/** The agent's own cap, as agents have one. */
export const maxSteps = 15;

/** An agent loop over the bare API: ask the model, run its tools, and again, until it answers in words. */
export async function runAgent(url: string): Promise<AgentRun> {
  const messages: Message[] = [...opening];
  const steps: AgentStep[] = [];
  let messagesSent = 0;
  while (steps.length < maxSteps) {
    const { message, ...verdict } = await ask(url, messages);
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) {
      messages.push(message);
      steps.push({ did: "final answer", ...verdict });
      break;
    }
    messages.push(message);
    for (const call of calls) {
      messagesSent += 1;
      const content = JSON.stringify({ ok: true, message_id: `msg-${messagesSent}` });
      messages.push({ role: "tool", tool_call_id: call.id, content });
    }
    steps.push({ did: `send_message -> msg-${messagesSent}`, ...verdict });
  }
  return { steps, messagesSent, messages };
}

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

interface Completion {
  readonly choices: readonly { readonly message: Message }[];
}

async function ask(url: string, messages: readonly Message[]): Promise<{ message: Message } & Omit<AgentStep, "did">> {
  const { statusCode, headers, body } = await request(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer demo" },
    body: JSON.stringify({ model: "demo", messages, tools: [sendMessage] }),
  });
  if (statusCode !== 200) throw new Error(`The demo's model answered with ${statusCode}: ${await body.text()}`);
  const { choices } = (await body.json()) as Completion;
  const message = choices[0]?.message;
  if (message === undefined) throw new Error("The demo's model gave no answer.");
  const { "x-unloop-verdict": verdict, "x-unloop-detector": detector, "x-unloop-count": count } = headers;
  return {
    message,
    verdict: verdict === undefined ? undefined : String(verdict),
    ...(detector !== undefined && { detector: String(detector), count: Number(count) }),
  };
}

const opening: readonly Message[] = [
  { role: "system", content: "You are the support agent of a web shop. Use the tools, then sum up what you did." },
  { role: "user", content: "Tell Ana (ana@example.com) that her refund is on its way." },
];

const sendMessage = {
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

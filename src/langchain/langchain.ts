import { AIMessage, type AgentMiddleware, type BaseMessage, createMiddleware, type ModelRequest } from "langchain";
import {
  type CompletedTurn,
  type InProcessGuard,
  type InProcessOptions,
  inProcessGuard,
  type OwnCompletion,
  readWhole,
  verdictFacts,
} from "../in-process/in-process.ts";
import { type Policy, policyNamed } from "../policy/policy.ts";
import { chatCallsOf, editedRequest, requestFromMessages, schemaOf } from "./messages.ts";

// The package's entry `unloop/langchain`: the guard as a middleware for LangChain's agents (`createAgent`, LangChain 1).

export type { ModelVerdict } from "../in-process/in-process.ts";

/** Options of the middleware for LangChain. */
export interface LangChainOptions extends InProcessOptions {
  /** Names the run that a call belongs to; without it the `thread_id` of its configuration, or else how the run begins. */
  readonly session?: (request: ModelRequest) => string | undefined;
}

/**
 * The guard for agents of LangChain: `createAgent({ model, tools, middleware: [unloop()] })`. It judges by the proxy's policies,
 * in this process. One middleware may serve many agents.
 * @throws UnloopError `bad_setting` for a policy that is not known or not valid
 */
export function unloop({ session, policy, ...options }: LangChainOptions = {}): AgentMiddleware {
  const guard = inProcessGuard({ ...options, policy: withoutDoneTools(policy) });
  return createMiddleware({
    name: "Unloop",
    // No hook before or behind the model: each would be a step of the graph, and take turns from the agent's recursion limit.
    wrapModelCall: (request, handler) => guarded(guard, request, handler, session?.(request)),
  });
}

/** These agents end where the model calls nothing; a last call without an answer would spoil their history. */
function withoutDoneTools(policy: string | Policy = "default"): Policy {
  return { ...(typeof policy === "string" ? policyNamed(policy) : policy), doneTools: [] };
}

/** What the agent's own handler gives; with a structured answer beside the messages, where one was asked for. */
type ModelAnswer = AIMessage | { readonly structuredResponse: unknown; readonly messages: readonly BaseMessage[] };

async function guarded(
  guard: InProcessGuard,
  request: ModelRequest,
  handler: (request: ModelRequest) => unknown,
  session: string | undefined,
): Promise<AIMessage> {
  const sent = requestFromMessages(request);
  const { configurable, signal } = request.runtime;
  const thread = configurable?.thread_id;
  const call = { request: sent, session: session ?? (typeof thread === "string" ? thread : undefined), signal };
  const { answer, verdict } = await readWhole<ModelAnswer>(guard, call, {
    ask: async (edited) => (await handler(editedRequest(request, sent, edited))) as ModelAnswer,
    turn: turnOf,
    own: (completion) => ownAnswer(completion, request),
  });
  const message = messageOf(answer);
  if (message !== undefined)
    message.response_metadata = { ...message.response_metadata, unloop: verdictFacts(verdict) };
  // Its type tells of messages alone; the agent takes either.
  return answer as AIMessage;
}

function messageOf(answer: ModelAnswer): AIMessage | undefined {
  return "structuredResponse" in answer ? answer.messages.find((one) => AIMessage.isInstance(one)) : answer;
}

function turnOf(answer: ModelAnswer): CompletedTurn {
  const message = messageOf(answer);
  const calls = message === undefined ? [] : (chatCallsOf(message).tool_calls ?? []);
  const used = message?.usage_metadata as { input_tokens: number; output_tokens: number } | undefined;
  return {
    id: message?.id,
    text: message?.text ?? "",
    calls,
    reason: calls.length > 0 ? "tool_calls" : "stop",
    inputTokens: used?.input_tokens,
    outputTokens: used?.output_tokens,
  };
}

/** In the shape that the agent owes, where it owes one. */
function ownAnswer({ text, calls }: OwnCompletion, { responseFormat }: ModelRequest): ModelAnswer {
  const tool_calls = calls.map(({ id, function: { name, arguments: args } }) => ({ id, name, args: JSON.parse(args) }));
  const message = new AIMessage({ content: text, tool_calls });
  if (calls.length > 0 || schemaOf(responseFormat) === undefined) return message;
  return { structuredResponse: JSON.parse(text), messages: [message] };
}

import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { AnthropicVertex } from "@anthropic-ai/vertex-sdk";
import { apiKey, type Client, type CountedTool, client, question, system, type Task } from "./client.ts";
import { messagesWire, vertexWire } from "../support/wires/messages.ts";

export const anthropicClients: readonly Client[] = [
  client("anthropic create", (task, tool) => loop(sdkFor(task), task, tool, whole), messagesWire),
  client("anthropic stream", (task, tool) => loop(sdkFor(task), task, tool, streamed), messagesWire),
  client("anthropic toolRunner", (task, tool) => runner(task, tool, { thread: false }), messagesWire),
  client(
    "anthropic toolRunner, streamed",
    (task, tool) => runner(task, tool, { thread: false, stream: true }),
    messagesWire,
  ),
  // Its SDK for Vertex, with a credential that is not asked for anywhere.
  client("anthropic on Vertex create", (task, tool) => loop(vertexSdkFor(task), task, tool, whole), vertexWire(false)),
  client(
    "anthropic on Vertex stream",
    (task, tool) => loop(vertexSdkFor(task), task, tool, streamed),
    vertexWire(true),
  ),
];

/** The tool runner as it is by default: the API keeps the history, and a request names the message that it goes on from. */
export const threadClients: readonly Client[] = [
  client("anthropic toolRunner on a thread", (task, tool) => runner(task, tool, {}), messagesWire),
  client(
    "anthropic toolRunner on a thread, streamed",
    (task, tool) => runner(task, tool, { stream: true }),
    messagesWire,
  ),
];

const model = "claude-sonnet-4-5";
const max_tokens = 1000;

function sdkFor({ baseURL }: Task): Anthropic {
  return new Anthropic({ apiKey, baseURL: baseURL.replace(/\/v1$/, "") });
}

function textOf(content: readonly { readonly type: string }[]): string {
  return content.flatMap((block) => ("text" in block ? [String(block.text)] : [])).join("");
}

function vertexSdkFor({ baseURL }: Task): AnthropicVertex {
  const getRequestHeaders = async () => new Headers({ authorization: "Bearer ya29.test" });
  const authClient = { getRequestHeaders } as never;
  return new AnthropicVertex({ baseURL, region: "us-east5", projectId: "p-1", authClient });
}

type Sdk = Anthropic | AnthropicVertex;
type Params = Anthropic.MessageCreateParamsNonStreaming;
const whole = (sdk: Sdk, params: Params) => sdk.messages.create(params);
const streamed = (sdk: Sdk, params: Params) => sdk.messages.stream(params).finalMessage();

async function loop(
  sdk: Sdk,
  task: Task,
  { name, description, run }: CountedTool,
  take: typeof whole | typeof streamed,
): Promise<string> {
  const tools = [
    { name, description, input_schema: { type: "object" as const, properties: { q: { type: "string" } } } },
  ];
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: question }];
  for (let step = 0; step < task.maxSteps; step++) {
    const { content, stop_reason } = await take(sdk, { model, max_tokens, system, tools, messages });
    if (stop_reason !== "tool_use") return textOf(content);
    const results = content.flatMap((block) => {
      if (block.type !== "tool_use") return [];
      const input = block.input as { readonly q: string };
      return [{ type: "tool_result" as const, tool_use_id: block.id, content: run(input) }];
    });
    messages.push({ role: "assistant", content }, { role: "user", content: results });
  }
  return "";
}

interface RunnerSettings {
  readonly thread?: false;
  readonly stream?: true;
}

async function runner(task: Task, { name, description, run }: CountedTool, settings: RunnerSettings): Promise<string> {
  const tool = betaTool({
    name,
    description,
    inputSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
    run,
  });
  const running = sdkFor(task).beta.messages.toolRunner({
    model,
    max_tokens,
    system,
    messages: [{ role: "user", content: question }],
    tools: [tool],
    max_iterations: task.maxSteps,
    ...settings,
  });
  return textOf((await running.runUntilDone()).content);
}

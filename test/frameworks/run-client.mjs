// One run of one real client: node run-client.mjs CLIENT BASE_URL TASK. It stands in the folder of the client's environment.
// Prints a JSON object: `ended`: "answer" (the client took what it got for its final answer), "limit" (its own limit of
// steps stopped it), "error" (it threw); `text`: what its user gets; `runs`: how often the tool was run.

const LIMIT = 18;
const MODEL = "gpt-4o";
const [, , name, baseURL, task] = process.argv;
const apiKey = "sk-test";
Object.assign(process.env, { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL });
let runs = 0;

class Limit extends Error {}

function lookup({ query }) {
  runs += 1;
  return `Record ${query} belongs to Ann.`;
}

const querySchema = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };
const about = { name: "lookup", description: "Looks a record up." };

async function aiSdk(streams, { typed = false } = {}) {
  const { generateText, streamText, tool, stepCountIs, isStepCount, Output } = await import("ai");
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { z } = await import("zod");
  const openai = createOpenAI({ baseURL, apiKey });
  const options = {
    model: openai(MODEL),
    prompt: task,
    maxRetries: 0,
    stopWhen: (stepCountIs ?? isStepCount)(LIMIT),
    tools: {
      lookup: tool({ ...about, inputSchema: z.object({ query: z.string() }), execute: async (args) => lookup(args) }),
    },
    ...(typed && { experimental_output: Output.object({ schema: z.object({ summary: z.string() }) }) }),
  };
  const result = streams ? streamText(options) : await generateText(options);
  if (streams) await result.consumeStream();
  if ((await result.steps).length >= LIMIT) throw new Limit();
  return typed ? (await result.experimental_output).summary : await result.text;
}

async function langchain({ responses = false, typed = false, streams = false, deep = false } = {}) {
  const { createAgent, tool, toolStrategy } = await import("langchain");
  const create = deep ? (await import("deepagents")).createDeepAgent : createAgent;
  const { ChatOpenAI } = await import("@langchain/openai");
  const { z } = await import("zod");
  const model = new ChatOpenAI({
    model: MODEL,
    apiKey,
    maxRetries: 0,
    useResponsesApi: responses,
    configuration: { baseURL },
  });
  const tools = [tool((args) => lookup(args), { ...about, schema: z.object({ query: z.string() }) })];
  const responseFormat = typed ? toolStrategy(z.object({ summary: z.string() })) : undefined;
  const agent = create({ model, tools, ...(typed && { responseFormat }) });
  const input = { messages: [{ role: "user", content: task }] };
  const config = { recursionLimit: (deep ? 10 : 2) * LIMIT };
  try {
    let state;
    if (!streams) state = await agent.invoke(input, config);
    else for await (const part of await agent.stream(input, { ...config, streamMode: "values" })) state = part;
    return typed ? state.structuredResponse.summary : state.messages.at(-1).text;
  } catch (error) {
    throw error.name === "GraphRecursionError" ? new Limit() : error;
  }
}

async function llamaindex() {
  const { tool } = await import("llamaindex");
  const { agent } = await import("@llamaindex/workflow");
  const { openai } = await import("@llamaindex/openai");
  const { z } = await import("zod");
  const tools = [tool({ ...about, parameters: z.object({ query: z.string() }), execute: lookup })];
  const llm = openai({ model: MODEL, apiKey, baseURL, maxRetries: 0 });
  const result = await agent({ tools, llm }).run(task);
  return String(result.data.result);
}

async function mastra(streams = false) {
  const { Agent } = await import("@mastra/core/agent");
  const { createTool } = await import("@mastra/core/tools");
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { z } = await import("zod");
  const tools = {
    lookup: createTool({
      id: "lookup",
      description: about.description,
      inputSchema: z.object({ query: z.string() }),
      execute: async (args) => lookup(args.context ?? args),
    }),
  };
  const agent = new Agent({
    id: "a",
    name: "a",
    instructions: "You help.",
    model: createOpenAI({ baseURL, apiKey })(MODEL),
    tools,
  });
  const result = streams
    ? await agent.stream(task, { maxSteps: LIMIT })
    : await agent.generate(task, { maxSteps: LIMIT });
  return streams ? await result.text : result.text;
}

async function strands() {
  const { Agent, tool } = await import("@strands-agents/sdk");
  const { OpenAIModel } = await import("@strands-agents/sdk/models/openai");
  const { z } = await import("zod");
  const tools = [tool({ ...about, inputSchema: z.object({ query: z.string() }), callback: lookup })];
  const model = new OpenAIModel({ api: "chat", modelId: MODEL, apiKey, clientConfig: { baseURL, maxRetries: 0 } });
  const result = await new Agent({ model, tools, printer: false }).invoke(task);
  return String(result);
}

async function genkit(streams = false) {
  const { genkit: create, z } = await import("genkit");
  const { openAI } = await import("@genkit-ai/compat-oai/openai");
  const ai = create({ plugins: [openAI({ apiKey, baseURL, maxRetries: 0 })] });
  const find = ai.defineTool(
    { ...about, inputSchema: z.object({ query: z.string() }), outputSchema: z.string() },
    async (args) => lookup(args),
  );
  const options = { model: openAI.model(MODEL), prompt: task, tools: [find], maxTurns: LIMIT };
  try {
    return streams ? (await ai.generateStream(options).response).text : (await ai.generate(options)).text;
  } catch (error) {
    throw /maximum tool call iterations/i.test(error.message) ? new Limit() : error;
  }
}

async function ax() {
  const { ai, ax: signature } = await import("@ax-llm/ax");
  const llm = ai({ name: "openai", apiKey, apiURL: baseURL, config: { model: MODEL, stream: false } });
  const properties = { query: { type: "string", description: "what" } };
  const functions = [{ ...about, parameters: { ...querySchema, properties }, func: lookup }];
  const program = signature("question:string -> summary:string", { functions });
  return (await program.forward(llm, { question: task }, { maxSteps: LIMIT })).summary;
}

async function volt(streams = false) {
  const { Agent, createTool } = await import("@voltagent/core");
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { z } = await import("zod");
  const tools = [
    createTool({ ...about, parameters: z.object({ query: z.string() }), execute: async (args) => lookup(args) }),
  ];
  const agent = new Agent({
    name: "a",
    instructions: "You help.",
    model: createOpenAI({ baseURL, apiKey })(MODEL),
    tools,
    maxSteps: LIMIT,
  });
  const result = streams ? await agent.streamText(task) : await agent.generateText(task);
  return await result.text;
}

async function agentKit() {
  const { createAgent, createTool, createNetwork, openai } = await import("@inngest/agent-kit");
  const { z } = await import("zod");
  const tools = [
    createTool({ ...about, parameters: z.object({ query: z.string() }), handler: async (args) => lookup(args) }),
  ];
  const model = openai({ model: MODEL, apiKey, baseUrl: `${baseURL}/` });
  const agent = createAgent({ name: "a", system: "You help.", model, tools });
  const isText = ({ network }) => network.state.results.at(-1)?.output.at(-1)?.type === "text";
  const network = createNetwork({
    name: "n",
    agents: [agent],
    maxIter: LIMIT,
    router: (round) => (round.callCount > 0 && isText(round) ? undefined : agent),
  });
  const { state } = await network.run(task);
  const last = state.results.at(-1)?.output.at(-1);
  if (last?.type !== "text") throw new Limit();
  return String(last.content);
}

async function xsai() {
  const { generateText } = await import("@xsai/generate-text");
  const { rawTool } = await import("@xsai/tool");
  const result = await generateText({
    apiKey,
    baseURL: `${baseURL}/`,
    model: MODEL,
    maxSteps: LIMIT,
    messages: [{ role: "user", content: task }],
    tools: [rawTool({ ...about, parameters: querySchema, execute: lookup })],
  });
  if (result.steps.length >= LIMIT) throw new Limit();
  return result.text;
}

async function tanstack(streams = false) {
  const { chat, toolDefinition, maxIterations } = await import("@tanstack/ai");
  const { createOpenaiChat, createOpenaiChatCompletions } = await import("@tanstack/ai-openai");
  const { z } = await import("zod");
  const adapterFor = streams ? createOpenaiChat : createOpenaiChatCompletions;
  const find = toolDefinition({ ...about, inputSchema: z.object({ query: z.string() }) }).server(async (args) =>
    lookup(args),
  );
  let text = "";
  const run = chat({
    adapter: adapterFor(MODEL, apiKey, { baseURL, maxRetries: 0 }),
    messages: [{ role: "user", content: task }],
    tools: [find],
    agentLoopStrategy: maxIterations(LIMIT),
  });
  for await (const part of run) {
    if (part.type === "RUN_ERROR") throw new Error(part.message ?? part.error?.message);
    if (part.type === "TEXT_MESSAGE_CONTENT") text += part.delta;
    if (part.type === "TOOL_CALL_START") text = "";
  }
  if (text === "") throw new Limit();
  return text;
}

async function pi() {
  const { Agent } = await import("@mariozechner/pi-agent-core");
  const { Type } = await import("@mariozechner/pi-ai");
  const model = {
    ...{ id: MODEL, name: MODEL, api: "openai-completions", provider: "openai", baseUrl: baseURL },
    ...{ reasoning: false, input: ["text"], contextWindow: 128_000, maxTokens: 4096 },
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  const find = {
    ...{ ...about, label: about.name, parameters: Type.Object({ query: Type.String() }) },
    execute: async (_, args) => {
      if (runs >= 2 * LIMIT) agent.abort();
      return { content: [{ type: "text", text: lookup(args) }], details: {} };
    },
  };
  const agent = new Agent({
    initialState: { systemPrompt: "You help.", model, tools: [find] },
    getApiKey: () => apiKey,
  });
  await agent.prompt(task);
  const last = agent.state.messages.at(-1);
  if (last.stopReason === "aborted") throw new Limit();
  if (last.stopReason === "error") throw new Error(last.errorMessage);
  return last.content.map(({ text = "" }) => text).join("");
}

const clients = {
  "ai-sdk-5": () => aiSdk(false),
  "ai-sdk-5-streamed": () => aiSdk(true),
  "ai-sdk-5-typed": () => aiSdk(false, { typed: true }),
  langchain: () => langchain(),
  "langchain-streamed": () => langchain({ streams: true }),
  "langchain-responses": () => langchain({ responses: true }),
  "langchain-tool-strategy": () => langchain({ typed: true }),
  "langchain-tool-strategy-responses": () => langchain({ responses: true, typed: true }),
  llamaindex,
  mastra: () => mastra(),
  "mastra-streamed": () => mastra(true),
  strands,
  genkit: () => genkit(),
  "genkit-streamed": () => genkit(true),
  ax,
  voltagent: () => volt(),
  "voltagent-streamed": () => volt(true),
  "agent-kit": agentKit,
  xsai,
  "tanstack-chat": () => tanstack(),
  "tanstack-responses": () => tanstack(true),
  pi,
  deepagents: () => langchain({ deep: true }),
};

let told;
try {
  const text = await clients[name]();
  told = { ended: typeof text === "string" && text !== "" ? "answer" : "silence", text: String(text ?? "") };
} catch (error) {
  told = { ended: error instanceof Limit ? "limit" : "error", text: String(error?.message ?? error).slice(0, 300) };
}
console.log(`\n${JSON.stringify({ ...told, runs })}`);
process.exit(0);

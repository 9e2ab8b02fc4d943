import {
  type CallableTool,
  type FunctionCall,
  type FunctionDeclaration,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from "@google/genai";
import { geminiStreamWire, geminiWire } from "../support/wires/gemini.ts";
import { apiKey, type Client, type CountedTool, client, question, system, type Task } from "./client.ts";

const model = "gemini-2.5-flash";

export const googleClients: readonly Client[] = [
  client("genai chat", (task, tool) => chat(task, tool, false), geminiWire),
  client("genai chat, streamed", (task, tool) => chat(task, tool, true), geminiStreamWire),
  client("genai automatic function calling", automatic, geminiWire),
  client("genai chat on Vertex", (task, tool) => chat(task, tool, false, vertexFor(task)), geminiWire),
];

function sdkFor({ baseURL }: Task): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: baseURL.replace(/\/v1$/, "") } });
}

/** In express mode, which takes a key in the place of a project. */
function vertexFor({ baseURL }: Task): GoogleGenAI {
  const httpOptions = { baseUrl: baseURL.replace(/\/v1$/, "") };
  return new GoogleGenAI({ enterprise: true, apiKey, httpOptions });
}

function declarationOf({ name, description }: CountedTool): FunctionDeclaration {
  const properties = { q: { type: "string" } };
  return { name, description, parametersJsonSchema: { type: "object", properties, required: ["q"] } };
}

function configFor(tool: CountedTool) {
  return { systemInstruction: system, tools: [{ functionDeclarations: [declarationOf(tool)] }] };
}

/** The SDK's own `text` warns of calls beside it. */
function wordsOf({ candidates }: GenerateContentResponse): string {
  return (candidates?.[0]?.content?.parts ?? []).map(({ text = "" }) => text).join("");
}

function resultOf({ id, name = "", args }: FunctionCall, { run }: CountedTool): Part {
  const output = run({ q: String(args?.q) });
  return { functionResponse: { ...(id && { id }), name, response: { output } } };
}

/** The SDK keeps the history: of a stream a content for each chunk. */
async function chat(task: Task, tool: CountedTool, streams: boolean, sdk = sdkFor(task)): Promise<string> {
  const talk = sdk.chats.create({ model, config: configFor(tool) });
  let message: string | Part[] = question;
  for (let step = 0; step < task.maxSteps; step++) {
    const calls: FunctionCall[] = [];
    let text = "";
    const chunks = streams ? await talk.sendMessageStream({ message }) : [await talk.sendMessage({ message })];
    for await (const chunk of chunks) {
      calls.push(...(chunk.functionCalls ?? []));
      text += wordsOf(chunk);
    }
    if (calls.length === 0) return text;
    message = calls.map((call) => resultOf(call, tool));
  }
  return "";
}

async function automatic(task: Task, tool: CountedTool): Promise<string> {
  const callable: CallableTool = {
    tool: async () => ({ functionDeclarations: [declarationOf(tool)] }),
    callTool: async (calls) => calls.map((call) => resultOf(call, tool)),
  };
  const { text } = await sdkFor(task).models.generateContent({
    model,
    contents: question,
    config: {
      systemInstruction: system,
      tools: [callable],
      automaticFunctionCalling: { maximumRemoteCalls: task.maxSteps },
    },
  });
  return text ?? "";
}

import {
  type CallableTool,
  type Content,
  type FunctionCall,
  type FunctionDeclaration,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from "@google/genai";
import { geminiStreamWire, geminiWire } from "../support/wires/gemini.ts";
import { apiKey, type Client, type CountedTool, client, question, system, type Task } from "./client.ts";

const model = "gemini-2.5-flash";

/** Google's own SDK: the loops that its documentation shows, and its automatic function calling. */
export const googleClients: readonly Client[] = [
  client("genai generateContent", (task, tool) => loop(task, tool, whole), geminiWire),
  client("genai generateContentStream", (task, tool) => loop(task, tool, streamed), geminiStreamWire),
  client("genai chat", (task, tool) => chat(task, tool, false), geminiWire),
  client("genai chat, streamed", (task, tool) => chat(task, tool, true), geminiStreamWire),
  client("genai automatic function calling", automatic, geminiWire),
  client("genai on Vertex", (task, tool) => loop(task, tool, whole, vertexFor(task)), geminiWire),
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

interface Taken {
  readonly contents: readonly Content[];
  readonly text: string;
  readonly calls: readonly FunctionCall[];
}

type Request = Parameters<GoogleGenAI["models"]["generateContent"]>[0];
type Take = (sdk: GoogleGenAI, request: Request) => Promise<Taken>;

/** The SDK's own `text` warns of calls beside it. */
function wordsOf({ candidates }: GenerateContentResponse): string {
  return (candidates?.[0]?.content?.parts ?? []).map(({ text = "" }) => text).join("");
}

async function whole(sdk: GoogleGenAI, request: Request): Promise<Taken> {
  const response = await sdk.models.generateContent(request);
  const content = response.candidates?.[0]?.content;
  const calls = response.functionCalls ?? [];
  return { contents: content ? [content] : [], text: wordsOf(response), calls };
}

async function streamed(sdk: GoogleGenAI, request: Request): Promise<Taken> {
  const parts: Part[] = [];
  const calls: FunctionCall[] = [];
  let text = "";
  for await (const chunk of await sdk.models.generateContentStream(request)) {
    parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    calls.push(...(chunk.functionCalls ?? []));
    text += wordsOf(chunk);
  }
  return { contents: [{ role: "model", parts }], text, calls };
}

function resultOf({ id, name = "", args }: FunctionCall, { run }: CountedTool): Part {
  const output = run({ q: String(args?.q) });
  return { functionResponse: { ...(id && { id }), name, response: { output } } };
}

async function loop(task: Task, tool: CountedTool, take: Take, sdk = sdkFor(task)): Promise<string> {
  const contents: Content[] = [{ role: "user", parts: [{ text: question }] }];
  for (let step = 0; step < task.maxSteps; step++) {
    const answer = await take(sdk, { model, contents, config: configFor(tool) });
    if (answer.calls.length === 0) return answer.text;
    contents.push(...answer.contents, { role: "user", parts: answer.calls.map((call) => resultOf(call, tool)) });
  }
  return "";
}

/** The SDK keeps the history: of a stream a content for each chunk. */
async function chat(task: Task, tool: CountedTool, streams: boolean): Promise<string> {
  const talk = sdkFor(task).chats.create({ model, config: configFor(tool) });
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

import OpenAI from "openai";
import type { FunctionTool, Response, ResponseInput } from "openai/resources/responses/responses";
import { responsesWire } from "../support/wires/responses.ts";
import { apiKey, type Client, client, type CountedTool, model, question, system, type Task } from "./client.ts";

/** The official SDK on the Responses API, with the loop of its documentation: the whole input at every turn, or only what is new. */
export const openaiResponsesClients: readonly Client[] = [
  clientOf("openai responses", { created, goesOn: wholeInput }),
  clientOf("openai responses, streamed", { created: streamed, goesOn: wholeInput }),
  clientOf("openai responses, by previous_response_id", { created, goesOn: byId }),
  clientOf("openai responses, by previous_response_id, streamed", { created: streamed, goesOn: byId }),
];

function clientOf(name: string, way: Way): Client {
  return client(name, (task, tool) => loop(task, tool, way), responsesWire);
}

interface Asking {
  readonly input: string | ResponseInput;
  readonly previous_response_id?: string;
}

interface Way {
  readonly created: (sdk: OpenAI, asking: Asking, tools: FunctionTool[]) => Promise<Response>;
  /** The next request, after an answer and what came of its calls. */
  readonly goesOn: (asked: Asking, answer: Response, results: ResponseInput) => Asking;
}

async function loop({ baseURL, maxSteps }: Task, tool: CountedTool, { created: take, goesOn }: Way): Promise<string> {
  const sdk = new OpenAI({ apiKey, baseURL });
  let asking: Asking = { input: question };
  for (let step = 0; step < maxSteps; step++) {
    const answer = await take(sdk, asking, [declared(tool)]);
    const calls = answer.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return textOf(answer);
    const results = calls.map((call) => ({
      type: "function_call_output" as const,
      call_id: call.call_id,
      output: tool.run(JSON.parse(call.arguments)),
    }));
    asking = goesOn(asking, answer, results);
  }
  return "";
}

/** The SDK's own `output_text` is not there on what its stream helper gives. */
function textOf({ output }: Response): string {
  const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  return parts.map((part) => (part.type === "output_text" ? part.text : "")).join("");
}

function created(sdk: OpenAI, asking: Asking, tools: FunctionTool[]): Promise<Response> {
  return sdk.responses.create({ model, instructions: system, tools, ...asking });
}

async function streamed(sdk: OpenAI, asking: Asking, tools: FunctionTool[]): Promise<Response> {
  const stream = sdk.responses.stream({ model, instructions: system, tools, ...asking });
  for await (const _ of stream) {
    // The SDK puts the answer together as it is read, and throws where the events do not fit.
  }
  return stream.finalResponse();
}

function wholeInput({ input }: Asking, { output }: Response, results: ResponseInput): Asking {
  const before: ResponseInput = typeof input === "string" ? [{ role: "user", content: input }] : input;
  return { input: [...before, ...output.map(withoutParsed), ...results] as ResponseInput };
}

/** The stream helper adds what it has parsed, which the API does not take back. */
function withoutParsed<Item extends object>(item: Item): Item {
  const { parsed_arguments: _, ...rest } = item as Item & { parsed_arguments?: unknown };
  return rest as Item;
}

function byId(_: Asking, { id }: Response, results: ResponseInput): Asking {
  return { input: results, previous_response_id: id };
}

function declared({ name, description }: CountedTool): FunctionTool {
  const parameters = {
    type: "object",
    properties: { q: { type: "string" } },
    required: ["q"],
    additionalProperties: false,
  };
  return { type: "function", name, description, parameters, strict: true };
}

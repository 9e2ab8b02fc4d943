import type { Call } from "../../step.ts";
import { cutText, joinTexts } from "../../text/text-span.ts";
import type { Message } from "../dialects/dialect.ts";
import { type EditFormat, elementsAt, grown, placedTools, silenced } from "../edits.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { arrayIn, isObject, jsonText, memberAt, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { JsonPlace, Splice } from "../json/place.ts";
import { contentText, forcedCall, formatOf, offeredTool, type RequestFormat } from "../requests.ts";
import type { OfferedTool } from "../protocol.ts";

const parts: ReadonlyMap<unknown, Message["part"]> = new Map([
  ["system", "instruction"],
  ["developer", "instruction"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "result"],
  ["function", "result"],
]);

const partOf = (message: Json) => (isObject(message) ? parts.get(message.role) : undefined);

export function messageOf(message: Json): Message | undefined {
  const part = partOf(message);
  if (part === undefined || !isObject(message)) return undefined;
  const text = contentText(message.content);
  if (part === "assistant") {
    const refusal = nonEmpty(message.refusal);
    const words = refusal === undefined ? text : text === "" ? cutText(refusal) : joinTexts([text, refusal]);
    return { part, text: words, calls: callsOf(message) };
  }
  if (part !== "result") return { part, text };
  return { part, text, id: nonEmpty(message.tool_call_id), tool: stringIn(message.name) };
}

export function callsOf(message: JsonObject): readonly Call[] {
  const calls = arrayIn(message.tool_calls).filter(isObject).map(callOf);
  return calls.length > 0 || !isObject(message.function_call) ? calls : [callOf({ function: message.function_call })];
}

function callOf(call: JsonObject): Call {
  const id = nonEmpty(call.id);
  const { name, arguments: given, input = given } = objectIn(call.custom ?? call.function);
  const called = { tool: stringIn(name) ?? "", args: cutText(argumentText(input)) };
  return id === undefined ? called : { id, ...called };
}

/** Some servers and clients send the arguments as the object itself. */
export function argumentText(value: Json): string {
  return stringIn(value) ?? (value === undefined || value === null ? "" : (jsonText(value) ?? ""));
}

function currentTools(request: JsonObject): readonly OfferedTool[] {
  return arrayIn(request.tools).flatMap((tool) => {
    const name = nonEmpty(objectIn(objectIn(tool).custom).name);
    return name === undefined ? described(objectIn(tool).function) : [{ name, form: "custom" } as const];
  });
}

const legacyTools = ({ functions }: JsonObject) => arrayIn(functions).flatMap(described);

function described(called: Json): readonly OfferedTool[] {
  const { name, parameters, description } = objectIn(called);
  return offeredTool(name, description, parameters);
}

const tooling = [
  { list: "tools", choice: "tool_choice" },
  { list: "functions", choice: "function_call" },
] as const;

function placedTool(list: "tools" | "functions", tool: JsonObject) {
  const { name: legacy } = tool;
  if (list === "functions")
    return { name: legacy, schema: ["parameters"], choice: ["function_call", { name: legacy }] } as const;
  const custom = nonEmpty(objectIn(tool.custom).name);
  const name = custom ?? objectIn(tool.function).name;
  const chosen = custom === undefined ? { type: "function", function: { name } } : { type: "custom", custom: { name } };
  return { name, schema: ["function", "parameters"], choice: ["tool_choice", chosen] } as const;
}

const edits: EditFormat = {
  instruct,
  extended: (message, texts) => grown(message, "content", texts),
  said: (texts) => ({ role: "user", content: texts.join("\n\n") }),
  offers: (body) => tooling.flatMap(({ list }) => placedTools(body, list, (tool) => placedTool(list, tool))),
  silence: (body) => tooling.flatMap(({ list, choice }) => silenced(body, list, choice, '"none"')),
  mayBegin: ({ thinking, think, reasoning, reasoning_effort: effort }) =>
    (objectIn(thinking).type ?? "disabled") === "disabled" && !think && reasoning === undefined && effort === undefined,
  schemas: [["response_format", "json_schema", "schema"]],
};

function openingInstructions(body: JsonObject): readonly JsonObject[] {
  const messages = arrayIn(body.messages).filter(isObject);
  const turn = messages.findIndex((message) => partOf(message) === "assistant");
  return messages.slice(0, turn === -1 ? undefined : turn).filter((message) => partOf(message) === "instruction");
}

function instruct(body: JsonPlace, texts: readonly string[]): readonly Splice[] {
  const messages = elementsAt(body, "messages");
  const begun = messages.findIndex(({ value }) => partOf(value) !== "instruction");
  const last = messages[(begun === -1 ? messages.length : begun) - 1];
  if (last !== undefined) return grown(last, "content", texts);
  const isDeveloper = openingInstructions(objectIn(body.value)).some(({ role }) => role === "developer");
  const message = { role: isDeveloper ? "developer" : "system", content: texts.join("\n\n") };
  return [body.at("messages")].flatMap((list) => list?.lead(JSON.stringify(message)) ?? []);
}

export function isChatRequest(body: Json): boolean {
  return isObject(body) && arrayIn(body.messages).some((message) => partOf(message) !== undefined);
}

export const requests: RequestFormat = {
  isRequest: isChatRequest,
  sampling: ["model", "temperature", "top_p", "seed", "user"],
  list: "messages",
  history: ({ messages }) => arrayIn(messages).map((message, at) => ({ message: messageOf(message), at })),
  terms: (body) => ({
    tools: [...currentTools(body), ...legacyTools(body)],
    toolChoice: forcedCall(body.tool_choice ?? body.function_call),
    format: formatOf(objectIn(body.response_format).type, memberAt(body, ["response_format", "json_schema", "schema"])),
    alternatives: typeof body.n === "number" && body.n > 1,
    unread: stringIn(objectIn(arrayIn(body.messages).find((message) => partOf(message) === undefined)).role),
  }),
  edits,
  delta: { resultKey: "tool_call_id" },
};

/** Whether this tool is called by `function_call`: only the older list offers it. */
export function isLegacy(request: JsonObject, tool: string): boolean {
  const isOffered = (tools: readonly OfferedTool[]) => tools.some(({ name }) => name === tool);
  return isOffered(legacyTools(request)) && !isOffered(currentTools(request));
}

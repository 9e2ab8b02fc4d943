import type { Outcome } from "../../step.ts";
import { cutText } from "../../text/text-span.ts";
import { isObject, type JsonObject, jsonText, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import { likeness } from "../likeness.ts";

/** Members by the name that the API writes. It takes another one, too: its protocol buffers' own, in snake case. */
const NAMES =
  `systemInstruction cachedContent toolConfig functionCallingConfig allowedFunctionNames functionDeclarations
  parametersJsonSchema generationConfig candidateCount responseMimeType responseSchema responseJsonSchema functionCall
  functionResponse willContinue partialArgs jsonPath stringValue numberValue boolValue thoughtSignature executableCode
  codeExecutionResult toolCall toolResponse toolType inlineData fileData fileUri mimeType`.split(/\s+/);

const SNAKE: ReadonlyMap<string, string> = new Map(
  NAMES.map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
);

const snake = (name: string) => SNAKE.get(name) ?? name;

/** The spelling in which an object has this member, or would have it. */
export function spelled(object: JsonObject, name: string): string {
  return object[name] === undefined && object[snake(name)] !== undefined ? snake(name) : name;
}

export function memberOf(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snake(name)];
}

/** The path of these names in both spellings. */
export function pathsOf(...names: readonly string[]): readonly (readonly string[])[] {
  return [names, names.map(snake)];
}

/** The API takes one element in the place of a list. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : isObject(value) ? [value] : [];
}

/** The parts of a content; a mere string is one text. */
export function partsOf(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return [{ text: content }];
  return listIn(objectIn(content).parts).filter(isObject);
}

export function isModels(content: unknown): boolean {
  return objectIn(content).role === "model";
}

/** What came back for a call. */
export interface PartResult {
  readonly id: string | undefined;
  /** The function's name. */
  readonly tool: string | undefined;
  readonly outcome: Outcome;
}

/** A function's result, as the client tells it. */
export function functionResultIn(part: JsonObject): PartResult | undefined {
  const told = memberOf(part, "functionResponse");
  if (!isObject(told)) return undefined;
  const pictures = listIn(told.parts).filter(isObject).map(partText);
  const { text, failed } = responseOutcome(told.response);
  const whole = cutText([text, ...pictures].join("\n"));
  const outcome = failed ? { text: whole, failed } : { text: whole };
  return { id: nonEmpty(told.id), tool: nonEmpty(told.name), outcome };
}

/** What came of a call that the API carried out itself. */
export function ownResultIn(part: JsonObject): PartResult | undefined {
  const run = memberOf(part, "codeExecutionResult");
  if (isObject(run)) {
    const { id, outcome, output } = run;
    const failed = typeof outcome === "string" && outcome !== "OUTCOME_OK";
    const text = cutText(stringIn(output) ?? "");
    return { id: nonEmpty(id), tool: undefined, outcome: failed ? { text, failed } : { text } };
  }
  const told = memberOf(part, "toolResponse");
  if (!isObject(told)) return undefined;
  return { id: nonEmpty(told.id), tool: undefined, outcome: responseOutcome(told.response) };
}

/** By the API's own words a result stands under `output`, an error under `error`; SDKs write `result`. */
const WRAPPERS: ReadonlySet<string> = new Set(["output", "result", "error"]);

/** A response is an object: of one that only wraps a text, that text. */
function responseOutcome(response: unknown): Outcome {
  const [[name, value] = [], ...others] = Object.entries(objectIn(response));
  const isWrapped = name !== undefined && others.length === 0 && WRAPPERS.has(name);
  const told = isWrapped ? value : response;
  const text = cutText(stringIn(told) ?? (told === undefined || told === null ? "" : (jsonText(told) ?? "")));
  return isWrapped && name === "error" && text !== "" ? { text, failed: true } : { text };
}

/** What is said in these parts, without what was only thought. Streams cut it anywhere, so nothing stands between two. */
export function wordsIn(parts: readonly JsonObject[]): string {
  const texts = parts.filter(({ thought }) => thought !== true).map(({ text }) => stringIn(text) ?? "");
  return cutText(texts.join(""));
}

/** A part of what a user says: whatever is not text as a short mark. */
export function partText(part: JsonObject): string {
  if (typeof part.text === "string") return part.text;
  const inline = memberOf(part, "inlineData");
  if (isObject(inline)) return `[${kindOf(inline)}${likeness(stringIn(inline.data))}]`;
  const file = memberOf(part, "fileData");
  if (isObject(file)) return `[${kindOf(file)}${likeness(stringIn(memberOf(file, "fileUri")))}]`;
  return jsonText(part) ?? "";
}

function kindOf(data: JsonObject): string {
  const [kind = ""] = (stringIn(memberOf(data, "mimeType")) ?? "").split("/", 1);
  return /^(image|audio|video)$/.test(kind) ? kind : "file";
}

/** Arguments come as a value; every reader writes it down in one way. */
export function argumentText(args: unknown): string {
  return cutText(args === undefined || args === null ? "{}" : (jsonText(args) ?? "{}"));
}

import { isObject, type JsonObject } from "../json/json.ts";

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

import type { RequestEndpoint } from "./endpoint.ts";

/** Endpoints that models are asked at and that are not guarded, by the path without its query. */
const PASSING: readonly (readonly [name: string, path: RegExp])[] = [
  ["completions", /(^|\/)(?<!chat\/)completions$/],
  ["assistants", /(^|\/)threads(\/[^/]+)?\/runs$/],
  ["cohere-chat", /(^|\/)v[12]\/chat$/],
  ["bedrock", /(^|\/)model\/[^/]+\/(converse|invoke)(-stream|-with-response-stream)?$/],
  ["generate-content", /:(generate|streamGenerate)Content$/],
  ["interactions", /(^|\/)interactions$/],
  ["raw-predict", /\/models\/(?!count-tokens:)[^/]+:(rawPredict|streamRawPredict)$/],
  ["ollama-generate", /(^|\/)api\/generate$/],
];

/** What a request that is not guarded counts as: few values, whatever clients ask. `other`: what tells no run, such as models and files. */
export function passingEndpoint({ exchange, path }: Pick<RequestEndpoint, "exchange" | "path">): string {
  if (exchange.method !== "POST") return "other";
  return PASSING.find(([, pattern]) => pattern.test(path))?.[0] ?? "other";
}

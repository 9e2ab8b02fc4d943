import type { ParsedRequest } from "../../protocols/protocols.ts";

/** Where gateways take further models, to be asked if the first one fails: OpenRouter, and LiteLLM. */
const FALLBACKS = ["models", "fallbacks"];

/** Every model that may answer a request; an empty name for one that cannot be told. */
export function modelsAsked({ model, field }: ParsedRequest): readonly string[] {
  const others = FALLBACKS.flatMap((name) => field([name]) ?? []).map(nameOf);
  return model === undefined && others.length > 0 ? others : [model ?? "", ...others];
}

function nameOf(entry: unknown): string {
  const name = typeof entry === "object" && entry !== null && "model" in entry ? entry.model : entry;
  return typeof name === "string" ? name : "";
}

/** Whether its client may ask all of these; of a request that cannot be read, none. */
export function mayAskAll(
  models: readonly string[] | undefined,
  { mayAsk }: { readonly mayAsk: ((model: string) => boolean) | undefined },
): boolean {
  return mayAsk === undefined || (models?.every(mayAsk) ?? false);
}

import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { ChatRequest, ModelCall } from "../in-process/in-process.ts";
import { editedParams, requestFromPrompt } from "./prompt.ts";

/** One call of a wrapped model. */
export interface GuardedCall {
  readonly model: LanguageModelV3;
  /** What the guard is told of it. */
  callFor(stream: boolean): Omit<ModelCall, "ask">;
  /** What the model is asked. */
  edited(request: ChatRequest): LanguageModelV3CallOptions;
}

/** @throws TypeError for a model of AI SDK 5 or older */
export function guardedCall(
  model: LanguageModelV3,
  params: LanguageModelV3CallOptions,
  session: string | undefined,
): GuardedCall {
  if (/^v[12]$/.test(model.specificationVersion))
    throw new TypeError("Unloop is for AI SDK 6 or 7, and not for AI SDK 5: update ai.");
  const request = requestFromPrompt(params, model.modelId, false);
  return {
    model,
    callFor: (stream) => ({ request: { ...request, stream }, session, signal: params.abortSignal }),
    edited: (changed) => editedParams(params, request, changed),
  };
}

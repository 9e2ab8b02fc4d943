import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import {
  chatCall,
  inProcessGuard,
  type InProcessGuard,
  type InProcessOptions,
  type PartMeaning,
  readStream,
} from "../in-process/in-process.ts";
import { guardedCall, type GuardedCall } from "./call.ts";
import { generate } from "./whole.ts";
import { partWriter } from "./parts.ts";
import { used, wireReason } from "./usage.ts";

// The package's entry `unloop/ai-sdk`: the guard as a middleware for the AI SDK's language models.

export type { ModelVerdict } from "../in-process/in-process.ts";

/** Options of the middleware for the AI SDK. */
export interface AiSdkOptions extends InProcessOptions {
  /** Names the run that a call belongs to; without it `providerOptions.unloop.session`, or else how the run begins. */
  readonly session?: (params: LanguageModelV3CallOptions) => string | undefined;
}

/** A middleware for AI SDK 6 (language model specification v3), and for AI SDK 7, whose models differ in nothing that is looked at. */
export interface LanguageModelGuard {
  readonly specificationVersion: "v3";
  readonly transformParams: <Params extends object>(options: { readonly params: Params }) => Promise<Params>;
  readonly wrapGenerate: <Result>(
    options: WrappedCall & { readonly doGenerate: () => PromiseLike<Result> },
  ) => Promise<Result>;
  readonly wrapStream: <Result>(
    options: WrappedCall & { readonly doStream: () => PromiseLike<Result> },
  ) => Promise<Result>;
}

interface WrappedCall {
  readonly model: object;
  readonly params: object;
}

/**
 * The guard for models of the AI SDK: `wrapLanguageModel({ model, middleware: unloop() })`. It judges by the proxy's policies, in
 * this process. One middleware may wrap many models; their runs are known across them.
 * @throws UnloopError `bad_setting` for a policy that is not known or not valid
 */
export function unloop({ session, ...options }: AiSdkOptions = {}): LanguageModelGuard {
  const guard = inProcessGuard(options);
  const sessions = new WeakMap<object, string>();
  const callOf = ({ model, params }: WrappedCall) =>
    guardedCall(model as LanguageModelV3, params as LanguageModelV3CallOptions, sessions.get(params));
  return {
    specificationVersion: "v3",
    async transformParams<Params extends object>({ params }: { readonly params: Params }): Promise<Params> {
      const options = params as unknown as LanguageModelV3CallOptions;
      const { unloop: own, ...providerOptions } = options.providerOptions ?? {};
      const passed = own === undefined ? { ...params } : { ...params, providerOptions };
      const named = session?.(options) ?? own?.session;
      if (typeof named === "string") sessions.set(passed, named);
      return passed;
    },
    wrapGenerate: async <Result>(options: WrappedCall) => (await generate(guard, callOf(options))) as Result,
    wrapStream: async <Result>(options: WrappedCall) => (await stream(guard, callOf(options))) as Result,
  };
}

/** One call whose answer is streamed. */
async function stream(guard: InProcessGuard, call: GuardedCall): Promise<LanguageModelV3StreamResult> {
  let first: Omit<LanguageModelV3StreamResult, "stream"> | undefined;
  const usages: LanguageModelV3Usage[] = [];
  const parts = await readStream(guard, call.callFor(true), {
    async ask(edited) {
      const { stream: modelStream, ...result } = await call.model.doStream(call.edited(edited));
      first ??= result;
      return modelStream;
    },
    meaning: () => meaning(usages),
    writer: (verdict) => partWriter(usages, verdict),
  });
  return { ...first, stream: parts };
}

/** Of one answer. What the provider carries out by itself is no action of the agent's. */
function meaning(usages: LanguageModelV3Usage[]): (part: LanguageModelV3StreamPart) => PartMeaning {
  const calls = new Map<string, number>();
  const begun = (id: string, name: string, args: string): PartMeaning => {
    const index = calls.size;
    calls.set(id, index);
    return { delta: { tool_calls: [{ index, ...chatCall(id, name, args) }] } };
  };
  return (part) => {
    if (part.type === "text-delta") return { delta: { content: part.delta } };
    if (part.type === "reasoning-delta") return { delta: { reasoning_content: part.delta } };
    if (part.type === "tool-input-start" && !part.providerExecuted) return begun(part.id, part.toolName, "");
    if (part.type === "tool-input-delta") {
      const index = calls.get(part.id);
      return index === undefined ? {} : { delta: { tool_calls: [{ index, function: { arguments: part.delta } }] } };
    }
    if (part.type === "tool-call" && !part.providerExecuted && !calls.has(part.toolCallId))
      return begun(part.toolCallId, part.toolName, part.input);
    if (part.type !== "finish") return {};
    usages.push(part.usage);
    return { reason: wireReason(part.finishReason), ...used(part.usage) };
  };
}

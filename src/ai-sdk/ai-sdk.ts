import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import {
  chatCall,
  type ChatRequest,
  type CompletedTurn,
  inProcessGuard,
  type InProcessGuard,
  type InProcessOptions,
  type OwnCompletion,
  type PartMeaning,
  readStream,
  readWhole,
  verdictFacts,
} from "../in-process/in-process.ts";
import { modelUsage, ownFinish, partWriter, used, wireReason } from "./parts.ts";
import { editedParams, requestFromPrompt } from "./prompt.ts";

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

/** One call whose answer comes in one piece. */
async function generate(guard: InProcessGuard, call: GuardedCall): Promise<LanguageModelV3GenerateResult> {
  const { answer, given, verdict } = await readWhole(guard, call.callFor(false), {
    ask: (edited) => call.model.doGenerate(call.edited(edited)),
    turn: turnOf,
    own: ownResult,
  });
  return {
    ...answer,
    usage: modelUsage(given.map((result) => result.usage)),
    providerMetadata: { ...answer.providerMetadata, unloop: verdictFacts(verdict) },
  };
}

function turnOf({ content, finishReason, usage, response }: LanguageModelV3GenerateResult): CompletedTurn {
  return {
    id: response?.id,
    text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    calls: content.flatMap((part) =>
      part.type === "tool-call" && part.providerExecuted !== true
        ? [chatCall(part.toolCallId, part.toolName, part.input)]
        : [],
    ),
    reason: wireReason(finishReason),
    ...used(usage),
  };
}

function ownResult({ text, calls }: OwnCompletion): LanguageModelV3GenerateResult {
  const content: LanguageModelV3Content[] = [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map(({ id, function: { name, arguments: input } }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input,
    })),
  ];
  return { content, finishReason: ownFinish(calls.length > 0), usage: modelUsage([]), warnings: [] };
}

type GuardedCall = ReturnType<typeof guardedCall>;

/** @throws TypeError for a model of AI SDK 5 or older */
function guardedCall(model: LanguageModelV3, params: LanguageModelV3CallOptions, session: string | undefined) {
  if (/^v[12]$/.test(model.specificationVersion))
    throw new TypeError("Unloop is for AI SDK 6 or 7, and not for AI SDK 5: update ai.");
  const request = requestFromPrompt(params, model.modelId, false);
  return {
    model,
    /** What the guard is told of it. */
    callFor: (stream: boolean) => ({ request: { ...request, stream }, session, signal: params.abortSignal }),
    /** What the model is asked. */
    edited: (changed: ChatRequest) => editedParams(params, request, changed),
  };
}

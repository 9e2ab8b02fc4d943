import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import {
  chatCall,
  type ChatDelta,
  type ChatRequest,
  type CompletedTurn,
  inProcessGuard,
  type InProcessGuard,
  type InProcessOptions,
  type ModelVerdict,
  type OwnCompletion,
  type PartMeaning,
  type PartWriter,
  readStream,
  readWhole,
  verdictFacts,
} from "../in-process/in-process.ts";
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

type WrappedCall = Readonly<Record<"model" | "params", object>>;

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
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const calls = content.flatMap((part) =>
    part.type === "tool-call" && !part.providerExecuted ? [chatCall(part.toolCallId, part.toolName, part.input)] : [],
  );
  return { id: response?.id, text, calls, reason: wireReason(finishReason), ...used(usage) };
}

function ownResult({ text, calls }: OwnCompletion): LanguageModelV3GenerateResult {
  const words = text === "" ? [] : [{ type: "text" as const, text }];
  const made = calls.map(({ id, function: { name, arguments: input } }) => {
    return { type: "tool-call" as const, toolCallId: id, toolName: name, input };
  });
  const usage = modelUsage([]);
  return { content: [...words, ...made], finishReason: ownFinish(calls.length > 0), usage, warnings: [] };
}

type GuardedCall = ReturnType<typeof guardedCall>;

/** `callFor`: what the guard is told of it; `edited`: what the model is asked. @throws TypeError for a model of AI SDK 5 or older */
function guardedCall(model: LanguageModelV3, params: LanguageModelV3CallOptions, session: string | undefined) {
  if (/^v[12]$/.test(model.specificationVersion))
    throw new TypeError("Unloop is for AI SDK 6 or 7, and not for AI SDK 5: update ai.");
  const request = requestFromPrompt(params, model.modelId);
  return {
    model,
    callFor: (stream: boolean) => ({ request: { ...request, stream }, session, signal: params.abortSignal }),
    edited: (changed: ChatRequest) => editedParams(params, request, changed),
  };
}

type Part = LanguageModelV3StreamPart;
type Parts = readonly Part[];
type BegunCall = { readonly id: string; readonly name: string; args: string; isWhole: boolean };

/** Under which the guard's own words stand. */
const OWN = "unloop";

/** Puts the model's parts, of however many answers, and the guard's own into one valid stream. */
function partWriter(usages: readonly LanguageModelV3Usage[], verdict: ModelVerdict): PartWriter<Part> {
  const open = new Map<string, "text" | "reasoning">();
  const calls = new Map<string, BegunCall>();
  /** By answer and place: only its first chunk names a call. */
  const places = new Map<string, BegunCall>();
  const begunTexts = new Set<string>();
  let speaker: number | undefined;
  let finished = false;

  /** What one answer has begun, another one does not go on with. */
  function turnTo(ask: number): Parts {
    const ends = ask === speaker ? [] : [...open].map(([id, kind]) => ({ type: `${kind}-end` as const, id }));
    if (ends.length > 0) open.clear();
    speaker = ask;
    return ends;
  }

  function called({ tool_calls = [] }: ChatDelta, isOwn: boolean): Parts {
    return tool_calls.flatMap(({ index, id, function: { name = "", arguments: delta = "" } = {} }): Parts => {
      const place = `${speaker}/${index}`;
      const cached = id === undefined ? places.get(place) : undefined;
      const call = cached ?? { id: id ?? place, name, args: "", isWhole: false };
      calls.set(call.id, call);
      places.set(place, call);
      call.args += delta;
      if (!isOwn) return [];
      const start: Parts = cached === undefined ? [{ type: "tool-input-start", id: call.id, toolName: name }] : [];
      return delta === "" ? start : [...start, { type: "tool-input-delta", id: call.id, delta }];
    });
  }

  function own(part: Part, ask: number, { content }: ChatDelta): Parts {
    const { type } = part;
    // Of answers that follow each other, only the first begins.
    if ((type === "stream-start" || type === "response-metadata") && begunTexts.has(type)) return [];
    begunTexts.add(type);
    if (type === "tool-call") Object.assign(calls.get(part.toolCallId) ?? {}, { isWhole: true });
    if (type === "finish") return finish(part);
    if (!/^(text|reasoning)-/.test(type) || !("id" in part)) return [part];
    const id = ask === 0 ? String(part.id) : `${part.id}/${ask}`;
    if (type === "text-start" || type === "reasoning-start") open.set(id, type === "text-start" ? "text" : "reasoning");
    if (type.endsWith("-end")) open.delete(id);
    return [{ ...part, id, ...(type === "text-delta" && content && { delta: content }) } as Part];
  }

  function finish(part: Extract<Part, { type: "finish" }>): Parts {
    finished = true;
    const providerMetadata = { ...part.providerMetadata, unloop: verdictFacts(verdict) };
    return [{ ...part, usage: modelUsage(usages), providerMetadata }];
  }

  return {
    pass(part, ask, delta) {
      const ends = turnTo(ask);
      called(delta, false);
      return [...ends, ...own(part, ask, delta)];
    },
    say(delta) {
      const { content, tool_calls = [] } = delta;
      // What only closes begun arguments goes on with the answer that began them.
      const isNew = !!content || tool_calls.some(({ id }) => id !== undefined);
      const begin: Parts = begunTexts.size === 0 ? [{ type: "stream-start", warnings: [] }] : [];
      begunTexts.add("stream-start");
      const ends = isNew ? turnTo(-1) : [];
      const start: Parts = content && !open.has(OWN) ? [{ type: "text-start", id: OWN }] : [];
      if (content) open.set(OWN, "text");
      const words: Parts = content ? [{ type: "text-delta", id: OWN, delta: content }] : [];
      return [...begin, ...ends, ...start, ...words, ...called(delta, true)];
    },
    end() {
      if (finished) return [];
      const begun = [...calls.values()].filter(({ isWhole }) => !isWhole);
      const ends = begun.flatMap(
        ({ id, name, args }): Parts => [
          { type: "tool-input-end", id },
          { type: "tool-call", toolCallId: id, toolName: name, input: args },
        ],
      );
      const last = { type: "finish", usage: modelUsage(usages), finishReason: ownFinish(begun.length > 0) } as const;
      return [...turnTo(-2), ...ends, ...finish(last)];
    },
  };
}

function wireReason({ unified }: LanguageModelV3FinishReason): string {
  return unified.replace("-", "_");
}

function ownFinish(calls: boolean): LanguageModelV3FinishReason {
  return { unified: calls ? "tool-calls" : "stop", raw: undefined };
}

function used({ inputTokens, outputTokens }: LanguageModelV3Usage) {
  return { inputTokens: inputTokens.total, outputTokens: outputTokens.total };
}

const nothing: LanguageModelV3Usage = { inputTokens: {}, outputTokens: {} } as LanguageModelV3Usage;

/** Usage of all answers together; that of a single answer is its own. */
function modelUsage(usages: readonly LanguageModelV3Usage[]): LanguageModelV3Usage {
  return usages.reduce((a, b) => {
    const inputTokens = summed(a.inputTokens, b.inputTokens);
    return { ...b, inputTokens, outputTokens: summed(a.outputTokens, b.outputTokens) };
  }, nothing);
}

function summed<Counts extends Readonly<Record<string, number | undefined>>>(a: Counts, b: Counts): Counts {
  const sums = Object.entries(b).map(([name, count]) => [name, a[name] === undefined ? count : a[name] + (count ?? 0)]);
  return Object.fromEntries(sums);
}

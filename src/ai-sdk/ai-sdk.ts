import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { type InProcessOptions, inProcessGuard } from "../in-process/in-process.ts";
import { guardedCall } from "./call.ts";
import { stream } from "./stream.ts";
import { generate } from "./whole.ts";

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

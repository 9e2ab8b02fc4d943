import type { LanguageModelV3CallOptions, LanguageModelV3Middleware } from "@ai-sdk/provider";
import { type InProcessOptions, inProcessGuard } from "../in-process/in-process.ts";
import { guardedCall } from "./call.ts";
import { stream } from "./stream.ts";
import { generate } from "./whole.ts";

// The package's entry `unloop/ai-sdk`: the guard as a middleware for the AI SDK's language models (specification v3, AI SDK 6).

export type { ModelVerdict } from "../in-process/in-process.ts";

export interface AiSdkOptions extends InProcessOptions {
  /** Names the run that a call belongs to; without it `providerOptions.unloop.session`, or else how the run begins. */
  readonly session?: (params: LanguageModelV3CallOptions) => string | undefined;
}

/**
 * The guard for models of the AI SDK: `wrapLanguageModel({ model, middleware: unloop() })`. It judges by the proxy's policies, in
 * this process. One middleware may wrap many models; their runs are known across them.
 * @throws UnloopError `bad_setting` for a policy that is not known or not valid
 */
export function unloop({ session, ...options }: AiSdkOptions = {}): LanguageModelV3Middleware {
  const guard = inProcessGuard(options);
  const sessions = new WeakMap<LanguageModelV3CallOptions, string>();
  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const { unloop: own, ...providerOptions } = params.providerOptions ?? {};
      const passed = own === undefined ? { ...params } : { ...params, providerOptions };
      const named = session?.(params) ?? own?.session;
      if (typeof named === "string") sessions.set(passed, named);
      return passed;
    },
    wrapGenerate: ({ model, params }) => generate(guard, guardedCall(model, params, sessions.get(params))),
    wrapStream: ({ model, params }) => stream(guard, guardedCall(model, params, sessions.get(params))),
  };
}

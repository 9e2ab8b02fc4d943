import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import {
  chatBytes,
  chatCompletion,
  type CompletedTurn,
  type InProcessGuard,
  type ModelVerdict,
  type OwnCompletion,
  readWhole,
} from "../in-process/in-process.ts";
import type { GuardedCall } from "./call.ts";

/** One call whose answer comes in one piece. */
export async function generate(guard: InProcessGuard, call: GuardedCall): Promise<LanguageModelV3GenerateResult> {
  const results: LanguageModelV3GenerateResult[] = [];
  const answer = await readWhole(guard, {
    ...call.asked(false),
    async ask(edited, sink) {
      const result = await call.model.doGenerate(call.edited(edited));
      const number = results.push(result) - 1;
      sink.head(200, { "content-type": "application/json" });
      await sink.write(chatBytes(chatCompletion(turnOf(result), call.model.modelId, number)));
      sink.end();
    },
  });
  const usage = results.map((result) => result.usage).reduce(sumUsage, noUsage);
  const given = answer.ask === undefined ? ownResult(answer.own) : results[answer.ask];
  if (given === undefined) throw new Error("The guard gave an answer that the model has not.");
  return { ...given, usage, providerMetadata: { ...given.providerMetadata, unloop: metadata(answer.verdict) } };
}

function turnOf({ content, finishReason, usage, response }: LanguageModelV3GenerateResult): CompletedTurn {
  return {
    id: response?.id,
    text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    calls: content.flatMap((part) =>
      part.type === "tool-call" && part.providerExecuted !== true
        ? [{ id: part.toolCallId, type: "function" as const, function: { name: part.toolName, arguments: part.input } }]
        : [],
    ),
    reason: wireReason(finishReason),
    inputTokens: usage.inputTokens.total,
    outputTokens: usage.outputTokens.total,
  };
}

export function wireReason({ unified }: LanguageModelV3FinishReason): string {
  return unified === "tool-calls" ? "tool_calls" : unified === "content-filter" ? "content_filter" : unified;
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
  return { content, finishReason: ownFinish(calls.length > 0), usage: noUsage, warnings: [] };
}

export function ownFinish(calls: boolean): LanguageModelV3FinishReason {
  return { unified: calls ? "tool-calls" : "stop", raw: undefined };
}

/** What is said of the guard beside the provider's own. */
export function metadata({ verdict, session, steps, detector, count }: ModelVerdict) {
  return { verdict, steps, ...(session && { session }), ...(detector && { detector }), ...(count && { count }) };
}

export const noUsage: LanguageModelV3Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** What two answers have used together. */
export function sumUsage(a: LanguageModelV3Usage, b: LanguageModelV3Usage): LanguageModelV3Usage {
  const [input, output] = [a.inputTokens, a.outputTokens];
  return {
    ...b,
    inputTokens: {
      total: sum(input.total, b.inputTokens.total),
      noCache: sum(input.noCache, b.inputTokens.noCache),
      cacheRead: sum(input.cacheRead, b.inputTokens.cacheRead),
      cacheWrite: sum(input.cacheWrite, b.inputTokens.cacheWrite),
    },
    outputTokens: {
      total: sum(output.total, b.outputTokens.total),
      text: sum(output.text, b.outputTokens.text),
      reasoning: sum(output.reasoning, b.outputTokens.reasoning),
    },
  };
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : a + b;
}

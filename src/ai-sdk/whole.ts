import type { LanguageModelV3Content, LanguageModelV3GenerateResult } from "@ai-sdk/provider";
import {
  chatBytes,
  chatCall,
  chatCompletion,
  type CompletedTurn,
  type InProcessGuard,
  type OwnCompletion,
  readWhole,
  verdictFacts,
} from "../in-process/in-process.ts";
import type { GuardedCall } from "./call.ts";
import { ownFinish, modelUsage, used, wireReason } from "./usage.ts";

/** One call whose answer comes in one piece. */
export async function generate(guard: InProcessGuard, call: GuardedCall): Promise<LanguageModelV3GenerateResult> {
  const results: LanguageModelV3GenerateResult[] = [];
  const answer = await readWhole(guard, {
    ...call.callFor(false),
    async ask(edited, sink) {
      const result = await call.model.doGenerate(call.edited(edited));
      const number = results.push(result) - 1;
      sink.head(200, { "content-type": "application/json" });
      await sink.write(chatBytes(chatCompletion(turnOf(result), call.model.modelId, number)));
      sink.end();
    },
  });
  const usage = modelUsage(results.map((result) => result.usage));
  const modelResult = answer.ask === undefined ? ownResult(answer.own) : results[answer.ask];
  if (modelResult === undefined) throw new Error("The guard gave an answer that the model has not.");
  return {
    ...modelResult,
    usage,
    providerMetadata: { ...modelResult.providerMetadata, unloop: verdictFacts(answer.verdict) },
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

import type { LanguageModelV3StreamPart, LanguageModelV3StreamResult, LanguageModelV3Usage } from "@ai-sdk/provider";
import { chatCall, type InProcessGuard, type PartMeaning, readStream } from "../in-process/in-process.ts";
import type { GuardedCall } from "./call.ts";
import { partWriter } from "./parts.ts";
import { used, wireReason } from "./usage.ts";

/** One call whose answer is streamed. */
export async function stream(guard: InProcessGuard, call: GuardedCall): Promise<LanguageModelV3StreamResult> {
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

import type { LanguageModelV3StreamPart, LanguageModelV3StreamResult, LanguageModelV3Usage } from "@ai-sdk/provider";
import { eventBytes, wireUsage } from "../in-process/in-process.ts";
import { wireReason } from "./whole.ts";

/** One answer of the model, while it streams. */
export interface AskedStream {
  readonly result: Omit<LanguageModelV3StreamResult, "stream">;
  /** Parts that the guard has and their reader has not, by the numbers that their chunks name. */
  readonly parts: Map<number, LanguageModelV3StreamPart>;
  usage: LanguageModelV3Usage | undefined;
}

/** What a chunk says beside what the guard reads: which part of which answer it stands for. */
export interface PartChunk {
  readonly ask?: number;
  readonly part?: number;
  readonly choices?: readonly { readonly delta?: ChunkDelta }[];
}

interface ChunkDelta {
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

/** Tells each part as a chunk; what the guard does not look at, as an empty one. */
export function chunkEncoder(
  model: string,
  ask: number,
  asked: AskedStream,
): (part: LanguageModelV3StreamPart) => Uint8Array {
  const calls = new Map<string, number>();
  let count = 0;
  const begun = (id: string, name: string, args: string) => {
    const index = calls.size;
    calls.set(id, index);
    return { tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] };
  };

  function deltaOf(part: LanguageModelV3StreamPart): object | undefined {
    switch (part.type) {
      case "text-delta":
        return { content: part.delta };
      case "reasoning-delta":
        return { reasoning_content: part.delta };
      case "tool-input-start":
        return part.providerExecuted ? undefined : begun(part.id, part.toolName, "");
      case "tool-input-delta": {
        const index = calls.get(part.id);
        return index === undefined ? undefined : { tool_calls: [{ index, function: { arguments: part.delta } }] };
      }
      case "tool-call":
        return part.providerExecuted || calls.has(part.toolCallId)
          ? undefined
          : begun(part.toolCallId, part.toolName, part.input);
      default:
        return undefined;
    }
  }

  return (part) => {
    asked.parts.set(count, part);
    const isLast = part.type === "finish";
    if (isLast) asked.usage = part.usage;
    const delta = isLast ? {} : deltaOf(part);
    const reason = isLast ? wireReason(part.finishReason) : null;
    const usage =
      isLast && wireUsage({ inputTokens: part.usage.inputTokens.total, outputTokens: part.usage.outputTokens.total });
    return eventBytes({
      id: `ask-${ask}`,
      object: "chat.completion.chunk",
      created: 0,
      model,
      choices: delta === undefined ? [] : [{ index: 0, delta, finish_reason: reason }],
      ...(usage && { usage }),
      ask,
      part: count++,
    });
  };
}

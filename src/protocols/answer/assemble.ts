import type { Call, Outcome } from "../../step.ts";
import { cutText, joinTexts } from "../../text/text-span.ts";
import { promptStep } from "../dialects/dialects.ts";
import { closingOf } from "../json/json.ts";
import type { Answer, ArgsCompletion, StreamPart, Usage } from "../protocol.ts";

/** An answer that is assembled from its parts. */
export interface AssembledAnswer {
  add(part: StreamPart): void;
  /** About how many characters it holds. */
  size(): number;
  hasBegun(): boolean;
  /** Undefined as long as it has not begun. */
  whole(): Answer | undefined;
  /** What its calls lack, should nothing more come. */
  rests(): readonly ArgsCompletion[];
}

/** What an empty call costs in memory, in characters. */
const CALL_SIZE = 64;

export function assembledAnswer(): AssembledAnswer {
  const calls = assembledCalls();
  let begun = false;
  let id: string | undefined;
  let model: string | undefined;
  let content = "";
  let refusal = "";
  let finishReason: string | undefined;
  let usage: Usage | undefined;
  return {
    add(part) {
      switch (part.kind) {
        case "start":
          begun = true;
          id ??= part.id;
          model ??= part.model;
          break;
        case "text":
          content += part.text;
          break;
        case "refusal":
          refusal += part.text;
          break;
        case "usage":
          ({ usage } = part);
          break;
        case "finish":
          finishReason = part.reason;
          break;
        case "call-start":
        case "call-args":
        case "call-result":
          calls.add(part);
      }
    },
    hasBegun: () => begun,
    size: () => content.length + refusal.length + calls.size(),
    whole: () =>
      begun
        ? { id, step: promptStep(spokenText(content, refusal), calls.whole()), finishReason, usage, model }
        : undefined,
    rests: calls.rests,
  };
}

function spokenText(content: string, refusal: string): string {
  if (refusal === "") return cutText(content);
  return content === "" ? cutText(refusal) : joinTexts([content, refusal]);
}

interface AssembledCall {
  index: number;
  id: string | undefined;
  tool: string;
  args: string;
  outcome: Outcome | undefined;
}

type CallPart = Extract<StreamPart, { readonly call: number }>;

function assembledCalls() {
  const calls = new Map<number, AssembledCall>();
  let size = 0;

  function begin(part: Extract<CallPart, { kind: "call-start" }>): void {
    const { call, index = call, id, tool } = part;
    const existing = calls.get(call);
    if (existing === undefined) {
      calls.set(call, { index, id, tool, args: "", outcome: undefined });
      size += CALL_SIZE + tool.length;
      return;
    }
    existing.id ??= id;
    if (tool === "") return;
    size += tool.length - existing.tool.length;
    existing.tool = tool;
  }

  return {
    add(part: CallPart): void {
      if (part.kind === "call-start") begin(part);
      const call = calls.get(part.call);
      if (call === undefined || part.kind === "call-start") return;
      const grown = part.kind === "call-args" ? part.text : part.outcome.text;
      size += grown.length;
      if (part.kind === "call-args") call.args += grown;
      else call.outcome = part.outcome;
    },
    size: () => size,
    whole: (): readonly Call[] => [...calls.values()].sort((one, other) => one.index - other.index).map(wholeCall),
    rests: (): readonly ArgsCompletion[] =>
      [...calls].flatMap(([call, { args }]) => {
        const text = closingOf(args);
        return text === undefined || text === "" ? [] : [{ call, text }];
      }),
  };
}

function wholeCall({ id, tool, args, outcome }: AssembledCall): Call {
  const call = id === undefined ? { tool, args: cutText(args) } : { id, tool, args: cutText(args) };
  return outcome === undefined ? call : { ...call, outcome };
}

import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import {
  type ChatDelta,
  type CompletedTurn,
  type ModelVerdict,
  type PartWriter,
  verdictFacts,
} from "../in-process/in-process.ts";

type Part = LanguageModelV3StreamPart;
type Parts = readonly Part[];

interface BegunCall {
  readonly id: string;
  readonly name: string;
  args: string;
  isWhole: boolean;
}

/** Under which the guard's own words stand. */
const OWN = "unloop";

/** Puts the model's parts, of however many answers, and the guard's own into one valid stream. */
export function partWriter(usages: readonly LanguageModelV3Usage[], verdict: ModelVerdict): PartWriter<Part> {
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

export function wireReason({ unified }: LanguageModelV3FinishReason): string {
  return unified.replace("-", "_");
}

export function ownFinish(calls: boolean): LanguageModelV3FinishReason {
  return { unified: calls ? "tool-calls" : "stop", raw: undefined };
}

export function used({
  inputTokens,
  outputTokens,
}: LanguageModelV3Usage): Pick<CompletedTurn, "inputTokens" | "outputTokens"> {
  return { inputTokens: inputTokens.total, outputTokens: outputTokens.total };
}

const nothing = { inputTokens: {}, outputTokens: {} } as LanguageModelV3Usage;

/** Usage of all answers together; that of a single answer is its own. */
export function modelUsage(usages: readonly LanguageModelV3Usage[]): LanguageModelV3Usage {
  return usages.reduce<LanguageModelV3Usage>(
    (a, b) => ({
      ...b,
      inputTokens: summed(a.inputTokens, b.inputTokens),
      outputTokens: summed(a.outputTokens, b.outputTokens),
    }),
    nothing,
  );
}

function summed<Counts extends Readonly<Record<string, number | undefined>>>(a: Counts, b: Counts): Counts {
  const sums = Object.entries(b).map(([name, count]) => [name, a[name] === undefined ? count : a[name] + (count ?? 0)]);
  return Object.fromEntries(sums);
}

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { ModelVerdict } from "../in-process/in-process.ts";
import type { AskedStream, PartChunk } from "./encode.ts";
import { metadata, noUsage, ownFinish, sumUsage } from "./whole.ts";

interface BegunCall {
  readonly id: string;
  readonly name: string;
  args: string;
  isWhole: boolean;
}

type Parts = readonly LanguageModelV3StreamPart[];
type Chunk = NonNullable<PartChunk["choices"]>[number]["delta"];

/** Turns the chunks that come out of the guard into parts: the model's own where they stand for one, new ones where the guard speaks. */
export function partWriter(
  asks: readonly AskedStream[],
  verdict: ModelVerdict,
): { take(data: string): Parts; end(): Parts } {
  const open = new Map<string, "text" | "reasoning">();
  const calls = new Map<string, BegunCall>();
  const said = new Set<string>();
  let speaker: number | undefined;
  let finished = false;

  function closed(): Parts {
    const ends = [...open].map(([id, kind]) => ({ type: `${kind}-end` as const, id }));
    open.clear();
    return ends;
  }

  /** What one answer has begun, another one does not go on with. */
  function turnTo(ask: number | undefined): Parts {
    if (said.size > 0 && ask === speaker) return [];
    speaker = ask;
    if (said.size > 0) return closed();
    said.add("begun");
    return ask === undefined ? [{ type: "stream-start", warnings: [] }] : [];
  }

  /** A part as its reader gets it. Of answers that follow each other, only the first begins. */
  function own(part: LanguageModelV3StreamPart, ask: number, delta: Chunk): Parts {
    const once = part.type === "stream-start" || part.type === "response-metadata";
    if (once && said.has(part.type)) return [];
    said.add(part.type);
    if (part.type === "tool-call") {
      const call = calls.get(part.toolCallId);
      if (call !== undefined) call.isWhole = true;
    }
    if (part.type === "finish") {
      finished = true;
      const usage = asks.flatMap((one) => one.usage ?? []).reduce(sumUsage, noUsage);
      return [{ ...part, usage, providerMetadata: { ...part.providerMetadata, unloop: metadata(verdict) } }];
    }
    if (!/^(text|reasoning)-/.test(part.type) || !("id" in part)) return [part];
    const id = ask === 0 ? String(part.id) : `${part.id}/${ask}`;
    if (part.type === "text-start" || part.type === "reasoning-start")
      open.set(id, part.type === "text-start" ? "text" : "reasoning");
    if (part.type === "text-end" || part.type === "reasoning-end") open.delete(id);
    if (part.type === "text-delta") return [{ ...part, id, delta: delta?.content ?? part.delta }];
    return [{ ...part, id } as LanguageModelV3StreamPart];
  }

  function spoken(delta: Chunk): Parts {
    if (typeof delta?.content !== "string" || delta.content === "") return [];
    const id = "unloop";
    const start: Parts = open.has(id) ? [] : [{ type: "text-start", id }];
    open.set(id, "text");
    return [...start, { type: "text-delta", id, delta: delta.content }];
  }

  /** Takes note of calls; the parts that tell them, for the guard's own. */
  function called(delta: Chunk, ask: number | undefined): Parts {
    return (delta?.tool_calls ?? []).flatMap(({ index, id, function: { name, arguments: args = "" } = {} }): Parts => {
      const key = `${ask === undefined ? speaker : ask}/${index}`;
      const known =
        [...calls.values()].find((call) => call.id === id) ?? (id === undefined ? byKey.get(key) : undefined);
      const call = known ?? { id: id ?? key, name: name ?? "", args: "", isWhole: false };
      calls.set(call.id, call);
      byKey.set(key, call);
      call.args += args;
      if (ask !== undefined) return [];
      const start: Parts = known === undefined ? [{ type: "tool-input-start", id: call.id, toolName: call.name }] : [];
      return args === "" ? start : [...start, { type: "tool-input-delta", id: call.id, delta: args }];
    });
  }
  const byKey = new Map<string, BegunCall>();

  return {
    take(data) {
      if (data === "[DONE]") return [];
      const { ask, part: number, choices }: PartChunk = JSON.parse(data);
      const delta = choices?.[0]?.delta;
      const part = ask === undefined || number === undefined ? undefined : asks[ask]?.parts.get(number);
      if (ask === undefined || number === undefined || part === undefined) {
        const isSilent = !delta?.content && delta?.tool_calls === undefined;
        // What only closes begun arguments goes on with the answer that began them.
        const goesOn = isSilent || delta?.tool_calls?.every(({ id }) => id === undefined);
        return [...(goesOn ? [] : turnTo(undefined)), ...spoken(delta), ...called(delta, undefined)];
      }
      asks[ask]?.parts.delete(number);
      called(delta, ask);
      return [...turnTo(ask), ...own(part, ask, delta)];
    },
    end() {
      if (finished) return [];
      const rest = [...calls.values()].filter(({ isWhole }) => !isWhole);
      const usage = asks.flatMap((one) => one.usage ?? []).reduce(sumUsage, noUsage);
      return [
        ...closed(),
        ...rest.flatMap(
          ({ id, name, args }): Parts => [
            { type: "tool-input-end", id },
            { type: "tool-call", toolCallId: id, toolName: name, input: args },
          ],
        ),
        {
          type: "finish",
          usage,
          finishReason: ownFinish(rest.length > 0),
          providerMetadata: { unloop: metadata(verdict) },
        },
      ];
    },
  };
}

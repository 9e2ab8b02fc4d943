import { type EventReading, firstOf } from "../answers.ts";
import { type Json, arrayIn, isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";
import { contentText } from "../requests.ts";
import { argumentText } from "./request.ts";

export interface ChunkStream {
  readonly head: JsonObject;
  /** By number, in the order of their beginnings; only ever added to. */
  readonly calls: readonly BegunCall[];
}

export interface BegunCall {
  readonly index: number;
  readonly kind: "function" | "custom" | "legacy";
  readonly id: string | undefined;
  readonly tool: string;
}

export const notBegun: ChunkStream = { head: {}, calls: [] };

export function reading(from = notBegun): EventReading<ChunkStream> {
  const calls = callReader();
  let { head } = from;
  let begun = false;
  let id: string | undefined;

  function partsOf(chunk: JsonObject): readonly StreamPart[] {
    const choice = firstOf(chunk.choices);
    const parts: StreamPart[] = [];
    // Azure's first chunk has an empty id.
    if (nonEmpty(head.id) === undefined) head = chunk;
    const wasNamed = id !== undefined;
    id ??= nonEmpty(chunk.id);
    if (begun ? !wasNamed && id !== undefined : choice !== undefined) {
      begun = true;
      parts.push({ kind: "start", id, model: nonEmpty(chunk.model) });
    }
    if (choice === undefined) return parts;
    const whole = isObject(choice.message) ? choice.message : undefined;
    const delta = whole ?? objectIn(choice.delta);
    // Servers know what the model thinks by two names, and some write both.
    tell("text", whole === undefined ? textIn(delta.content) : contentText(whole.content), parts);
    tell("reasoning", textIn(delta.reasoning_content ?? delta.reasoning), parts);
    tell("refusal", textIn(delta.refusal), parts);
    calls.read(delta, parts, whole !== undefined);
    const reason = stringIn(choice.finish_reason);
    if (reason !== undefined) parts.push({ kind: "finish", reason });
    if (whole !== undefined) parts.push({ kind: "end" });
    return parts;
  }

  return {
    take: (chunk) => ((chunk.error ?? undefined) === undefined ? partsOf(chunk) : [{ kind: "error" }]),
    progress: () => ({ head: headOf(head), calls: calls.begun }),
  };
}

function headOf({ id, created, model, system_fingerprint, service_tier }: JsonObject): JsonObject {
  const head = { id: nonEmpty(id), created, model, system_fingerprint, service_tier };
  return Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined));
}

function tell(kind: "text" | "reasoning" | "refusal", text: string, parts: StreamPart[]): void {
  if (text !== "") parts.push({ kind, text });
}

function textIn(content: Json): string {
  if (!Array.isArray(content)) return stringIn(content) ?? "";
  return content.map((part) => stringIn(objectIn(part).text) ?? "").join("");
}

function callReader() {
  const begun: BegunCall[] = [];
  const byIndex = new Map<number, number>();
  let last = -1;

  function add(delta: JsonObject, kind: BegunCall["kind"], index: number, parts: StreamPart[]): void {
    last = index;
    const current = begun[byIndex.get(index) ?? -1];
    const before = startsAnother(current, delta) ? undefined : current;
    const call = before === undefined ? begun.length : (byIndex.get(index) ?? 0);
    byIndex.set(index, call);
    const { name, arguments: given, input = given } = objectIn(kind === "custom" ? delta.custom : delta.function);
    const [id, told, named] = [before?.id ?? nonEmpty(delta.id), before?.tool ?? "", stringIn(name) ?? ""];
    // A name comes whole, is repeated by some servers in every chunk, and comes in pieces from others.
    const tool = named.startsWith(told) ? named : told + named;
    if (id !== before?.id || tool !== before?.tool) parts.push({ kind: "call-start", call, index, id, tool });
    begun[call] = { index, kind: before?.kind ?? kind, id, tool };
    const text = argumentText(input);
    if (text !== "") parts.push({ kind: "call-args", call, text });
  }

  return {
    begun,
    /** @param isWhole the places of its calls tell them apart, whatever their indexes say */
    read({ tool_calls, function_call }: JsonObject, parts: StreamPart[], isWhole: boolean): void {
      for (const [place, delta] of arrayIn(tool_calls).entries()) {
        if (!isObject(delta)) continue;
        const index = typeof delta.index === "number" ? delta.index : Math.max(last, place);
        add(delta, isObject(delta.custom) ? "custom" : "function", isWhole ? place : index, parts);
      }
      const isLegacy = isObject(function_call) && Object.keys(function_call).length > 0;
      if (isLegacy && (begun[0]?.kind ?? "legacy") === "legacy") add({ function: function_call }, "legacy", 0, parts);
    },
  };
}

/** Servers that know no index, or always say 0, send each call of a parallel turn whole, with a name and an id of its own. */
function startsAnother(current: BegunCall | undefined, delta: JsonObject): boolean {
  const id = nonEmpty(delta.id);
  const named = nonEmpty(objectIn(delta.function ?? delta.custom).name);
  return id !== undefined && current?.id !== undefined && id !== current.id && named !== undefined;
}

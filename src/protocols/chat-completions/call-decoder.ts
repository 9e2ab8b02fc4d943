import { arrayIn, isObject, type JsonObject, nonEmpty, objectIn } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";

/** How a stream's chunks name a call. */
export interface NamedCall {
  readonly index: number;
  readonly kind: "function" | "custom" | "legacy";
}

interface BegunCall extends NamedCall {
  /** Its number among the calls in the order of their beginnings. */
  readonly call: number;
  readonly kind: NamedCall["kind"];
  id: string | undefined;
  tool: string;
}

/** Decodes the calls in the deltas of one stream: `tool_calls`, or else the legacy `function_call`. */
export function callDecoder() {
  const begun: BegunCall[] = [];
  const byIndex = new Map<number, BegunCall>();
  let last = 0;

  function begin(index: number, kind: NamedCall["kind"]): BegunCall {
    const call: BegunCall = { call: begun.length, index, kind, id: undefined, tool: "" };
    begun.push(call);
    byIndex.set(index, call);
    return call;
  }

  function callFor(delta: JsonObject, kind: NamedCall["kind"]): { readonly call: BegunCall; readonly isNew: boolean } {
    const index = typeof delta.index === "number" ? delta.index : last;
    last = index;
    const current = byIndex.get(index);
    if (current !== undefined && !startsAnother(current, delta)) return { call: current, isNew: false };
    return { call: begin(index, kind), isNew: true };
  }

  function addTo(
    { call, isNew }: ReturnType<typeof callFor>,
    facts: { readonly id: unknown; readonly name: unknown; readonly input: unknown },
    parts: StreamPart[],
  ): void {
    const id = call.id ?? nonEmpty(facts.id);
    // Names come whole; servers that repeat them in every chunk mean the same name.
    const tool = nonEmpty(facts.name) ?? call.tool;
    if (isNew || id !== call.id || tool !== call.tool)
      parts.push({ kind: "call-start", call: call.call, index: call.index, id, tool });
    call.id = id;
    call.tool = tool;
    const text = nonEmpty(facts.input);
    if (text !== undefined) parts.push({ kind: "call-args", call: call.call, text });
  }

  function addCall(delta: JsonObject, parts: StreamPart[]): void {
    const [holder, key] = inputOf(delta);
    const call = callFor(delta, key === "input" ? "custom" : "function");
    addTo(call, { id: delta.id, name: holder.name, input: holder[key] }, parts);
  }

  function addLegacy(delta: JsonObject, parts: StreamPart[]): void {
    const current = begun[0];
    if (current !== undefined && current.kind !== "legacy") return;
    const call = current ?? begin(0, "legacy");
    addTo({ call, isNew: current === undefined }, { id: undefined, name: delta.name, input: delta.arguments }, parts);
  }

  return {
    add({ tool_calls, function_call }: JsonObject, parts: StreamPart[]): void {
      if (Array.isArray(tool_calls)) for (const delta of tool_calls) if (isObject(delta)) addCall(delta, parts);
      if (isObject(function_call) && Object.keys(function_call).length > 0) addLegacy(function_call, parts);
    },
    /** By number; only ever added to. */
    named: (): readonly NamedCall[] => begun,
  };
}

/** Servers that know no index, or always say 0, send each call of a parallel turn whole, with a name and an id of its own. */
function startsAnother(current: BegunCall, delta: JsonObject): boolean {
  const id = nonEmpty(delta.id);
  const named = nonEmpty(objectIn(delta.function).name) ?? nonEmpty(objectIn(delta.custom).name);
  return id !== undefined && current.id !== undefined && id !== current.id && named !== undefined;
}

/** What each chunk of one answer repeats. */
export function headOf({ id, created, model, system_fingerprint }: JsonObject): JsonObject {
  // Azure's first chunk has an empty id.
  const head = { id: nonEmpty(id), created, model, system_fingerprint };
  return Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined));
}

/** Of several alternatives the one that agents read. */
export function firstChoice(payload: JsonObject): JsonObject | undefined {
  for (const choice of arrayIn(payload.choices)) {
    if (isObject(choice) && (choice.index ?? 0) === 0) return choice;
  }
  return undefined;
}

/** The member of a delta that has what the model thinks: servers know it by two names, and some write both. */
export function reasoningIn({ reasoning_content }: JsonObject): "reasoning_content" | "reasoning" {
  return reasoning_content === undefined || reasoning_content === null ? "reasoning" : "reasoning_content";
}

/** Where a call in a delta has its input: an object, and the member's name. */
function inputOf(call: JsonObject): readonly [JsonObject, "input" | "arguments"] {
  return isObject(call.custom) ? [call.custom, "input"] : [objectIn(call.function), "arguments"];
}

export function isFailure(payload: JsonObject): boolean {
  return payload.error !== undefined && payload.error !== null;
}

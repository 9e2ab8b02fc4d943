import { closingOf, isObject, type JsonObject, objectIn, stringIn } from "../json/json.ts";
import type { Listener } from "../protocol.ts";
import { nonEmpty } from "./wire.ts";

/** An assistant message that arrives in pieces. */
export interface GrowingMessage {
  add(delta: JsonObject): void;
  /** About how many characters it holds. */
  size(): number;
  /** The message as a whole answer would have carried it. */
  whole(): JsonObject;
  /** The deltas that close its begun calls, should nothing more come. */
  closing(): readonly JsonObject[];
}

interface GrowingCall {
  /** Tells it from the other texts of its answer. */
  readonly part: string;
  id: string | undefined;
  kind: "function" | "custom";
  tool: string;
  args: string;
}

/** What an empty call costs in memory, in characters. */
const callSize = 64;

export function emptyMessage(listener?: Listener): GrowingMessage {
  const calls = growingCalls(listener);
  let content = "";
  let refusal = "";
  let legacy: GrowingCall | undefined;
  let size = 0;
  return {
    add(delta) {
      const said = textIn(delta.content);
      const refused = textIn(delta.refusal);
      content += said;
      refusal += refused;
      size += said.length + refused.length;
      if (listener !== undefined) tell(listener, said, textIn(delta.reasoning_content ?? delta.reasoning));
      if (Array.isArray(delta.tool_calls))
        for (const call of delta.tool_calls) if (isObject(call)) size += calls.add(call);
      if (!isObject(delta.function_call) || Object.keys(delta.function_call).length === 0) return;
      legacy ??= newCall("call");
      size += extend(legacy, delta.function_call, "arguments", listener);
    },
    size: () => size,
    whole: () => ({
      content,
      refusal,
      tool_calls: calls.whole(),
      ...(legacy === undefined ? {} : { function_call: { name: legacy.tool, arguments: legacy.args } }),
    }),
    closing() {
      const rest = legacy === undefined ? undefined : closingOf(legacy.args);
      const ending = rest === undefined || rest === "" ? [] : [{ function_call: { arguments: rest } }];
      return [...calls.closing(), ...ending];
    },
  };
}

function tell(listener: Listener, said: string, thought: string): void {
  if (said !== "") listener("content", said);
  if (thought !== "") listener("reasoning", thought);
}

/** Some servers stream content as parts. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => stringIn(objectIn(part).text) ?? "").join("");
}

interface GrowingCalls {
  /** How many characters it grew by. */
  add(delta: JsonObject): number;
  whole(): readonly JsonObject[];
  closing(): readonly JsonObject[];
}

function growingCalls(listener: Listener | undefined): GrowingCalls {
  const calls: { readonly index: number; readonly call: GrowingCall }[] = [];
  const byIndex = new Map<number, GrowingCall>();
  let last = 0;

  function callFor(delta: JsonObject): GrowingCall {
    const known = typeof delta.index === "number";
    const index = known ? Number(delta.index) : last;
    last = index;
    const current = byIndex.get(index);
    if (current !== undefined && !startsAnother(current, delta)) return current;
    const call = newCall(`call ${calls.length}`);
    byIndex.set(index, call);
    calls.push({ index, call });
    return call;
  }

  return {
    add(delta) {
      const before = calls.length;
      const call = callFor(delta);
      call.id ??= nonEmpty(delta.id);
      const cost = (calls.length - before) * callSize;
      if (!isObject(delta.custom)) return cost + extend(call, objectIn(delta.function), "arguments", listener);
      call.kind = "custom";
      return cost + extend(call, delta.custom, "input", listener);
    },
    whole: () => calls.toSorted((one, other) => one.index - other.index).map(({ call }) => wholeCall(call)),
    closing: () =>
      calls.flatMap(({ index, call }) => {
        const rest = call.kind === "custom" ? undefined : closingOf(call.args);
        return rest === undefined || rest === "" ? [] : [{ tool_calls: [{ index, function: { arguments: rest } }] }];
      }),
  };
}

/** Servers that know no index, or always say 0, send each call of a parallel turn whole, with a name and an id of its own. */
function startsAnother(current: GrowingCall, delta: JsonObject): boolean {
  const id = nonEmpty(delta.id);
  const named = nonEmpty(objectIn(delta.function).name) ?? nonEmpty(objectIn(delta.custom).name);
  return id !== undefined && current.id !== undefined && id !== current.id && named !== undefined;
}

function newCall(part: string): GrowingCall {
  return { part, id: undefined, kind: "function", tool: "", args: "" };
}

/** How many characters it grew by. */
function extend(
  call: GrowingCall,
  delta: JsonObject,
  input: "arguments" | "input",
  listener: Listener | undefined,
): number {
  const piece = stringIn(delta[input]) ?? "";
  if (piece !== "") listener?.(call.part, piece);
  const before = call.tool.length;
  // Names come whole; servers that repeat them in every chunk mean the same name.
  call.tool = nonEmpty(delta.name) ?? call.tool;
  call.args += piece;
  return piece.length + call.tool.length - before;
}

function wholeCall({ id, kind, tool, args }: GrowingCall): JsonObject {
  return kind === "custom"
    ? { id, type: kind, custom: { name: tool, input: args } }
    : { id, type: kind, function: { name: tool, arguments: args } };
}

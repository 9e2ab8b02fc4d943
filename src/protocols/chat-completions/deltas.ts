import { arrayIn, isObject, type JsonObject, objectIn, stringIn } from "../json.ts";
import { nonEmpty } from "./wire.ts";

/** An assistant message that arrives in pieces. */
export interface GrowingMessage {
  add(delta: JsonObject): void;
  /** About how many characters it holds. */
  size(): number;
  /** The message as a whole answer would have carried it. */
  whole(): JsonObject;
}

interface GrowingCall {
  id: string | undefined;
  kind: "function" | "custom";
  tool: string;
  args: string;
}

/** What an empty call costs in memory, in characters. */
const callSize = 64;

export function emptyMessage(): GrowingMessage {
  const calls = growingCalls();
  let content = "";
  let refusal = "";
  let legacy: GrowingCall | undefined;
  let size = 0;
  return {
    add(delta) {
      content += textIn(delta.content);
      refusal += textIn(delta.refusal);
      size += textIn(delta.content).length + textIn(delta.refusal).length;
      for (const call of arrayIn(delta.tool_calls)) if (isObject(call)) size += calls.add(call);
      if (!isObject(delta.function_call) || Object.keys(delta.function_call).length === 0) return;
      legacy ??= newCall();
      size += extend(legacy, delta.function_call, "arguments");
    },
    size: () => size,
    whole: () => ({
      content,
      refusal,
      tool_calls: calls.whole(),
      ...(legacy === undefined ? {} : { function_call: { name: legacy.tool, arguments: legacy.args } }),
    }),
  };
}

/** Some servers stream content as parts. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return arrayIn(content)
    .map((part) => stringIn(objectIn(part).text) ?? "")
    .join("");
}

function growingCalls(): { add(delta: JsonObject): number; whole(): readonly JsonObject[] } {
  const calls: { readonly index: number; readonly call: GrowingCall }[] = [];
  const byIndex = new Map<number, GrowingCall>();
  let last = 0;

  function callFor(delta: JsonObject): GrowingCall {
    const known = typeof delta.index === "number";
    const index = known ? Number(delta.index) : last;
    last = index;
    const current = byIndex.get(index);
    if (current !== undefined && !startsAnother(current, delta)) return current;
    const call = newCall();
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
      if (!isObject(delta.custom)) return cost + extend(call, objectIn(delta.function), "arguments");
      call.kind = "custom";
      return cost + extend(call, delta.custom, "input");
    },
    whole: () => calls.toSorted((one, other) => one.index - other.index).map(({ call }) => wholeCall(call)),
  };
}

/** Servers that know no index, or always say 0, send each call of a parallel turn whole, with a name and an id of its own. */
function startsAnother(current: GrowingCall, delta: JsonObject): boolean {
  const id = nonEmpty(delta.id);
  const named = nonEmpty(objectIn(delta.function).name) ?? nonEmpty(objectIn(delta.custom).name);
  return id !== undefined && current.id !== undefined && id !== current.id && named !== undefined;
}

function newCall(): GrowingCall {
  return { id: undefined, kind: "function", tool: "", args: "" };
}

/** How many characters it grew by. */
function extend(call: GrowingCall, delta: JsonObject, input: "arguments" | "input"): number {
  const piece = stringIn(delta[input]) ?? "";
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

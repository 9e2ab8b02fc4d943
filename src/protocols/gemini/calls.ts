import type { Mutable } from "../../mutable.ts";
import type { Call, Step } from "../../step.ts";
import { arrayIn, isObject, type JsonObject, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import type { StreamPart } from "../protocol.ts";
import {
  argumentText,
  functionResultIn,
  isModels,
  listIn,
  memberOf,
  ownResultIn,
  partsOf,
  partText,
  wordsIn,
} from "./parts.ts";
import { joinTexts } from "../../text/text-span.ts";
import { type Message, promptStep } from "../dialects/dialects.ts";

type CallPart = Extract<StreamPart, { readonly call: number }>;

/** Told the parts of one turn in order, gives what each says about calls. */
export function callReader(): (part: JsonObject) => readonly CallPart[] {
  let calls = 0;
  /** Calls that the API carries out itself and has not answered, by id or else by number. */
  const open = new Map<string | number, number>();
  /** What has come of the arguments of a call whose parts are still to come. */
  let pieces: Map<string, unknown> | undefined;

  function begin({ id }: JsonObject, tool: unknown): CallPart {
    return { kind: "call-start", call: calls++, id: nonEmpty(id), tool: stringIn(tool) ?? "" };
  }

  function argue(args: unknown): CallPart {
    return { kind: "call-args", call: calls - 1, text: argumentText(args) };
  }

  /** A call comes whole, or its arguments come one by one under their paths, and behind it parts without a name. */
  function functionCall(called: JsonObject, part: JsonObject): readonly CallPart[] {
    const { name, args } = called;
    const isNew = pieces === undefined || nonEmpty(name) !== undefined;
    const id = nonEmpty(called.id) ?? signatureIn(part);
    const start = isNew ? [begin({ id }, name)] : [];
    const goesOn = memberOf(called, "willContinue") === true;
    const begun = isNew ? new Map<string, unknown>() : pieces;
    for (const piece of arrayIn(memberOf(called, "partialArgs"))) if (begun !== undefined) grow(begun, objectIn(piece));
    pieces = goesOn ? begun : undefined;
    return goesOn ? start : [...start, argue(args ?? Object.fromEntries(begun ?? []))];
  }

  /** What the API does itself it answers within the turn, by id or one after the other. */
  function answer(part: JsonObject): readonly CallPart[] {
    const result = open.size === 0 ? undefined : ownResultIn(part);
    const named = open.has(result?.id ?? "") ? result?.id : open.keys().next().value;
    const call = open.get(named ?? "");
    if (result === undefined || call === undefined) return [];
    open.delete(named ?? "");
    return [{ kind: "call-result", call, outcome: result.outcome }];
  }

  return (part) => {
    const called = memberOf(part, "functionCall");
    if (isObject(called)) return functionCall(called, part);
    const code = memberOf(part, "executableCode");
    const own = memberOf(part, "toolCall");
    if (!isObject(code) && !isObject(own)) return answer(part);
    open.set(nonEmpty(objectIn(code ?? own).id) ?? calls, calls);
    if (isObject(code)) return [begin(code, "code_execution"), argue({ language: code.language, code: code.code })];
    const { args, ...others } = objectIn(own);
    return [begin(others, stringIn(memberOf(others, "toolType"))?.toLowerCase()), argue(args)];
  };
}

/** So much of a signature's end is like no other. */
const SIGNATURE = 48;

/** Where a call has no id, its signature, which comes back as it was, still tells it from those of other runs. */
function signatureIn(part: JsonObject): string | undefined {
  return nonEmpty(memberOf(part, "thoughtSignature"))?.slice(-SIGNATURE);
}

/** @param piece one value under its path, `$.city`: a text comes in several */
function grow(pieces: Map<string, unknown>, piece: JsonObject): void {
  const path = (stringIn(memberOf(piece, "jsonPath")) ?? "").replace(/^\$\.?/, "");
  const text = stringIn(memberOf(piece, "stringValue"));
  const before = stringIn(pieces.get(path)) ?? "";
  const other = memberOf(piece, "numberValue") ?? memberOf(piece, "boolValue") ?? null;
  pieces.set(path, text === undefined ? other : before + text);
}

/** The calls of one turn. */
export function callsIn(parts: readonly JsonObject[]): readonly Call[] {
  const read = callReader();
  const calls: Mutable<Call>[] = [];
  for (const one of parts.flatMap(read)) {
    if (one.kind === "call-start") calls.push({ ...(one.id && { id: one.id }), tool: one.tool, args: "{}" });
    const call = calls[one.call];
    if (call !== undefined && one.kind === "call-args") call.args = one.text;
    if (call !== undefined && one.kind === "call-result") call.outcome = one.outcome;
  }
  return calls;
}

/** The contents of a history in neutral form: one of a user may be several, for it has the results in it. */
interface NeutralContents {
  readonly messages: readonly Message[];
  /** For each, the index of the content that it comes from (of a turn, its last one); -1 for what stands in none of them. */
  readonly at: readonly number[];
}

/** Clients that read a stream keep a content for each chunk: what the model says without anything between is one turn. */
export function neutralContents(body: JsonObject): NeutralContents {
  const system = instructionText(body);
  const messages: Message[] = system === "" ? [] : [{ part: "instruction", text: system }];
  const at: number[] = messages.map(() => -1);
  let turn: JsonObject[] = [];
  const contents = listIn(body.contents);
  for (const [index, content] of contents.entries()) {
    if (isModels(content)) {
      for (const part of partsOf(content)) turn.push(part);
      if (isModels(contents[index + 1])) continue;
    }
    const said: Message = { part: "assistant", text: wordsIn(turn), calls: callsIn(turn) };
    const told = isModels(content) ? [said] : heardIn(partsOf(content));
    for (const message of told) {
      messages.push(message);
      at.push(index);
    }
    turn = [];
  }
  return { messages, at };
}

export function instructionText(body: JsonObject): string {
  return joinTexts(partsOf(memberOf(body, "systemInstruction")).map(partText));
}

/** The step of one answer, before its client has answered anything. */
export function stepOf(parts: readonly JsonObject[]): Step {
  return promptStep(wordsIn(parts), callsIn(parts));
}

function heardIn(parts: readonly JsonObject[]): readonly Message[] {
  const said: string[] = [];
  const results: Message[] = [];
  for (const part of parts) {
    const result = functionResultIn(part);
    if (result === undefined) said.push(partText(part));
    else results.push({ part: "result", id: result.id, tool: result.tool, ...result.outcome });
  }
  const text = joinTexts(said.filter((one) => one.trim() !== ""));
  return text === "" ? results : [...results, { part: "user", text }];
}

import { arrayIn, isObject, type JsonObject, objectIn, parseJson } from "../json.ts";
import type { Edit } from "../protocol.ts";
import { elementsOf, innerEnd, membersOf, rootSpan, type Span } from "./spans.ts";
import { callsOf, nonEmpty, partOf } from "./wire.ts";

/** Puts `text` in the place of what lies between `start` and `end`. */
interface Splice extends Span {
  readonly text: string;
}

/** A value of the body and where its text lies. */
interface Placed<Value> {
  readonly value: Value;
  readonly span: Span;
}

type Notes = Extract<Edit, { kind: "note" }>;

/** Carries the edits out on the text itself; what no edit touches stays byte for byte. */
export function rewriteRequest(body: string, edits: readonly Edit[]): string {
  const value = edits.length === 0 ? undefined : parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages)) return body;
  const members = membersOf(body, rootSpan(body));
  const notes = edits.filter((edit) => edit.kind === "note");
  const finish = edits.findLast((edit) => edit.kind === "finish");
  return spliced(body, [
    ...noteSplices(body, placedElements(body, value.messages, members.get("messages")), notes),
    ...(finish === undefined ? [] : finishSplices(body, value, members, finish.tool)),
  ]);
}

function spliced(body: string, splices: readonly Splice[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, text } of splices.toSorted((one, other) => one.start - other.start)) {
    pieces.push(body.slice(from, start), text);
    from = end;
  }
  return pieces.join("") + body.slice(from);
}

function placedElements(body: string, values: readonly unknown[], array: Span | undefined): readonly Placed<unknown>[] {
  const spans = array === undefined ? [] : elementsOf(body, array);
  return spans.map((span, index) => ({ value: values[index], span }));
}

// --- note ---

function noteSplices(body: string, messages: readonly Placed<unknown>[], notes: readonly Notes[]): readonly Splice[] {
  const turns = messages.flatMap(({ value }, index) => (partOf(value) === "assistant" ? [index] : []));
  const bySteps = new Map<number, string[]>();
  for (const { step, text } of notes) bySteps.set(step, [...(bySteps.get(step) ?? []), text]);
  return [...bySteps].flatMap(([step, texts]) => {
    const turn = turns[step];
    if (turn === undefined) return [];
    const answers = messages.slice(turn + 1, turns[step + 1]);
    const target = answers.findLast(({ value }) => partOf(value) === "result" || partOf(value) === "user");
    if (target !== undefined && isObject(target.value)) {
      return extended(body, { value: target.value, span: target.span }, texts);
    }
    return splitsCallFromResult(messages, turn) ? [] : inserted(messages[turn], texts);
  });
}

function extended(body: string, message: Placed<JsonObject>, texts: readonly string[]): readonly Splice[] {
  const { content } = message.value;
  const span = membersOf(body, message.span).get("content");
  const joined = texts.join("\n\n");
  if (span === undefined) {
    const end = innerEnd(body, message.span);
    return [insertion(end, `,"content":${JSON.stringify(joined)}`)];
  }
  if (typeof content === "string") {
    const added = JSON.stringify(content === "" ? joined : `\n\n${joined}`);
    return [insertion(span.end - 1, added.slice(1, -1))];
  }
  if (!Array.isArray(content)) return [{ ...span, text: JSON.stringify(joined) }];
  const parts = texts.map((text) => JSON.stringify({ type: "text", text })).join(",");
  return [insertion(innerEnd(body, span), content.length === 0 ? parts : `,${parts}`)];
}

function inserted(turn: Placed<unknown> | undefined, texts: readonly string[]): readonly Splice[] {
  if (turn === undefined) return [];
  return [insertion(turn.span.end, `,${JSON.stringify({ role: "user", content: texts.join("\n\n") })}`)];
}

function insertion(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

/** Whether a message right behind this turn would come between a call and its result, which the API refuses. */
function splitsCallFromResult(messages: readonly Placed<unknown>[], turn: number): boolean {
  const open = new Map<string, number>();
  for (const { value } of messages.slice(0, turn + 1)) {
    for (const { id } of partOf(value) === "assistant" ? callsOf(objectIn(value)) : []) count(open, id, 1);
    if (partOf(value) === "result") count(open, objectIn(value).tool_call_id, -1);
  }
  const callsNow = callsOf(objectIn(messages[turn]?.value)).length > 0;
  return callsNow || messages.slice(turn + 1).some(({ value }) => answersOneOf(open, value));
}

function count(open: Map<string, number>, id: unknown, change: number): void {
  const key = nonEmpty(id) ?? "";
  open.set(key, Math.max(0, (open.get(key) ?? 0) + change));
}

function answersOneOf(open: ReadonlyMap<string, number>, message: unknown): boolean {
  if (partOf(message) !== "result") return false;
  return (open.get(nonEmpty(objectIn(message).tool_call_id) ?? "") ?? 0) > 0;
}

// --- finish ---

/** The two generations of the API's members for tools. */
const tooling = [
  { list: "tools", choice: "tool_choice" },
  { list: "functions", choice: "function_call" },
] as const;

function finishSplices(
  body: string,
  request: JsonObject,
  members: ReadonlyMap<string, Span>,
  tool: string | undefined,
): readonly Splice[] {
  const set = (key: string, json: string): Splice => {
    const span = members.get(key);
    if (span !== undefined) return { ...span, text: json };
    return insertion(innerEnd(body, rootSpan(body)), `,${JSON.stringify(key)}:${json}`);
  };
  const offers = tooling.map((names) => ({
    ...names,
    elements: placedElements(body, arrayIn(request[names.list]), members.get(names.list)),
  }));
  for (const { list, choice, elements } of tool === undefined ? [] : offers) {
    const chosen = elements.find(({ value }) => choiceOf(list, value)?.name === tool);
    if (chosen === undefined) continue;
    const only = body.slice(chosen.span.start, chosen.span.end);
    return [set(list, `[${only}]`), set(choice, JSON.stringify(choiceOf(list, chosen.value)?.choice))];
  }
  // The API refuses a choice where nothing is offered.
  return offers.filter(({ elements }) => elements.length > 0).map(({ choice }) => set(choice, '"none"'));
}

/** The name of an offered tool and how it is chosen. */
function choiceOf(
  list: "tools" | "functions",
  offered: unknown,
): { readonly name: string; readonly choice: unknown } | undefined {
  const tool = objectIn(offered);
  const custom = nonEmpty(objectIn(tool.custom).name);
  const name = list === "functions" ? nonEmpty(tool.name) : (custom ?? nonEmpty(objectIn(tool.function).name));
  if (name === undefined) return undefined;
  if (list === "functions") return { name, choice: { name } };
  return {
    name,
    choice: custom === name ? { type: "custom", custom: { name } } : { type: "function", function: { name } },
  };
}

import { requestWork } from "../../work.ts";
import { type Call, UNKNOWN_TOOL } from "../../step.ts";
import { lastIndexIn, utf8Text } from "../../text/bytes.ts";
import type { Message } from "../dialects/dialects.ts";
import { appended, type EditFormat, type PlacedTool, silenced } from "../edits.ts";
import {
  arrayIn,
  insertion,
  isObject,
  type JsonObject,
  type LocatedBody,
  type LocatedValue,
  membersOf,
  memberSplice,
  nonEmpty,
  objectIn,
  jsonValue,
  placedElements,
  placedWithin,
  type Splice,
  spliced,
  stringIn,
} from "../json/json.ts";
import type { AnswerFormat, OfferedTool, ParsedRequest } from "../protocol.ts";
import { contentText, type NeutralHistory, offeredTool, type RequestFormat } from "../requests.ts";
import { callOf, itemsOf, kindOf, outcomeOf, qualified, resultId, turnsIn } from "./items.ts";
import { threads } from "./threads.ts";

// --- what it tells ---

/** The run that an input tells, every result beside its call. */
function history(body: JsonObject): NeutralHistory {
  const items = itemsOf(body).map(objectIn);
  const { before, turns } = turnsIn(items);
  const messages: Message[] = [];
  const at: number[] = [];
  const add = (message: Message, index = -1) => {
    messages.push(message);
    at.push(index);
  };
  const heard = (index: number) => add(heardMessage(items[index] ?? {}));
  const { lead, notes } = instructionsOf(body, items);
  for (const text of lead) add({ part: "instruction", text });
  before.forEach(heard);
  for (const text of notes) add({ part: "instruction", text });
  for (const { ownItems, behind } of turns) {
    const own = ownItems.map((index) => items[index] ?? {});
    const calls = own.filter((item) => kindOf(item) === "call").map(callOf);
    const texts = own.filter((item) => kindOf(item) === "said").map(({ content }) => contentText(content));
    const refers = own.some((item) => kindOf(item) === "reference");
    const referred = refers
      ? referredCalls(
          calls,
          behind.map((index) => items[index] ?? {}),
        )
      : [];
    const text = texts.filter((one) => one !== "").join("\n");
    add({ part: "assistant", text, calls: [...calls, ...referred] }, ownItems.at(-1));
    behind.forEach(heard);
  }
  return { messages, at };
}

function heardMessage(item: JsonObject): Message {
  if (kindOf(item) === "user") return { part: "user", text: contentText(item.content) };
  return { part: "result", id: resultId(item), ...outcomeOf(item) };
}

/** In front of the task and behind it. What comes behind the first turn changes nothing about whose run it is. */
function instructionsOf({ instructions }: JsonObject, items: readonly JsonObject[]) {
  const begun = items.findIndex((item) => ["said", "call", "reference"].includes(kindOf(item)));
  const opening = items.slice(0, begun === -1 ? undefined : begun);
  const task = opening.findIndex((item) => kindOf(item) === "user");
  const lead = [instructions];
  const notes: unknown[] = [];
  for (const [index, item] of opening.entries())
    if (kindOf(item) === "instruction") (task !== -1 && index > task ? notes : lead).push(item.content);
  const texts = (contents: readonly unknown[]) => contents.map(contentText).filter((text) => text !== "");
  return { lead: texts(lead), notes: texts(notes) };
}

/** Calls of a turn that is only referred to, known by the results that came back for them. @param told those told beside it */
function referredCalls(told: readonly Call[], results: readonly JsonObject[]): readonly Call[] {
  const ids = new Set(told.map(({ id }) => id));
  return results.flatMap((item): readonly Call[] => {
    const id = nonEmpty(item.call_id);
    if (id === undefined || ids.has(id)) return [];
    ids.add(id);
    return [{ id, tool: UNKNOWN_TOOL, args: id }];
  });
}

// --- what it asks for ---

/** A stored prompt may take the place of an input. */
export function isRequest(body: unknown): body is JsonObject {
  return isObject(body) && (typeof body.input === "string" || Array.isArray(body.input));
}

/** A tool that the model may call by name. What the provider runs itself goes by no name. */
export interface NamedTool extends OfferedTool {
  readonly type: "function" | "custom";
  readonly namespace: string | undefined;
  /** Its own name, within its namespace. */
  readonly ownName: string;
}

/** Functions, custom tools, and those in namespaces. */
export function namedTools({ tools }: JsonObject): readonly NamedTool[] {
  return arrayIn(tools).flatMap((tool) => {
    const { type, name, tools: inner } = objectIn(tool);
    return type === "namespace"
      ? arrayIn(inner).flatMap((one) => namedTool(objectIn(one), nonEmpty(name)))
      : namedTool(objectIn(tool), undefined);
  });
}

function namedTool({ type, name, description, parameters }: JsonObject, namespace: string | undefined): NamedTool[] {
  const ownName = nonEmpty(name);
  if (ownName === undefined || (type !== "function" && type !== "custom")) return [];
  const own = { type, namespace, ownName, ...(type === "custom" && { form: "custom" as const }) } as const;
  return offeredTool(qualified(ownName, namespace), description, parameters).map((tool) => ({ ...tool, ...own }));
}

/** The call that the client forces. */
function toolChoiceOf({ tool_choice }: JsonObject): ParsedRequest["toolChoice"] {
  if (tool_choice === "required") return "any";
  const { type, mode, name } = objectIn(tool_choice);
  if (type === "allowed_tools") return mode === "required" ? "any" : undefined;
  const tool = nonEmpty(name);
  return tool === undefined ? undefined : { tool };
}

function formatOf({ text }: JsonObject): AnswerFormat {
  const { type, schema } = objectIn(objectIn(text).format);
  if (type === "json_schema" && schema !== undefined) return { kind: "schema", schema };
  return type === "json_object" || type === "json_schema" ? { kind: "json" } : { kind: "text" };
}

/** The conversation that the API keeps, which a request goes on from. */
function conversationOf({ conversation }: JsonObject): string | undefined {
  return nonEmpty(conversation) ?? nonEmpty(objectIn(conversation).id);
}

function unreadKind(body: JsonObject): string | undefined {
  const unread = itemsOf(body).find((item) => ["other", "reference"].includes(kindOf(item)));
  return unread === undefined ? undefined : (stringIn(objectIn(unread).type) ?? "item_reference");
}

// --- what may be changed ---

const edits: EditFormat = {
  instructions: ({ body }) => [
    contentText(body.instructions),
    ...itemsOf(body).flatMap((item) => (kindOf(item) === "instruction" ? [contentText(objectIn(item).content)] : [])),
  ],
  instruct,
  entries({ text, body, members }) {
    const span = members.get("input");
    const [item] = itemsOf(body);
    if (typeof body.input === "string" && span !== undefined) return [{ value: item, span }];
    return placedElements(text, itemsOf(body), span);
  },
  isHeard: (item) => kindOf(item) === "result" || kindOf(item) === "user",
  bringsResult: (item, call) => objectIn(item).call_id === call,
  extended,
  inserted(items, turn, texts) {
    const { turns } = turnsIn(items.map(({ value }) => value));
    const own = turns.find(({ ownItems }) => ownItems.at(-1) === turn)?.ownItems ?? [];
    // Nothing may come between a call and its result, which is still to come.
    const isOpen = own.some((index) => ["call", "reference"].includes(kindOf(items[index]?.value)));
    const end = items[turn]?.span.end;
    return end === undefined || isOpen ? [] : [asMessage(end, texts)];
  },
  offers,
  silence: (located) => silenced(located, "tools", "tool_choice", '"none"'),
  schemas: [["text", "format", "schema"]],
};

function offers(located: LocatedBody): readonly PlacedTool[] {
  const { text, body, members } = located;
  return placedElements(text, arrayIn(body.tools), members.get("tools")).flatMap((tool): readonly PlacedTool[] => {
    const { type, name } = objectIn(tool.value);
    if (type !== "namespace") return placedTool(located, tool, undefined, (inner) => inner);
    const list = placedWithin(text, tool, ["tools"]);
    return placedElements(text, arrayIn(list?.value), list?.span).flatMap((inner) =>
      placedTool(located, inner, nonEmpty(name), (alone) =>
        list === undefined ? alone : spliced(text, [{ ...list.span, text: `[${alone}]` }], tool.span),
      ),
    );
  });
}

/** @param listed the text of a list's element that has this tool alone */
function placedTool(
  located: LocatedBody,
  tool: LocatedValue<unknown>,
  namespace: string | undefined,
  listed: (tool: string) => string,
): readonly PlacedTool[] {
  const { text } = located;
  // A tool in a namespace has no choice of its own: it is required as the only one there is.
  return namedTool(objectIn(tool.value), namespace).map(({ name, type, ownName }) => ({
    name,
    schema: placedWithin(text, tool, ["parameters"]),
    alone: (splices) => [
      memberSplice(located, "tools", `[${listed(spliced(text, splices, tool.span))}]`),
      memberSplice(
        located,
        "tool_choice",
        JSON.stringify(namespace === undefined ? { type, name: ownName } : "required"),
      ),
    ],
  }));
}

/** Behind the instructions, which the API does not keep from one answer to the next. */
function instruct(located: LocatedBody, texts: readonly string[]): readonly Splice[] {
  const { instructions } = located.body;
  const span = located.members.get("instructions");
  if (span !== undefined && typeof instructions === "string")
    return appended(located.text, { value: instructions, span }, texts);
  if (instructions !== undefined && instructions !== null) return [];
  return [memberSplice(located, "instructions", JSON.stringify(texts.join("\n\n")))];
}

const inputText = (text: string) => ({ type: "input_text", text });

/** The texts at the end of what an item says; as a message behind it where that is of no known kind. */
function extended(text: string, item: LocatedValue<JsonObject>, texts: readonly string[]): readonly Splice[] {
  const { value, span } = item;
  // The input is one text.
  if (text[span.start] === '"') return appended(text, { value: value.content, span }, texts);
  const key = kindOf(value) === "user" ? "content" : "output";
  const place = membersOf(text, span).get(key);
  const said = value[key];
  // Texts, images and files; what commands have printed is a list, too.
  const isGrowing =
    typeof said === "string" ||
    (Array.isArray(said) && said.every((part) => String(objectIn(part).type).startsWith("input_")));
  if (place === undefined || !isGrowing) return [asMessage(span.end, texts)];
  return appended(text, { value: said, span: place }, texts, inputText);
}

function asMessage(at: number, texts: readonly string[]): Splice {
  return insertion(at, `,${JSON.stringify({ type: "message", role: "user", content: texts.map(inputText) })}`);
}

// --- what an agent says of itself ---

/** It comes last, and in another order each time. Where it is not that, nothing is left out. */
const METADATA = ',"client_metadata":{';
const METADATA_SPAN = 16 * 1024;
const CLOSING_BRACE = 0x7d;

function comparable(body: Uint8Array): Uint8Array {
  const near = body.subarray(-METADATA_SPAN);
  const at = lastIndexIn(near, METADATA);
  if (at === -1) return body;
  // As the last member, and of texts alone: then nothing behind it belongs to anything else.
  const text = utf8Text(near.subarray(at + METADATA.length - 1));
  const metadata = text?.endsWith("}}") === true ? jsonValue(text.slice(0, -1), requestWork()) : undefined;
  if (!isObject(metadata) || !Object.values(metadata).every((value) => typeof value === "string")) return body;
  // A copy: node's buffers share their memory with their slices, and the body is still to be sent.
  const shorter = new Uint8Array(body.subarray(0, body.length - near.length + at + 1));
  shorter[shorter.length - 1] = CLOSING_BRACE;
  return shorter;
}

/** Where the last item is the model's own, what is added may go on with its turn. */
function members(body: JsonObject, shorter: Uint8Array): readonly string[] | undefined {
  const last = Array.isArray(body.input) ? kindOf(body.input.at(-1)) : undefined;
  if (last !== "result" && last !== "user") return undefined;
  const isLeftOut = lastIndexIn(shorter.subarray(-METADATA_SPAN), METADATA) === -1;
  return Object.keys(body).filter((name) => name !== "client_metadata" || !isLeftOut);
}

export const requests: RequestFormat = {
  isRequest,
  streams: ({ stream }) => stream === true,
  sampling: ["model", "temperature", "top_p", "user", "safety_identifier"],
  list: "input",
  history,
  terms: (body) => ({
    tools: namedTools(body).map(({ type: _, namespace: __, ownName: ___, ...tool }) => tool),
    toolChoice: toolChoiceOf(body),
    format: formatOf(body),
    previousAnswerId: nonEmpty(body.previous_response_id) ?? conversationOf(body),
    keptUnder: conversationOf(body),
    unread: unreadKind(body),
  }),
  edits,
  delta: {
    comparable,
    resultKey: "call_id",
    members,
    mayStandAlone: (items) => !items.some((item) => ["instruction", "reference", "other"].includes(kindOf(item))),
  },
  threads,
};

import { requestWork } from "../../work.ts";
import { type Call, type Outcome, type Step, UNKNOWN_TOOL } from "../../step.ts";
import { latin1Bytes, latin1Text } from "../../text/bytes.ts";
import type { Message } from "../dialects/dialect.ts";
import { appended, type EditFormat, elementsAt, grown, type PlacedTool, silenced } from "../edits.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { arrayIn, isObject, jsonValue, nonEmpty, objectIn, stringIn } from "../json/json.ts";
import { insertion, instead, type JsonPlace, placedObject, type Splice } from "../json/place.ts";
import type { NeutralHistory, OfferedTool, ParsedRequest, PreviousTurn, RequestBody } from "../protocol.ts";
import type { RequestFormat, ThreadFormat } from "../requests.ts";
import { contentText, forcedCall, formatOf, NOT_DONE, offeredTool } from "../requests.ts";
import { callOf, idOf, type ItemKind, kindOf, qualified } from "./answer.ts";

/** Begins the ids of items that the guard has made itself: the API keeps none of them, so that it must not be referred to one. */
export const OWN_ITEM = "unloop_";

const threads: ThreadFormat = {
  always: true,
  substitutes(unanswered, step, tools) {
    const custom = new Set(tools.filter(({ form }) => form === "custom").map(({ name }) => name));
    const results = unanswered.flatMap(({ id, tool }) => {
      const type = custom.has(tool) ? "custom_tool_call_output" : "function_call_output";
      return id === undefined ? [] : [{ type, call_id: id, output: NOT_DONE }];
    });
    const words = step === undefined || step.text === "" ? [] : [{ role: "assistant", content: step.text }];
    const calls = (step?.calls ?? []).map(({ id, tool, args }) =>
      custom.has(tool)
        ? { type: "custom_tool_call", call_id: id, name: tool, input: args }
        : { type: "function_call", call_id: id, name: tool, arguments: args },
    );
    return [...results, ...words, ...calls];
  },
  tellsTurn: (items) => items.some((item) => kindOf(item) === "said" || kindOf(item) === "call"),
  renamed(body, answerId, items) {
    const [named, input] = [body.at("previous_response_id"), body.at("input")];
    const told = `{"role":"user","content":${input?.json()}}`;
    const isText = typeof input?.value === "string";
    return [
      ...(named === undefined ? [] : [instead(named, JSON.stringify(answerId))]),
      ...(input === undefined || items === ""
        ? []
        : [isText ? instead(input, `[${items},${told}]`) : input.lead(items)]),
    ];
  },
  referring(request, turn, read) {
    const sent = withoutOwnItems(request.wire);
    return withKnownTurns(sent === undefined ? request : read(sent), turn);
  },
};

/** Some clients tell the items of all their turns first and then all results: what was made in several answers is several turns. */
function withKnownTurns(request: ParsedRequest, { earlier = [], ...turn }: PreviousTurn): ParsedRequest {
  const turns = new Map([...earlier, turn].flatMap((known) => known.calls.map(({ id }) => [id, known] as const)));
  const steps = request.conversation.steps.flatMap((step): readonly Step[] => {
    if (step.calls.every(({ tool }) => tool !== UNKNOWN_TOOL)) return [step];
    const groups = new Map<Pick<Step, "calls" | "text"> | undefined, Call[]>();
    for (const call of step.calls) {
      const known = turns.get(call.id);
      const { tool, args } = known?.calls.find(({ id }) => id === call.id) ?? call;
      groups.set(known, [...(groups.get(known) ?? []), call.tool === UNKNOWN_TOOL ? { ...call, tool, args } : call]);
    }
    return [...groups].map(([known, calls], index) => ({
      calls,
      text: step.text || (known?.text ?? ""),
      heard: index === groups.size - 1 ? step.heard : [],
      ...(index > 0 && { sharesMessage: true as const }),
    }));
  });
  return { ...request, conversation: { ...request.conversation, steps } };
}

const OWN_ID = new RegExp(`^[a-z]+_${OWN_ITEM}`);

/** The body without the items of the guard's own that it refers to, and without their results; undefined if there are none. */
function withoutOwnItems(source: RequestBody): RequestBody | undefined {
  const items = itemsOf(source.body);
  const kept = items.map((item) => {
    const id = { reference: "id", result: "call_id" }[String(kindOf(item))];
    return !OWN_ID.test(stringIn(id && objectIn(item)[id]) ?? "");
  });
  const body = placedObject(source.text, source.body);
  const input = body?.at("input");
  if (kept.every(Boolean) || body === undefined || input === undefined) return undefined;
  const texts = elementsAt(body, "input").filter((_, index) => kept[index]);
  const text = body.json([instead(input, `[${texts.map((item) => item.json()).join(",")}]`)]);
  return { ...source, text, body: { ...source.body, input: items.filter((_, index) => kept[index]) } };
}

function itemsOf({ input }: JsonObject): readonly Json[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : arrayIn(input);
}

type Turn = { readonly ownItems: number[]; readonly behind: number[] };

const MADE: ReadonlySet<ItemKind> = new Set(["said", "thought", "call", "reference"]);

/** A turn begins where the model makes something after a result or a message. What is only referred to is one if a result comes back. */
function turnsIn(items: readonly Json[]) {
  const before: number[] = [];
  const turns: Turn[] = [];
  let latest: Turn | undefined;
  const act = (turn: Turn | undefined) => {
    if (turn !== undefined && turns.at(-1) !== turn) turns.push(turn);
  };
  for (const [index, item] of items.entries()) {
    const kind = kindOf(item);
    if (MADE.has(kind)) {
      if (latest === undefined || latest.behind.length > 0) latest = { ownItems: [], behind: [] };
      latest.ownItems.push(index);
      if (kind === "said" || kind === "call") act(latest);
    } else if (kind === "result" || kind === "user") {
      if (kind === "result" && latest?.ownItems.some((own) => kindOf(items[own]) === "reference")) act(latest);
      (turns.at(-1)?.behind ?? before).push(index);
    }
  }
  return { before, turns };
}

function history(body: JsonObject, previous?: Message): NeutralHistory {
  const items = itemsOf(body).map(objectIn);
  const { before, turns } = turnsIn(items);
  const told: { message: Message; at: number }[] = [];
  const add = (message: Message, at = -1) => void told.push({ message, at });
  const heard = (index: number) => add(heardMessage(items[index] ?? {}), index);
  const { lead, notes } = instructionsOf(body, items);
  const instruct = (texts: readonly string[]) => {
    for (const text of texts) add({ part: "instruction", text });
  };
  instruct(previous === undefined ? lead : [...lead, ...notes]);
  if (previous !== undefined) add(previous);
  before.forEach(heard);
  if (previous === undefined) instruct(notes);
  for (const { ownItems, behind } of turns) {
    const own = ownItems.map((index) => items[index] ?? {});
    const calls = own.filter((item) => kindOf(item) === "call").map(callOf);
    const texts = own.filter((item) => kindOf(item) === "said").map(({ content }) => contentText(content));
    const refers = own.some((item) => kindOf(item) === "reference");
    const results = refers ? behind.map((index) => items[index] ?? {}) : [];
    const text = texts.filter((one) => one !== "").join("\n");
    add({ part: "assistant", text, calls: [...calls, ...referredCalls(calls, results)] }, ownItems.at(-1));
    behind.forEach(heard);
  }
  return told;
}

function heardMessage(item: JsonObject): Message {
  if (kindOf(item) === "user") return { part: "user", text: contentText(item.content) };
  return { part: "result", id: idOf(item), ...outcomeOf(item) };
}

function outcomeOf(item: JsonObject): Outcome {
  const text = contentText(item.output ?? item.tools ?? "");
  const hasFailed = arrayIn(item.output).some((command) => {
    const { type, exit_code: code } = objectIn(objectIn(command).outcome);
    return type === "timeout" || (typeof code === "number" && code !== 0);
  });
  return item.status === "failed" || hasFailed ? { text, failed: true } : { text };
}

function instructionsOf({ instructions }: JsonObject, items: readonly JsonObject[]) {
  const begun = items.findIndex((item) => ["said", "call", "reference"].includes(kindOf(item)));
  const opening = items.slice(0, begun === -1 ? undefined : begun);
  const task = opening.findIndex((item) => kindOf(item) === "user");
  const lead = [instructions];
  const notes: Json[] = [];
  for (const [index, item] of opening.entries())
    if (kindOf(item) === "instruction") (task !== -1 && index > task ? notes : lead).push(item.content);
  const texts = (contents: readonly Json[]) => contents.map(contentText).filter((text) => text !== "");
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

export function isRequest(body: Json): body is JsonObject {
  return isObject(body) && (typeof body.input === "string" || Array.isArray(body.input));
}

export interface NamedTool extends OfferedTool {
  readonly type: "function" | "custom";
  readonly namespace: string | undefined;
  readonly ownName: string;
}

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

const edits: EditFormat = {
  // The API does not keep them from one answer to the next.
  instruct: (body, texts) => (Array.isArray(body.at("instructions")?.value) ? [] : grown(body, "instructions", texts)),
  entries: (body) =>
    [body.at("input")].flatMap((one) => (typeof one?.value === "string" ? [one] : (one?.elements() ?? []))),
  extended,
  said: (texts) => asMessage(texts),
  offers: (body) =>
    elementsAt(body, "tools").flatMap((tool): readonly PlacedTool[] => {
      const { type, name } = objectIn(tool.value);
      const list = tool.at("tools");
      if (type !== "namespace" || list === undefined) return placedTool(body, tool, undefined, (inner) => inner);
      return list
        .elements()
        .flatMap((inner) =>
          placedTool(body, inner, nonEmpty(name), (alone) => tool.json([instead(list, `[${alone}]`)])),
        );
    }),
  silence: (body) => silenced(body, "tools", "tool_choice", '"none"'),
  schemas: [["text", "format", "schema"]],
};

function placedTool(
  body: JsonPlace,
  tool: JsonPlace,
  namespace: string | undefined,
  listed: (tool: string) => string,
): readonly PlacedTool[] {
  // A tool in a namespace has no choice of its own: it is required as the only one there is.
  return namedTool(objectIn(tool.value), namespace).map(({ name, type, ownName }) => ({
    name,
    schema: tool.at("parameters"),
    alone: (splices) => [
      body.put("tools", `[${listed(tool.json(splices))}]`),
      body.put("tool_choice", JSON.stringify(namespace === undefined ? { type, name: ownName } : "required")),
    ],
  }));
}

/** The texts at the end of what an item says; as a message behind it where that is of no known kind. */
function extended(item: JsonPlace, texts: readonly string[]): readonly Splice[] {
  const said = typeof item.value === "string" ? item : item.at(kindOf(item.value) === "user" ? "content" : "output");
  const isInput = (part: Json) => stringIn(objectIn(part).type)?.startsWith("input_") === true;
  const isGrowing = typeof said?.value === "string" || (Array.isArray(said?.value) && said.value.every(isInput));
  return said === undefined || !isGrowing
    ? [insertion(item.end, `,${JSON.stringify(asMessage(texts))}`)]
    : appended(said, texts, "input_text");
}

const asMessage = (texts: readonly string[]) => {
  return { type: "message", role: "user", content: texts.map((text) => ({ type: "input_text", text })) };
};

const METADATA = ',"client_metadata":{';

/** It comes last, of texts alone, and in another order each time: then nothing behind it belongs to anything else. */
function comparable(body: Uint8Array): Uint8Array {
  const text = latin1Text(body);
  const at = text.endsWith("}}") ? text.lastIndexOf(METADATA) : -1;
  const metadata = at === -1 ? undefined : jsonValue(text.slice(at + METADATA.length - 1, -1), requestWork());
  const isLeftOut = isObject(metadata) && Object.values(metadata).every((value) => typeof value === "string");
  return isLeftOut ? latin1Bytes(`${text.slice(0, at)}}`) : body;
}

export const requests: RequestFormat = {
  isRequest,
  sampling: ["model", "temperature", "top_p", "user", "safety_identifier"],
  list: "input",
  history,
  terms(body) {
    const keptUnder = nonEmpty(body.conversation) ?? nonEmpty(objectIn(body.conversation).id);
    const { type, schema } = objectIn(objectIn(body.text).format);
    const unread = itemsOf(body).find((item) => ["other", "reference"].includes(kindOf(item)));
    return {
      tools: namedTools(body).map(({ type: _, namespace: __, ownName: ___, ...tool }) => tool),
      toolChoice: forcedCall(body.tool_choice),
      format: formatOf(type, schema),
      previousAnswerId: nonEmpty(body.previous_response_id) ?? keptUnder,
      keptUnder,
      unread: unread === undefined ? undefined : (stringIn(objectIn(unread).type) ?? "item_reference"),
    };
  },
  edits,
  delta: {
    comparable,
    resultKey: "call_id",
    // Where the last item is the model's own, what is added may go on with its turn.
    goesOn: ({ input }) => !Array.isArray(input) || !["result", "user"].includes(kindOf(input.at(-1))),
    mayStandAlone: (items) => !items.some((item) => ["instruction", "reference", "other"].includes(kindOf(item))),
  },
  threads,
};

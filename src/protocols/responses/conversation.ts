import type { Outcome, Step } from "../../step.ts";
import { historyOf, type Message, promptStep, type ToldHistory } from "../dialects/dialects.ts";
import { isObject, type JsonObject, objectIn, nonEmpty } from "../json/json.ts";
import { callOf, contentText, itemsOf, kindOf, outcomeOf, type Turns, turnsIn } from "./items.ts";
import { referredCalls } from "./references.ts";

/** What the format remembers of a request. */
export interface ResponsesOwn {
  /** For each step the index of the turn that tells it, among those of the input; `BEFORE` where what comes before the first does. */
  readonly turns: readonly number[];
  /** What the items before the first turn tell of the answer that the request goes on from, if it goes on from one. */
  readonly continuation: Continuation;
}

/** The turn that a request goes on from without carrying it: what belongs to it stands before the first turn of the input. */
export const BEFORE = -1;

/** The items of an input, read. */
export interface ReadInput extends ResponsesOwn {
  readonly messages: readonly Message[];
  readonly history: ToldHistory;
}

/** What came of an answer that a request names instead of carrying it. */
export interface Continuation {
  /** By call id. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly heard: readonly string[];
}

/** The run that an input tells, every result beside its call. */
export function readInput(input: unknown, instructions: unknown): ReadInput {
  const items = itemsOf(input);
  const cut = turnsIn(items);
  const { before, behind: notes } = instructionsOf(instructions, items);
  const messages: Message[] = [...before];
  for (const index of cut.before) messages.push(messageOf(objectIn(items[index])));
  messages.push(...notes);
  const turnAt = new Map<number, number>();
  for (const [turn, { ownItems, behind }] of cut.turns.entries()) {
    turnAt.set(messages.length, turn);
    const told = madeMessage(ownItems.map((index) => objectIn(items[index])));
    const refers = ownItems.some((index) => kindOf(items[index]) === "reference");
    const results = refers ? behind.map((index) => objectIn(items[index])) : [];
    messages.push(refers ? { ...told, calls: [...told.calls, ...referredCalls(told.calls, results)] } : told);
    for (const index of behind) messages.push(messageOf(objectIn(items[index])));
  }
  const history = historyOf(messages);
  return {
    messages,
    history,
    turns: history.places.map((place) => turnAt.get(place) ?? BEFORE),
    continuation: continuationIn(items, cut),
  };
}

/** The step that the items of an answer make. */
export function stepOfOutput(output: readonly unknown[]): Step {
  const { text, calls } = madeMessage(output.filter(isObject));
  return promptStep(text, calls);
}

function madeMessage(items: readonly JsonObject[]): Extract<Message, { part: "assistant" }> {
  const texts = items.filter((item) => kindOf(item) === "said").map(({ content }) => contentText(content));
  return {
    part: "assistant",
    text: texts.filter((text) => text !== "").join("\n"),
    calls: items.filter((item) => kindOf(item) === "call").map(callOf),
  };
}

function messageOf(item: JsonObject): Message {
  if (kindOf(item) === "user") return { part: "user", text: contentText(item.content) };
  return { part: "result", id: resultId(item), ...outcomeOf(item) };
}

function resultId(item: JsonObject): string | undefined {
  return nonEmpty(item.call_id) ?? nonEmpty(item.id);
}

/** In front of the task and behind it. What comes behind the first turn changes nothing about whose run it is. */
function instructionsOf(instructions: unknown, items: readonly unknown[]) {
  const kinds = items.map(kindOf);
  const begun = kinds.findIndex((kind) => ["said", "call", "reference"].includes(kind));
  const told = { before: textMessages([instructions]), behind: textMessages([]) };
  let place: keyof typeof told = "before";
  for (const [index, item] of items.slice(0, begun === -1 ? undefined : begun).entries()) {
    if (kinds[index] === "user") place = "behind";
    if (kinds[index] === "instruction") told[place].push(...textMessages([objectIn(item).content]));
  }
  return told;
}

function textMessages(contents: readonly unknown[]): Message[] {
  const texts = contents.map(contentText).filter((text) => text !== "");
  return texts.map((text) => ({ part: "instruction", text }));
}

function continuationIn(items: readonly unknown[], { before }: Turns): Continuation {
  const outcomes = new Map<string, Outcome>();
  const heard: string[] = [];
  for (const index of before) {
    const item = objectIn(items[index]);
    const id = resultId(item);
    if (kindOf(item) === "user") heard.push(contentText(item.content));
    else if (id !== undefined) outcomes.set(id, outcomeOf(item));
  }
  return { outcomes, heard };
}

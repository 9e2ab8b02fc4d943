import {
  arrayIn,
  innerEnd,
  insertion,
  isObject,
  type JsonObject,
  type LocatedValue,
  membersOf,
  nonEmpty,
  objectIn,
  placedElements,
  placedWithin,
  type Splice,
  spliced,
} from "../json/json.ts";
import { historyOf } from "../dialects/dialects.ts";
import { noteSplices } from "../note-splices.ts";
import { type EditFormat, type FinishFormat, type LocatedBody, memberSplice, type PlacedTool } from "../wire-format.ts";
import { callsOf, contentText, messagesOf, partOf } from "./wire.ts";

/** The two generations of the API's members for tools. */
const tooling = [
  { list: "tools", choice: "tool_choice", schema: ["function", "parameters"] },
  { list: "functions", choice: "function_call", schema: ["parameters"] },
] as const;

const finish: FinishFormat = {
  offers,
  mayNarrow: () => true,
  // The API refuses a choice where nothing is offered.
  silence: (located) =>
    tooling
      .filter(({ list }) => arrayIn(located.body[list]).length > 0)
      .map(({ choice }) => memberSplice(located, choice, '"none"')),
  schemas: [["response_format", "json_schema", "schema"]],
};

function offers(located: LocatedBody): readonly PlacedTool[] {
  const { text, body, members } = located;
  return tooling.flatMap(({ list, choice, schema }) =>
    placedElements(text, arrayIn(body[list]), members.get(list)).flatMap((tool): readonly PlacedTool[] => {
      const toolChoice = choiceOf(list, tool.value);
      if (toolChoice === undefined) return [];
      return [
        {
          name: toolChoice.name,
          schema: placedWithin(text, tool, schema),
          alone: (splices) => [
            memberSplice(located, list, `[${spliced(text, splices, tool.span)}]`),
            memberSplice(located, choice, JSON.stringify(toolChoice.choice)),
          ],
        },
      ];
    }),
  );
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

export const edits: EditFormat<undefined> = {
  instructions,
  instruct,
  note({ text, body, members }, notes) {
    const values = arrayIn(body.messages);
    const messages = placedElements(text, values, members.get("messages"));
    const { places, isPrompt } = historyOf(messagesOf(values));
    return noteSplices(notes, {
      messages,
      turns: places,
      isPrompt,
      isHeard: (message) => partOf(message) === "result" || partOf(message) === "user",
      bringsResult: (message, call) => resultIdOf(message) === call,
      extended: (message, texts) => extended(text, message, texts),
      inserted: ({ span }, turn, texts) =>
        splitsCallFromResult(messages, turn)
          ? []
          : [insertion(span.end, `,${JSON.stringify({ role: "user", content: texts.join("\n\n") })}`)],
    });
  },
  finish,
};

function resultIdOf(message: unknown): string | undefined {
  return partOf(message) === "result" ? nonEmpty(objectIn(message).tool_call_id) : undefined;
}

/** Whether a message right behind this turn would come between a call and its result, which the API refuses. */
function splitsCallFromResult(messages: readonly LocatedValue<unknown>[], turn: number): boolean {
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

/** What comes behind the first turn does not count, lest the same beginning be written in two ways. */
function instructions({ body }: LocatedBody): readonly string[] {
  return openingInstructions(arrayIn(body.messages)).map((message) => contentText(objectIn(message).content));
}

function openingInstructions(messages: readonly unknown[]): readonly unknown[] {
  const turn = messages.findIndex((message) => partOf(message) === "assistant");
  const opening = turn === -1 ? messages : messages.slice(0, turn);
  return opening.filter((message) => partOf(message) === "instruction");
}

/** Appends to the last of the instructions that a conversation begins with, or as an instruction of their own. */
function instruct({ text, body, members }: LocatedBody, texts: readonly string[]): readonly Splice[] {
  const array = members.get("messages");
  const messages = placedElements(text, arrayIn(body.messages), array);
  if (array === undefined) return [];
  const begun = messages.findIndex(({ value }) => partOf(value) !== "instruction");
  const last = messages[(begun === -1 ? messages.length : begun) - 1];
  if (last !== undefined && isObject(last.value)) return extended(text, { ...last, value: last.value }, texts);
  const isDeveloper = openingInstructions(arrayIn(body.messages)).some((one) => objectIn(one).role === "developer");
  const role = isDeveloper ? "developer" : "system";
  const message = JSON.stringify({ role, content: texts.join("\n\n") });
  const [first] = messages;
  return [first === undefined ? insertion(array.start + 1, message) : insertion(first.span.start, `${message},`)];
}

/** The texts at the end of what a message says. None where its content is of no known kind. */
function extended(body: string, message: LocatedValue<JsonObject>, texts: readonly string[]): readonly Splice[] {
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
  if (content === null) return [{ ...span, text: JSON.stringify(joined) }];
  if (!Array.isArray(content)) return [];
  const parts = texts.map((text) => JSON.stringify({ type: "text", text })).join(",");
  return [insertion(innerEnd(body, span), content.length === 0 ? parts : `,${parts}`)];
}

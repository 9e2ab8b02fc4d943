import {
  arrayIn,
  innerEnd,
  insertion,
  isObject,
  type JsonObject,
  type LocatedValue,
  membersOf,
  objectIn,
  placedElements,
  placedWithin,
  type Splice,
  spliced,
} from "../json/json.ts";
import { groupedNotes, type NotesAt } from "../note-splices.ts";
import {
  type EditRecord,
  type FinishFormat,
  type LocatedBody,
  memberSplice,
  type Note,
  type PlacedTool,
} from "../wire-format.ts";
import { contentText, itemsOf, kindOf, listedTools, type NumberedTool, turnsIn } from "./items.ts";
import { BEFORE, type ResponsesOwn } from "./conversation.ts";

const finish: FinishFormat = {
  offers,
  mayNarrow: () => true,
  // The API refuses a choice where nothing is offered.
  silence: (located) =>
    arrayIn(located.body.tools).length === 0 ? [] : [memberSplice(located, "tool_choice", '"none"')],
  schemas: [["text", "format", "schema"]],
};

function offers(located: LocatedBody): readonly PlacedTool[] {
  const { text, body, members } = located;
  const places = placedElements(text, arrayIn(body.tools), members.get("tools"));
  return listedTools(body.tools).map((tool) => ({
    name: tool.name,
    schema: schemaAt(text, places, tool),
    alone: (splices) => [
      memberSplice(located, "tools", `[${toolText(text, places, tool, splices)}]`),
      memberSplice(located, "tool_choice", JSON.stringify(choiceOf(tool))),
    ],
  }));
}

/** A tool in a namespace has no choice of its own: it is required as the only one there is. */
function choiceOf({ namespace, form, ownName }: NumberedTool): unknown {
  return namespace === undefined ? { type: form, name: ownName } : "required";
}

/** The text of a tool, within its namespace if it has one, and with these splices made in it. */
function toolText(
  text: string,
  places: readonly LocatedValue<unknown>[],
  { at, within }: NumberedTool,
  splices: readonly Splice[],
): string {
  const outer = places[at];
  if (outer === undefined) return "";
  if (within === undefined) return spliced(text, splices, outer.span);
  const list = placedWithin(text, outer, ["tools"]);
  const inner = placedElements(text, arrayIn(list?.value), list?.span)[within];
  if (list === undefined || inner === undefined) return spliced(text, splices, outer.span);
  return spliced(text, [{ ...list.span, text: `[${spliced(text, splices, inner.span)}]` }], outer.span);
}

function schemaAt(
  text: string,
  places: readonly LocatedValue<unknown>[],
  { at, within }: NumberedTool,
): LocatedValue<unknown> | undefined {
  const outer = places[at];
  if (outer === undefined || within === undefined) return outer && placedWithin(text, outer, ["parameters"]);
  const list = placedWithin(text, outer, ["tools"]);
  const inner = placedElements(text, arrayIn(list?.value), list?.span)[within];
  return inner && placedWithin(text, inner, ["parameters"]);
}

export const edits: EditRecord<ResponsesOwn> = {
  instructions: ({ body }) => [
    contentText(body.instructions),
    ...itemsOf(body.input).flatMap((item) =>
      kindOf(item) === "instruction" ? [contentText(objectIn(item).content)] : [],
    ),
  ],
  instruct,
  note: (located, notes, { turns }) => noteSplices(located, notes, turns),
  finish,
};

/** Behind the instructions, which the API does not keep from one answer to the next. */
function instruct(located: LocatedBody, texts: readonly string[]): readonly Splice[] {
  const { instructions } = located.body;
  const place = located.members.get("instructions");
  if (place !== undefined && typeof instructions === "string") return [appended(place.end, instructions, texts)];
  if (instructions !== undefined && instructions !== null) return [];
  return [memberSplice(located, "instructions", JSON.stringify(texts.join("\n\n")))];
}

function appended(stringEnd: number, before: string, texts: readonly string[]): Splice {
  const joined = texts.join("\n\n");
  return insertion(stringEnd - 1, JSON.stringify(before === "" ? joined : `\n\n${joined}`).slice(1, -1));
}

function noteSplices(located: LocatedBody, notes: readonly Note[], turns: readonly number[]): readonly Splice[] {
  const { text, body, members } = located;
  const list = members.get("input");
  // Several steps may be told before the first turn.
  const placed = groupedNotes(
    notes.flatMap((note) => {
      const turn = note.atEnd === true ? BEFORE : turns[note.step];
      return turn === undefined ? [] : [{ ...note, step: turn }];
    }),
  );
  if (typeof body.input === "string") {
    const texts = placed.find(({ step }) => step === BEFORE)?.texts;
    return texts === undefined || list === undefined ? [] : [appended(list.end, body.input, texts)];
  }
  const items = placedElements(text, itemsOf(body.input), list);
  return placed.flatMap((note) => noteBehind(text, items, note));
}

function noteBehind(
  text: string,
  items: readonly LocatedValue<unknown>[],
  { step: turn, call, texts }: NotesAt,
): readonly Splice[] {
  const cut = turnsIn(items.map(({ value }) => value));
  const behind = turn === BEFORE ? cut.before : (cut.turns[turn]?.behind ?? []);
  const own = call === undefined ? undefined : behind.find((index) => objectIn(items[index]?.value).call_id === call);
  const last = items[own ?? behind.at(-1) ?? -1];
  if (last !== undefined && isObject(last.value)) {
    const key = kindOf(last.value) === "user" ? "content" : "output";
    return [extended(text, { value: last.value, span: last.span }, key, texts) ?? asMessage(last.span.end, texts)];
  }
  const ownItems = cut.turns[turn]?.ownItems ?? [];
  const end = items[ownItems.at(-1) ?? -1];
  // Nothing may come between a call and its result, which is still to come.
  const isOpen = ownItems.some((index) => ["call", "reference"].includes(kindOf(items[index]?.value)));
  return end === undefined || isOpen ? [] : [asMessage(end.span.end, texts)];
}

/** The texts at the end of what an item says. Undefined where that is of no known kind. */
function extended(
  text: string,
  { value, span }: LocatedValue<JsonObject>,
  key: "content" | "output",
  texts: readonly string[],
): Splice | undefined {
  const item = value[key];
  const place = membersOf(text, span).get(key);
  if (place === undefined) return undefined;
  if (typeof item === "string") return appended(place.end, item, texts);
  if (!Array.isArray(item) || !item.every(isPart)) return undefined;
  const parts = texts.map((one) => JSON.stringify({ type: "input_text", text: one })).join(",");
  return insertion(innerEnd(text, place), item.length === 0 ? parts : `,${parts}`);
}

/** Texts, images and files; what commands have printed is a list, too. */
function isPart(part: unknown): boolean {
  return String(objectIn(part).type).startsWith("input_");
}

function asMessage(at: number, texts: readonly string[]): Splice {
  const content = texts.map((text) => ({ type: "input_text", text }));
  return insertion(at, `,${JSON.stringify({ type: "message", role: "user", content })}`);
}

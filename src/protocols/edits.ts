import { type ActionCarrier, carrierOf } from "./dialects/dialects.ts";
import {
  arrayIn,
  innerEnd,
  insertion,
  isObject,
  type JsonObject,
  type LocatedBody,
  type LocatedValue,
  locatedBody,
  memberSplice,
  objectIn,
  placedElements,
  placedWithin,
  type Splice,
  spliced,
} from "./json/json.ts";
import type { Edit } from "./protocol.ts";

/** What of a format's requests may be changed, and how. */
export interface EditFormat {
  /** Texts of the client's own instructions. */
  instructions(located: LocatedBody): readonly string[];
  /** Appends texts to the instructions; none of the texts stands there yet. */
  instruct(located: LocatedBody, texts: readonly string[]): readonly Splice[];
  /** The entries of the history, where they are not simply the elements of its list. */
  entries?(located: LocatedBody): readonly LocatedValue<unknown>[];
  /** The entry brings a result, or a user said it. */
  isHeard(entry: unknown): boolean;
  bringsResult(entry: unknown, call: string): boolean;
  /** The texts at the end of what an entry says, or of the result of this call in it. */
  extended(
    text: string,
    entry: LocatedValue<JsonObject>,
    texts: readonly string[],
    call: string | undefined,
  ): readonly Splice[];
  /** The texts as an entry of their own behind a turn that nothing follows; none where the API refuses that. */
  inserted(entries: readonly LocatedValue<unknown>[], turn: number, texts: readonly string[]): readonly Splice[];
  /** The client's tools, as they stand in the request. */
  offers(located: LocatedBody): readonly PlacedTool[];
  /** Whether a tool may be offered alone: some APIs refuse that at times. */
  mayNarrow?(located: LocatedBody): boolean;
  /** Forbids all tools; none where nothing is offered. */
  silence(located: LocatedBody): readonly Splice[];
  /** Whether the model goes on where the last message ends, which then may be the assistant's. Missing: it never does. */
  mayBegin?(body: JsonObject): boolean;
  /** Paths at which a schema of the answer may stand. */
  readonly schemas: readonly (readonly string[])[];
}

/** A tool as it stands in a request. */
export interface PlacedTool {
  readonly name: string;
  readonly schema: LocatedValue<unknown> | undefined;
  /** Offers and chooses it alone, with these splices made in it. */
  alone(splices: readonly Splice[]): readonly Splice[];
}

/** The tools in a list of the body. @param read a tool's name, the path of its schema, and the member that chooses it alone */
export function placedTools(
  located: LocatedBody,
  list: string,
  read: (
    tool: JsonObject,
  ) =>
    | { readonly name: string; readonly schema: readonly string[]; readonly choice?: readonly [string, unknown] }
    | undefined,
): readonly PlacedTool[] {
  const { text, body, members } = located;
  return placedElements(text, arrayIn(body[list]), members.get(list)).flatMap((tool): readonly PlacedTool[] => {
    const offered = read(objectIn(tool.value));
    if (offered === undefined) return [];
    const { name, schema, choice } = offered;
    return [
      {
        name,
        schema: placedWithin(text, tool, schema),
        alone: (splices) => [
          memberSplice(located, list, `[${spliced(text, splices, tool.span)}]`),
          ...(choice === undefined ? [] : [memberSplice(located, choice[0], JSON.stringify(choice[1]))]),
        ],
      },
    ];
  });
}

/** The choice of no tool, where the list offers any: APIs refuse a choice where nothing is offered. */
export function silenced(located: LocatedBody, list: string, choice: string, none: string): readonly Splice[] {
  return arrayIn(located.body[list]).length === 0 ? [] : [memberSplice(located, choice, none)];
}

/** The texts at the end of a content: a text grows by paragraphs, a list by parts. None where it is of no known kind. */
export function appended(
  text: string,
  { value, span }: LocatedValue<unknown>,
  texts: readonly string[],
  partOf: (text: string) => object = (one) => ({ type: "text", text: one }),
): readonly Splice[] {
  if (typeof value === "string") {
    const more = texts.join("\n\n");
    return [insertion(span.end - 1, JSON.stringify(value === "" ? more : `\n\n${more}`).slice(1, -1))];
  }
  if (!Array.isArray(value)) return [];
  const parts = texts.map((one) => JSON.stringify(partOf(one))).join(",");
  return [insertion(innerEnd(text, span), value.length === 0 ? parts : `,${parts}`)];
}

/** What is remembered of the request whose text is changed. */
interface Source {
  readonly text: string;
  readonly turns: readonly number[];
  readonly isPrompt: boolean;
}

/** Carries the edits out on the text itself; what no edit touches stays byte for byte. */
export function rewritten(
  { edits: format, list }: { readonly edits: EditFormat; readonly list: string },
  source: Source,
  edits: readonly Edit[],
): string {
  const { text } = source;
  const located = edits.length === 0 ? undefined : locatedBody(text);
  if (located === undefined) return text;
  const preambles = new Set(edits.flatMap((edit) => (edit.kind === "preamble" && edit.text !== "" ? [edit.text] : [])));
  const systemTexts = preambles.size === 0 ? [] : format.instructions(located);
  const missing = [...preambles].filter((one) => !systemTexts.some((prompt) => prompt.includes(one)));
  const notes = edits.filter((edit) => edit.kind === "note");
  const finish = edits.findLast((edit) => edit.kind === "finish");
  const begin = edits.find((edit) => edit.kind === "begin");
  const splices = [
    ...(missing.length === 0 ? [] : format.instruct(located, missing)),
    ...(notes.length === 0 ? [] : noteSplices(format, located, list, source, notes)),
    ...(finish === undefined ? [] : finishSplices(format, located, finish.tool)),
    ...(begin !== undefined && format.mayBegin?.(located.body) ? beginSplices(located, list, begin.text) : []),
  ];
  return spliced(text, splices, { start: 0, end: text.length });
}

type Note = Extract<Edit, { kind: "note" }>;

/** A note stands behind the result that it is about, or at the end of what came back for its step. */
function noteSplices(
  format: EditFormat,
  located: LocatedBody,
  list: string,
  { turns, isPrompt }: Source,
  notes: readonly Note[],
): readonly Splice[] {
  const { text, body, members } = located;
  const entries = format.entries?.(located) ?? placedElements(text, arrayIn(body[list]), members.get(list));
  const places = new Map<string, Note[]>();
  for (const note of notes) {
    const place = JSON.stringify([isPrompt || note.atEnd ? "end" : (turns[note.step] ?? null), note.call]);
    places.set(place, [...(places.get(place) ?? []), note]);
  }
  return [...places.values()].flatMap((group) => {
    const [{ step, call, atEnd }] = group as [Note];
    const isAtEnd = isPrompt || atEnd === true;
    const turn = isAtEnd ? -1 : turns[step];
    if (turn === undefined) return [];
    const texts = group.map((note) => note.text);
    const next = turns.find((other, index) => index > step && other !== turn);
    const behind = isAtEnd ? entries : entries.slice(turn + 1, next);
    const own = call === undefined ? undefined : behind.find(({ value }) => format.bringsResult(value, call));
    const target = own ?? behind.findLast(({ value }) => format.isHeard(value));
    if (target !== undefined && isObject(target.value))
      return format.extended(text, { value: target.value, span: target.span }, texts, call);
    return entries[turn] === undefined ? [] : format.inserted(entries, turn, texts);
  });
}

/** A last message of the assistant, unless the client has begun one itself. */
function beginSplices({ text, body, members }: LocatedBody, list: string, content: string): readonly Splice[] {
  const span = members.get(list);
  const isBegun = objectIn(arrayIn(body[list]).at(-1)).role === "assistant";
  if (span === undefined || isBegun) return [];
  return [insertion(innerEnd(text, span), `,${JSON.stringify({ role: "assistant", content })}`)];
}

/** Lets the model only finish: by the tool of this name, by an action of this name that a tool or the answer carries, or by words. */
function finishSplices(format: EditFormat, located: LocatedBody, done: string | undefined): readonly Splice[] {
  const { text, body, span } = located;
  const mayNarrow = format.mayNarrow?.(located) !== false;
  const tools = format.offers(located);
  const named = tools.find(({ name }) => done !== undefined && name === done);
  if (named !== undefined) return mayNarrow ? named.alone([]) : [];
  // The agent's one tool for all it does is kept, but with no other action than the last.
  for (const tool of tools) {
    const narrowing = narrowed(text, tool.schema, done);
    if (narrowing !== undefined) return mayNarrow ? tool.alone(narrowing) : [];
  }
  const schemas = format.schemas.map((path) => placedWithin(text, { value: body, span }, path));
  const formats = schemas.map((place) => narrowed(text, place, done)).find((one) => one !== undefined);
  return [...format.silence(located), ...(formats ?? [])];
}

/** Leaves the last action alone in a schema that carries actions; undefined where it carries none of this name. */
function narrowed(
  text: string,
  schema: LocatedValue<unknown> | undefined,
  done: string | undefined,
): readonly Splice[] | undefined {
  const carrier = carrierOf(schema?.value, done);
  return schema === undefined || carrier === undefined ? undefined : narrowing(text, schema, carrier);
}

function narrowing(text: string, schema: LocatedValue<unknown>, { path, last }: ActionCarrier): readonly Splice[] {
  const place = placedWithin(text, schema, ["properties", ...path]);
  return place === undefined || last === undefined ? [] : [{ ...place.span, text: JSON.stringify(last) }];
}

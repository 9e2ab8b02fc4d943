import { type ActionCarrier, carrierOf } from "./dialects/dialects.ts";
import { type LocatedValue, placedWithin, type Splice, spliced } from "./json/json.ts";
import { type LocatedBody, locatedBody } from "./located-body.ts";
import type { Edit } from "./protocol.ts";
import type { EditFormat, FinishFormat, FormatRequest } from "./wire-format.ts";

/** Carries the edits out on the text itself; what no edit touches stays byte for byte. */
export function rewritten<Own>(
  { instructions, instruct, note, finish: finishFormat }: EditFormat<Own>,
  { text, own }: FormatRequest<Own>,
  edits: readonly Edit[],
): string {
  const located = edits.length === 0 ? undefined : locatedBody(text);
  if (located === undefined) return text;
  const preambles = new Set(edits.flatMap((edit) => (edit.kind === "preamble" && edit.text !== "" ? [edit.text] : [])));
  const systemTexts = preambles.size === 0 ? [] : instructions(located);
  const missing = [...preambles].filter((one) => !systemTexts.some((prompt) => prompt.includes(one)));
  const notes = edits.filter((edit) => edit.kind === "note");
  const finish = edits.findLast((edit) => edit.kind === "finish");
  const splices = [
    ...(missing.length === 0 ? [] : instruct(located, missing)),
    ...(notes.length === 0 ? [] : note(located, notes, own)),
    ...(finish === undefined ? [] : finishSplices(finishFormat, located, finish.tool)),
  ];
  return spliced(text, splices, { start: 0, end: text.length });
}

/** Lets the model only finish: by the tool of this name, by an action of this name that a tool or the answer carries, or by words. */
function finishSplices(
  { offers, mayNarrow, silence, schemas }: FinishFormat,
  located: LocatedBody,
  done: string | undefined,
): readonly Splice[] {
  const { text, body, span } = located;
  const tools = offers(located);
  const named = tools.find(({ name }) => done !== undefined && name === done);
  if (named !== undefined) return mayNarrow(located) ? named.alone([]) : [];
  // The agent's one tool for all it does is kept, but with no other action than the last.
  for (const tool of tools) {
    const narrowing = narrowed(text, tool.schema, done);
    if (narrowing !== undefined) return mayNarrow(located) ? tool.alone(narrowing) : [];
  }
  const schema = schemas.map((path) => placedWithin(text, { value: body, span }, path));
  const formats = schema.map((place) => narrowed(text, place, done)).find((one) => one !== undefined);
  return [...silence(located), ...(formats ?? [])];
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

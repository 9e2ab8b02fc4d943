import type { InputShape, JsonSchema, Shapes, ValueOf } from "../../shapes/shapes.ts";

/** What the API answers of a source: its type, its schema and its making are the same lines. */
export interface AnswerView<in Source, out Value = unknown> {
  readonly schema: JsonSchema;
  readonly of: (source: Source) => Value;
}

/** One value of an answer: what the document says of it, where it comes from, and how it is shown. */
export interface Field<in Source, out Value, in Raw = Value> {
  readonly schema: JsonSchema;
  /** Undefined: from the property of the same name. */
  readonly from: ((source: Source) => unknown) | undefined;
  readonly show: (raw: Raw) => Value;
  readonly isOptional?: true;
}

type Fields<Source> = Readonly<Record<string, Field<Source, unknown, never>>>;
type ValueIn<One> = One extends Field<never, infer Value, never> ? Value : never;
type OptionalNames<Shown> = {
  [Name in keyof Shown]: Shown[Name] extends { readonly isOptional: true } ? Name : never;
}[keyof Shown];
type Values<Shown> = { readonly [Name in Exclude<keyof Shown, OptionalNames<Shown>>]: ValueIn<Shown[Name]> } & {
  readonly [Name in OptionalNames<Shown>]?: ValueIn<Shown[Name]>;
};

function view<Source>() {
  return <const Shown extends Fields<Source>>(
    fields: Shown,
    description?: string,
  ): AnswerView<Source, Values<Shown>> & { readonly fields: Shown } => {
    const named = Object.entries(fields as Fields<Source>);
    return {
      fields,
      schema: {
        type: "object",
        properties: Object.fromEntries(named.map(([name, { schema }]) => [name, schema])),
        required: named.flatMap(([name, { isOptional }]) => (isOptional ? [] : name)),
        additionalProperties: false,
        ...(description !== undefined && { description }),
      },
      of(source) {
        const values: Record<string, unknown> = {};
        for (const [name, { from, show, isOptional }] of named) {
          const raw = from === undefined ? (source as Readonly<Record<string, unknown>>)[name] : from(source);
          if (raw !== undefined || !isOptional) values[name] = show(raw as never);
        }
        return values as Values<Shown>;
      },
    };
  };
}

const fieldOf =
  <Raw, Value = Raw>(schema: JsonSchema, show = (raw: Raw) => raw as unknown as Value) =>
  <Source>(description: string, from?: (source: Source) => Raw): Field<Source, Value, Raw> => ({
    schema: { ...schema, description },
    from,
    show,
  });

export const show = {
  view,
  text: fieldOf<string>({ type: "string" }),
  whole: fieldOf<number>({ type: "integer", minimum: 0 }),
  amount: fieldOf<number>({ type: "number", minimum: 0 }),
  number: fieldOf<number>({ type: "number" }),
  yesNo: fieldOf<boolean>({ type: "boolean" }),
  anything: fieldOf<unknown>({}),
  texts: fieldOf<readonly string[]>({ type: "array", items: { type: "string" } }),
  wholes: fieldOf<readonly number[]>({ type: "array", items: { type: "integer", minimum: 0 } }),
  counts: fieldOf<Readonly<Record<string, number>>>({
    type: "object",
    additionalProperties: { type: "integer", minimum: 0 },
  }),
  /** From Unix time in milliseconds, or from ISO 8601 as it is. */
  time: fieldOf<number | string, string>({ type: "string", format: "date-time" }, (at) => new Date(at).toISOString()),
  oneOf: <Source, Choice extends string = string>(
    choices: readonly Choice[],
    description: string,
    from?: (source: Source) => Choice,
  ): Field<Source, Choice> => fieldOf<Choice>({ type: "string", enum: choices })(description, from),
  orNull: <Source, Value, Raw>(
    { schema, from: own, show: showRaw }: Field<Source, Value, Raw>,
    from = own as ((source: Source) => Raw | null | undefined) | undefined,
  ): Field<Source, Value | null, Raw | null | undefined> => ({
    schema: { anyOf: [schema, { type: "null" }] },
    from,
    show: (raw) => (raw === null || raw === undefined ? null : showRaw(raw)),
  }),
  /** Left out where it is undefined. */
  maybe: <Source, Value, Raw>(field: Field<Source, Value, Raw>) => ({ ...field, isOptional: true }) as const,
  part: <Source, Raw, Value>(
    { schema, of }: AnswerView<Raw, Value>,
    from?: (source: Source) => Raw,
  ): Field<Source, Value, Raw> => ({ schema, from, show: of }),
  each: <Source, Raw, Value>(
    { schema: items, of }: AnswerView<Raw, Value>,
    description: string,
    from?: (source: Source) => readonly Raw[],
  ): Field<Source, readonly Value[], readonly Raw[]> => ({
    schema: { type: "array", items, description },
    from,
    show: (all) => all.map((one) => of(one)),
  }),
  /** What a shape lets pass, as it is: of a record that was read by it. */
  as: <Value>({ schema }: InputShape<Value>): AnswerView<Value, Value> => ({ schema, of: (value) => value }),
  /** Fields of such a record, each left out where it has none. */
  recordFields: <const Known extends Shapes>(shapes: Known) => {
    const fields = Object.entries(shapes).map(([name, { schema }]) => {
      return [name, { schema, from: undefined, show: (value: unknown) => value, isOptional: true }] as const;
    });
    return Object.fromEntries(fields) as unknown as {
      readonly [Name in keyof Known]: Field<object, ValueOf<Known[Name]>> & { readonly isOptional: true };
    };
  },
  object: (description: string): AnswerView<object, object> => ({
    schema: { type: "object", description },
    of: (source) => source,
  }),
  named: <Source, Value>(name: string, { of }: AnswerView<Source, Value>): AnswerView<Source, Value> => ({
    schema: { $ref: `#/components/schemas/${name}` },
    of,
  }),
};

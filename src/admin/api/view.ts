import type { JsonSchema } from "../../shapes/shapes.ts";

/** One value of an answer: what the document says of it, and where it comes from. */
export interface Field<in Source, out Value = unknown> {
  readonly schema: JsonSchema;
  /** Undefined: from the property of the same name. */
  readonly from: ((source: Source) => Value) | undefined;
}

export interface OptionalField<in Source, out Value> extends Field<Source, Value> {
  readonly isOptional: true;
}

/** What the API answers of a source: its type, its schema and its making are the same lines. */
export interface AnswerView<in Source, out Value = unknown> {
  readonly schema: JsonSchema;
  of(source: Source): Value;
}

export type ShownBy<Shown> = Shown extends AnswerView<never, infer Value> ? Value : never;

type Fields<Source> = Readonly<Record<string, Field<Source>>>;
type ValueIn<One> = One extends Field<never, infer Value> ? Value : never;
type OptionalNames<Shown> = {
  [Name in keyof Shown]: Shown[Name] extends { readonly isOptional: true } ? Name : never;
}[keyof Shown];
type Values<Shown> = { readonly [Name in Exclude<keyof Shown, OptionalNames<Shown>>]: ValueIn<Shown[Name]> } & {
  readonly [Name in OptionalNames<Shown>]?: ValueIn<Shown[Name]>;
};
type From<Source, Value> = (source: Source) => Value;

/** View of a source by fields; in its place stands a reference where the document has it under a name. */
export function view<Source>() {
  return <const Shown extends Fields<Source>>(
    shown: Shown,
    description?: string,
  ): AnswerView<Source, Values<Shown>> & { readonly fields: Shown } => {
    const fields = Object.entries<Field<Source>>(shown);
    return {
      fields: shown,
      schema: recordSchema(fields, description),
      of(source) {
        const values: Record<string, unknown> = {};
        for (const [name, { from }] of fields) {
          const value = from === undefined ? (source as Readonly<Record<string, unknown>>)[name] : from(source);
          if (value !== undefined) values[name] = value;
        }
        return values as Values<Shown>;
      },
    };
  };
}

/** Object schema with exactly these properties. */
export function recordSchema(
  fields: readonly (readonly [name: string, field: { readonly schema: JsonSchema }])[],
  description?: string,
): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
    required: fields.flatMap(([name, field]) => ("isOptional" in field ? [] : name)),
    additionalProperties: false,
    ...(description !== undefined && { description }),
  };
}

const fieldOf =
  <Value>(schema: JsonSchema) =>
  <Source>(description: string, from?: From<Source, Value>): Field<Source, Value> => ({
    schema: { ...schema, description },
    from,
  });

export const asText = fieldOf<string>({ type: "string" });
export const whole = fieldOf<number>({ type: "integer", minimum: 0 });
export const asAmount = fieldOf<number>({ type: "number", minimum: 0 });
export const number = fieldOf<number>({ type: "number" });
export const yesNo = fieldOf<boolean>({ type: "boolean" });
export const anything = fieldOf<unknown>({});
export const asTexts = fieldOf<readonly string[]>({ type: "array", items: { type: "string" } });
export const wholes = fieldOf<readonly number[]>({ type: "array", items: { type: "integer", minimum: 0 } });
/** Amounts by name. */
export const counts = fieldOf<Readonly<Record<string, number>>>({
  type: "object",
  additionalProperties: { type: "integer", minimum: 0 },
});

/** @param from gives Unix time in milliseconds; without it the property is ISO 8601 already */
export const time = <Source>(description: string, from?: From<Source, number>): Field<Source, string> => ({
  schema: { type: "string", format: "date-time", description },
  from: from && ((source) => new Date(from(source)).toISOString()),
});

export const asOneOf = <Source, Choice extends string = string>(
  choices: readonly Choice[],
  description: string,
  from?: From<Source, Choice>,
): Field<Source, Choice> => ({ schema: { type: "string", enum: choices, description }, from });

/** Null where `from` gives null. */
export const orNull = <Source, Value>(
  { schema, from: own }: Field<Source, Value>,
  from: From<Source, Value | null> | undefined = own,
): Field<Source, Value | null> => ({ schema: { anyOf: [schema, { type: "null" }] }, from });

/** Left out where it is undefined. */
export const maybe = <Source, Value>(field: Field<Source, Value>): OptionalField<Source, Value> => ({
  ...field,
  isOptional: true,
});

/** A value that is as its view says it already. */
export const asIs = <Value>({ schema }: AnswerView<never, Value>): Field<unknown, Value> => ({
  schema,
  from: undefined,
});

/** A list of such. */
export const asList = <Value>(
  { schema: items }: { readonly schema: JsonSchema; readonly of?: (source: never) => Value },
  description: string,
): Field<unknown, readonly Value[]> => ({ schema: { type: "array", items, description }, from: undefined });

/** In the document under a name. */
export const asRef = <Source, Value>(name: string, { of }: AnswerView<Source, Value>): AnswerView<Source, Value> => ({
  schema: { $ref: `#/components/schemas/${name}` },
  of,
});

/** The view of a part of the source. */
export const part = <Source, Inner, Value>(
  { schema, of }: AnswerView<Inner, Value>,
  from: From<Source, Inner>,
): Field<Source, Value> => ({ schema, from: (source) => of(from(source)) });

/** The same, and null where there is none. */
export const partOrNull = <Source, Inner, Value>(
  { schema, of }: AnswerView<Inner, Value>,
  from: From<Source, Inner | null | undefined>,
): Field<Source, Value | null> => ({
  schema: { anyOf: [schema, { type: "null" }] },
  from(source) {
    const inner = from(source);
    return inner === null || inner === undefined ? null : of(inner);
  },
});

/** The same of many parts. */
export const each = <Source, Inner, Value>(
  { schema: items, of }: AnswerView<Inner, Value>,
  description: string,
  from: From<Source, readonly Inner[]>,
): Field<Source, readonly Value[]> => ({
  schema: { type: "array", items, description },
  from: (source) => from(source).map(of),
});

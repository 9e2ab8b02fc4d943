import { shownValue, unknownField } from "../text/nearest-name.ts";
import { isMapping, type JsonSchema, type Path, type Report, type InputShape, type ValueOf } from "./shape.ts";
import { wrongKind } from "./values.ts";

/** A field that may be left out. */
export interface OptionalShape<out Value> extends InputShape<Value> {
  readonly isOptional: true;
}

export type Shapes = Readonly<Record<string, InputShape | OptionalShape<unknown>>>;

type OptionalNames<Known> = {
  [Name in keyof Known]: Known[Name] extends OptionalShape<unknown> ? Name : never;
}[keyof Known];

/** The type of an object with these fields. */
export type ObjectOf<Known> = {
  readonly [Name in Exclude<keyof Known, OptionalNames<Known>>]: ValueOf<Known[Name]>;
} & { readonly [Name in OptionalNames<Known>]?: ValueOf<Known[Name]> | undefined };

export function optional<Value>(shape: InputShape<Value>, description?: string): OptionalShape<Value> {
  const { schema } = shape;
  return { ...shape, isOptional: true, schema: description === undefined ? schema : { description, ...schema } };
}

/**
 * Object with exactly these fields; one that is missing and not optional is to its shape a value that is undefined.
 * @param wrong what to say of a value that is no object
 */
export function object<Known extends Shapes>(
  shapes: Known,
  wrong = (value: unknown) => wrongKind("a mapping of names to values", value),
): InputShape<ObjectOf<Known>> {
  const properties = schemasOf(shapes);
  const names = Object.keys(shapes);
  const required = names.filter((name) => !isOptional(shapes[name]));
  const missing = (name: string, path: Path, report: Report) => shapes[name]?.run(undefined, [...path, name], report);
  return {
    schema: { type: "object", properties, ...(required.length > 0 && { required }), additionalProperties: false },
    fields: shapes,
    run: fieldByField(shapes, { wrong, required, missing, unknown: (name) => unknownField(name, names) }),
  };
}

export function isOptional(shape: object | undefined): boolean {
  return shape !== undefined && "isOptional" in shape;
}

export function schemasOf(shapes: Shapes): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(shapes).map(([name, { schema }]) => [name, schema]));
}

export interface FieldsOptions {
  readonly required?: readonly string[];
}

const BRACES = "an object in braces";

/** Object of some of these fields, such as one that is laid over others. */
export function fields(shapes: Shapes, { required = [] }: FieldsOptions = {}): InputShape {
  const properties = schemasOf(shapes);
  const names = Object.keys(shapes);
  const wrong = (value: unknown) => `must be ${BRACES}, not ${shownValue(value)}.`;
  const missing = (name: string, path: Path, report: Report) => report({ path, problem: `must also say "${name}".` });
  const unknown = (name: string) => unknownField(name, names);
  return {
    schema: { type: "object", properties, additionalProperties: false, ...(required.length > 0 && { required }) },
    run: fieldByField(shapes, { wrong, required, missing, unknown }),
  };
}

interface Wording {
  readonly wrong: (value: unknown) => string;
  readonly unknown: (name: string) => string;
  readonly required: readonly string[];
  readonly missing: (name: string, path: Path, report: Report) => void;
}

/** Mistakes come in the order of the value, and what is missing behind them. */
function fieldByField(shapes: Shapes, { wrong, unknown, required, missing }: Wording): InputShape["run"] {
  return (value, path, report) => {
    if (!isMapping(value)) return report({ path, problem: wrong(value) });
    for (const [name, one] of Object.entries(value)) {
      const inner = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
      if (inner !== undefined) inner.run(one, [...path, name], report);
      else report({ path, field: name, problem: unknown(name) });
    }
    for (const name of required) if (!Object.hasOwn(value, name)) missing(name, path, report);
  };
}

export interface RecordOptions {
  /** Name of this kind of value in the message about another kind. */
  readonly kind?: string;
  /** Where a mistake in a name is told: of the record, or of the entry. */
  readonly nameAt?: "record" | "entry";
}

/** Object with any names that `name` lets pass. */
export function recordOf<Value>(
  name: InputShape,
  field: InputShape<Value>,
  { kind = BRACES, nameAt = "record" }: RecordOptions = {},
): InputShape<Readonly<Record<string, Value>>> {
  return {
    schema: { type: "object", propertyNames: name.schema, additionalProperties: field.schema },
    run(value, path, report) {
      if (!isMapping(value)) return report({ path, problem: wrongKind(kind, value) });
      for (const [key, one] of Object.entries(value)) {
        const inner: Path = [...path, key];
        // Some objects would lose it.
        if (key === "__proto__") report({ path: inner, problem: "must have another name." });
        name.run(key, nameAt === "entry" ? inner : path, report);
        field.run(one, inner, report);
      }
    },
  };
}

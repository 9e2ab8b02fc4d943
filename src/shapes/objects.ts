import { unknownField } from "../text/nearest-name.ts";
import { isMapping, type Path, type InputShape, type ValueOf } from "./shape.ts";
import { nullable, wrongKind } from "./values.ts";

export interface OptionalShape<out Value> extends InputShape<Value> {
  readonly isOptional: true;
}

export type Shapes = Readonly<Record<string, InputShape | OptionalShape<unknown>>>;

type OptionalNames<Known> = {
  [Name in keyof Known]: Known[Name] extends OptionalShape<unknown> ? Name : never;
}[keyof Known];

export type ObjectOf<Known> = {
  readonly [Name in Exclude<keyof Known, OptionalNames<Known>>]: ValueOf<Known[Name]>;
} & { readonly [Name in OptionalNames<Known>]?: ValueOf<Known[Name]> };

export function optional<Value>(shape: InputShape<Value>, description?: string): OptionalShape<Value> {
  const { schema } = shape;
  return { ...shape, isOptional: true, schema: description === undefined ? schema : { description, ...schema } };
}

/** A field of what is laid over something else: `null` takes away what the value below has there. */
export function removable<Value>(shape: InputShape<Value>): OptionalShape<Value> {
  return { ...(nullable(shape) as InputShape<Value>), isOptional: true };
}

/** Such a field may leave a file only by name, or a file that was cut would open what was closed. @param open the value that says so */
export function narrows<One extends InputShape>(shape: One, open: string): One {
  return { ...shape, narrows: open };
}

const MAPPING = "a mapping of names to values";

/** Object with exactly these fields; one that is missing is to its shape a value that is undefined. @param wrong what to say of what is no object */
export function object<Known extends Shapes>(
  shapes: Known,
  wrong = (value: unknown) => wrongKind(MAPPING, value),
): InputShape<ObjectOf<Known>> {
  const required = Object.keys(shapes).filter((name) => !("isOptional" in Object(shapes[name])));
  return fieldByField(shapes, required, wrong);
}

/** Object of some of these fields, which is laid over another one: all may be left out. */
export function overlay<Known extends Shapes>(shapes: Known): InputShape<ObjectOf<Known>> {
  return fieldByField(shapes, [], (value) => wrongKind(MAPPING, value));
}

/** Mistakes come in the order of the value, and what is missing behind them. */
function fieldByField<Value>(
  shapes: Shapes,
  required: readonly string[],
  wrong: (value: unknown) => string,
): InputShape<Value> {
  const properties = Object.fromEntries(Object.entries(shapes).map(([name, { schema }]) => [name, schema]));
  return {
    schema: { type: "object", properties, ...(required.length > 0 && { required }), additionalProperties: false },
    fields: shapes,
    run(value, path, report) {
      if (!isMapping(value)) return report({ path, problem: wrong(value) });
      for (const [name, one] of Object.entries(value)) {
        const inner = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
        if (inner !== undefined) inner.run(one, [...path, name], report);
        else {
          // Looked for when it is told alone: a stored record may have more fields than its shape.
          const meant = () => unknownField(name, Object.keys(shapes));
          report({
            path,
            field: name,
            get problem() {
              return meant();
            },
          });
        }
      }
      for (const name of required)
        if (!Object.hasOwn(value, name)) shapes[name]?.run(undefined, [...path, name], report);
    },
  };
}

/** Object with any names that `name` lets pass. @param kind name of this kind of value @param nameAt where a mistake in a name is told */
export function recordOf<Value>(
  name: InputShape,
  field: InputShape<Value>,
  { kind = MAPPING, nameAt = "record" }: { readonly kind?: string; readonly nameAt?: "record" | "entry" } = {},
): InputShape<Readonly<Record<string, Value>>> {
  return {
    schema: { type: "object", propertyNames: name.schema, additionalProperties: field.schema },
    items: field,
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

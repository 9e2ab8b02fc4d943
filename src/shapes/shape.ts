import { parseJson } from "../text/parse-json.ts";

export { isObject as isMapping } from "../text/is-object.ts";

/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Where a value stands: names of fields, and numbers in lists. */
export type Path = readonly (string | number)[];

/** A mistake: its place, and a sentence that goes on from there and says what would be right. */
export interface Problem {
  readonly path: Path;
  readonly problem: string;
  /** The field that should not be there, where that is the mistake. */
  readonly field?: string;
}

export type Report = (problem: Problem) => void;

/** Reports every mistake in a value of JSON or YAML, and describes as a JSON Schema what it lets pass. */
export interface InputShape<out Value = unknown> {
  readonly schema: JsonSchema;
  readonly run: (value: unknown, at: Path, report: Report) => void;
  /** What a text in an environment variable or behind a flag stands for; the text itself without it. */
  readonly fromText?: (text: string) => unknown;
  /** Of an object, for whoever looks at two values of one shape side by side. */
  readonly fields?: Readonly<Record<string, InputShape>> | undefined;
  /** Of a list, or of an object with names of its own. */
  readonly items?: InputShape | undefined;
  /** Narrower than its absence: how a value says that nothing is narrowed, as `never` does of an expiry. */
  readonly narrows?: string;
  /** The type of what passes; for the compiler alone, no shape has such a field. */
  readonly value?: Value;
}

export type ValueOf<One> = One extends InputShape<infer Value> ? Value : never;

/** Shape of one value by itself. @param problemIn undefined: it may pass */
export function check<Value = unknown>(
  schema: JsonSchema,
  problemIn: (value: unknown) => string | undefined,
): InputShape<Value> {
  return {
    schema,
    run(value, path, report) {
      const problem = problemIn(value);
      if (problem !== undefined) report({ path, problem });
    },
  };
}

/** All mistakes in a value. */
export function problemsIn({ run }: InputShape, value: unknown, at: Path = []): readonly Problem[] {
  const problems: Problem[] = [];
  run(value, at, (problem) => problems.push(problem));
  return problems;
}

/** A value as what its shape says it is, or all mistakes in it. */
export function read<Value>(
  shape: InputShape<Value>,
  value: unknown,
): { readonly value: Value } | { readonly problems: readonly Problem[] } {
  const problems = problemsIn(shape, value);
  return problems.length === 0 ? { value: value as Value } : { problems };
}

/** Whether a record is what its shape says. Fields that the shape does not name are let pass, for a newer build may write them. */
export function isRecord<Value>(shape: InputShape<Value>, value: unknown): value is Value {
  return problemsIn(shape, value).every(({ field }) => field !== undefined);
}

/** A stored text as such a record. Undefined for what is none: somebody else may have written it, or half of it. */
export function readRecord<Value>(shape: InputShape<Value>, json: string | undefined): Value | undefined {
  const value = json === undefined ? undefined : parseJson(json);
  return isRecord(shape, value) ? value : undefined;
}

/** A condition beyond the shape, which is looked at where all else is right. */
export function where<Value>(
  shape: InputShape<Value>,
  holds: (value: Value) => boolean,
  problem: string,
): InputShape<Value> {
  return {
    ...shape,
    run(value, path, report) {
      const inner = problemsIn(shape, value, path);
      inner.forEach(report);
      if (inner.length === 0 && !holds(value as Value)) report({ path, problem });
    },
  };
}

/** A path as people write it: `policy.tools.click.only[0]`. */
export function pathText(path: Path): string {
  return path.map((part, i) => (typeof part === "number" ? `[${part}]` : `${i === 0 ? "" : "."}${part}`)).join("");
}

import { meantInstead, shownValue, unknownField } from "../nearest-name.ts";

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

type Report = (problem: Problem) => void;
type Run = (value: unknown, at: Path, report: Report) => void;

/** Reports every mistake in a value of a policy's JSON, and describes as a JSON Schema what it lets pass. */
export interface Check {
  readonly run: Run;
  readonly schema: JsonSchema;
}

/** A check of one value by itself. @param problemIn undefined: it may pass */
export function check(schema: JsonSchema, problemIn: (value: unknown) => string | undefined): Check {
  return {
    schema,
    run(value, path, report) {
      const problem = problemIn(value);
      if (problem !== undefined) report({ path, problem });
    },
  };
}

/** All mistakes in a value. */
export function problemsIn({ run }: Check, value: unknown, at: Path = []): readonly Problem[] {
  const problems: Problem[] = [];
  run(value, at, (problem) => problems.push(problem));
  return problems;
}

/** A path as people write it: `policy.tools.click.only[0]`. */
export function pathText(path: Path): string {
  return path.map((part, i) => (typeof part === "number" ? `[${part}]` : `${i === 0 ? "" : "."}${part}`)).join("");
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface FieldsOptions {
  readonly required?: readonly string[];
  /** What fields are called now that had another name: the old one is a mistake that says so. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** Check of an object with exactly these fields. */
export function fields(
  known: Readonly<Record<string, Check>>,
  { required = [], renamed = {} }: FieldsOptions = {},
): Check {
  const names = Object.keys(known);
  const properties = Object.fromEntries(Object.entries(known).map(([name, { schema }]) => [name, schema]));
  return {
    schema: { type: "object", properties, additionalProperties: false, ...(required.length > 0 && { required }) },
    run(value, path, report) {
      for (const [name, field] of entriesOf(value, path, report)) {
        const inner = Object.hasOwn(known, name) ? known[name] : undefined;
        if (inner !== undefined) inner.run(field, [...path, name], report);
        else report({ path, field: name, problem: unknownOrRenamed(name, names, renamed) });
      }
      if (!isObject(value)) return;
      for (const name of required)
        if (!Object.hasOwn(value, name)) report({ path, problem: `must also say "${name}".` });
    },
  };
}

function unknownOrRenamed(name: string, names: readonly string[], renamed: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(renamed, name)) return `has no "${name}": it is called "${renamed[name]}" now.`;
  return unknownField(name, names);
}

/** Check of an object with any names that `name` lets pass. */
export function recordOf(name: Check, field: Check): Check {
  return {
    schema: { type: "object", propertyNames: name.schema, additionalProperties: field.schema },
    run(value, path, report) {
      for (const [key, one] of entriesOf(value, path, report)) {
        name.run(key, path, report);
        field.run(one, [...path, key], report);
      }
    },
  };
}

function entriesOf(value: unknown, path: Path, report: Report): readonly [string, unknown][] {
  if (isObject(value)) return Object.entries(value);
  report({ path, problem: `must be an object in braces, not ${shownValue(value)}.` });
  return [];
}

/** `null` takes away what the policy below has there. */
export function removable({ schema, run }: Check): Check {
  return {
    schema: { anyOf: [schema, { type: "null" }] },
    run(value, path, report) {
      if (value !== null) run(value, path, report);
    },
  };
}

export function oneOfChoices(...choices: readonly string[]): Check {
  const said = choices.map((choice) => `"${choice}"`).join(", ");
  return check({ enum: choices }, (value) => {
    if (typeof value === "string" && choices.includes(value)) return undefined;
    const meant = typeof value === "string" ? meantInstead(value, choices) : ".";
    return `must be ${choices.length > 1 ? "one of " : ""}${said}, not ${shownValue(value, choices)}${meant}`;
  });
}

/** One of the words, or what the other check lets pass. */
export function orElse(word: string, { schema, run }: Check): Check {
  return {
    schema: { anyOf: [{ const: word }, schema] },
    run(value, path, report) {
      if (value === word) return;
      if (typeof value === "string")
        report({ path, problem: `must be "${word}" or set out, not ${shownValue(value, [word])}.` });
      else run(value, path, report);
    },
  };
}

export function wholeNumberFrom(least: number): Check {
  return check({ type: "integer", minimum: least }, (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least
      ? undefined
      : `must be a whole number of at least ${least}, not ${numberOrKind(value)}.`,
  );
}

export const share = check({ type: "number", minimum: 0, maximum: 1 }, (value) =>
  typeof value === "number" && value >= 0 && value <= 1
    ? undefined
    : `must be a number from 0 to 1, not ${numberOrKind(value)}.`,
);

/** Money, which may have a fraction. */
export const amount = check({ type: "number", minimum: 0 }, (value) =>
  typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY
    ? undefined
    : `must be a number of at least 0, not ${numberOrKind(value)}.`,
);

export const yesOrNo = check({ type: "boolean" }, (value) =>
  typeof value === "boolean" ? undefined : `must be true or false, not ${shownValue(value)}.`,
);

export const text = check({ type: "string", minLength: 1 }, (value) =>
  typeof value === "string" && value !== "" ? undefined : `must be a text in quotes, not ${shownValue(value)}.`,
);

/** A list of what the check lets pass. */
export function list({ schema, run }: Check, example = ""): Check {
  return {
    schema: { type: "array", items: schema },
    run(value, path, report) {
      if (Array.isArray(value)) for (const [i, one] of value.entries()) run(one, [...path, i], report);
      else report({ path, problem: `must be a list in brackets${example}, not ${shownValue(value)}.` });
    },
  };
}

export const texts = list(text, ', such as ["done"]');

/** A number in the place of another one. */
function numberOrKind(value: unknown): string {
  return typeof value === "number" ? String(value) : shownValue(value);
}

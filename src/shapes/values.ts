import { meantInstead, shownValue } from "../text/nearest-name.ts";
import { check, type InputShape } from "./shape.ts";

/** Problem with a value of the wrong kind. @param kind in words, such as "a list" */
export function wrongKind(kind: string, value: unknown): string {
  return value === undefined ? "is missing." : `must be ${kind}, not ${shownValue(value)}.`;
}

/** `null` takes away what the value below has there. */
export function removable<Value>({ schema, run }: InputShape<Value>): InputShape<Value | null> {
  return {
    schema: { anyOf: [schema, { type: "null" }] },
    run(value, path, report) {
      if (value !== null) run(value, path, report);
    },
  };
}

export function oneOfChoices<const Choice extends string>(...choices: readonly Choice[]): InputShape<Choice> {
  const choiceList = choices.map((choice) => `"${choice}"`).join(", ");
  return check({ enum: choices }, (value) => {
    if (choices.some((choice) => choice === value)) return undefined;
    const meant = typeof value === "string" ? meantInstead(value, choices) : ".";
    return `must be ${choices.length > 1 ? "one of " : ""}${choiceList}, not ${shownValue(value, choices)}${meant}`;
  });
}

/** One of the words, or what the other shape lets pass. */
export function orElse(word: string, { schema, run }: InputShape): InputShape {
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

/** A text, or what the other shape lets pass. */
export function textOr<Value>(one: InputShape<string>, other: InputShape<Value>): InputShape<string | Value> {
  return {
    schema: { anyOf: [one.schema, other.schema] },
    run: (value, path, report) => (typeof value === "string" ? one : other).run(value, path, report),
  };
}

export function wholeNumberFrom(least: number, most?: number): InputShape<number> {
  const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  const isWithin = (value: number) => value >= least && (most === undefined || value <= most);
  return check({ type: "integer", minimum: least, ...(most !== undefined && { maximum: most }) }, (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && isWithin(value)
      ? undefined
      : `must be a whole number ${range}, not ${numberOrKind(value)}.`,
  );
}

export const share: InputShape<number> = check({ type: "number", minimum: 0, maximum: 1 }, (value) =>
  typeof value === "number" && value >= 0 && value <= 1
    ? undefined
    : `must be a number from 0 to 1, not ${numberOrKind(value)}.`,
);

/** Money, which may have a fraction. */
export const amount: InputShape<number> = check({ type: "number", minimum: 0 }, (value) =>
  typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY
    ? undefined
    : `must be a number of at least 0, not ${numberOrKind(value)}.`,
);

export const yesOrNo: InputShape<boolean> = check({ type: "boolean" }, (value) =>
  typeof value === "boolean" ? undefined : `must be true or false, not ${shownValue(value)}.`,
);

export const text: InputShape<string> = check({ type: "string", minLength: 1 }, (value) =>
  typeof value === "string" && value !== "" ? undefined : `must be a text in quotes, not ${shownValue(value)}.`,
);

/** Any text, also an empty one. */
export const anyText: InputShape<string> = check({ type: "string" }, (value) =>
  typeof value === "string" ? undefined : wrongKind("a text", value),
);

/** In characters. */
export function textOfLength(least: number, most: number): InputShape<string> {
  return check({ type: "string", minLength: least, maxLength: most }, (value) =>
    typeof value === "string" && value.length >= least && value.length <= most
      ? undefined
      : `must be a text of ${least} to ${most} characters.`,
  );
}

/** A list of what the shape lets pass. */
export function list<Value>(
  { schema, run }: InputShape<Value>,
  kind = "a list in brackets",
): InputShape<readonly Value[]> {
  return {
    schema: { type: "array", items: schema },
    run(value, path, report) {
      if (Array.isArray(value)) for (const [i, one] of value.entries()) run(one, [...path, i], report);
      else report({ path, problem: wrongKind(kind, value) });
    },
  };
}

export const texts = list(text, 'a list in brackets, such as ["done"]');

/** A number in the place of another one. */
export function numberOrKind(value: unknown): string {
  if (typeof value === "number") return String(value);
  return `${shownValue(value)}${typeof value === "string" ? "; write the digits alone" : ""}`;
}

import { meantInstead, shownValue } from "../text/nearest-name.ts";
import { check, type InputShape } from "./shape.ts";

/** Problem with a value of the wrong kind. @param kind in words, such as "a list" */
export function wrongKind(kind: string, value: unknown): string {
  return value === undefined ? "is missing." : `must be ${kind}, not ${shownValue(value)}.`;
}

export function oneOfChoices<const Choice extends string>(...choices: readonly Choice[]): InputShape<Choice> {
  const choiceList = choices.map((choice) => `"${choice}"`).join(", ");
  return check({ enum: choices }, (value) => {
    if (choices.some((choice) => choice === value)) return undefined;
    const meant = typeof value === "string" ? meantInstead(value, choices) : ".";
    return `must be ${choices.length > 1 ? "one of " : ""}${choiceList}, not ${shownValue(value, choices)}${meant}`;
  });
}

/** What one of two shapes lets pass. @param isFirst which of them a value is held against */
function either<First, Second>(
  first: InputShape<First>,
  second: InputShape<Second>,
  isFirst: (value: unknown) => boolean,
): InputShape<First | Second> {
  return {
    fields: first.fields ?? second.fields,
    items: first.items ?? second.items,
    schema: { anyOf: [first.schema, second.schema] },
    run: (value, path, report) => (isFirst(value) ? first : second).run(value, path, report),
  };
}

/** What the shape lets pass, or null. */
export function nullable<Value>(shape: InputShape<Value>): InputShape<Value | null> {
  const nothing = check<null>({ type: "null" }, () => undefined);
  return either(shape, nothing, (value) => value !== null);
}

/** A text, or what the other shape lets pass. */
export function textOr<Text extends string, Value>(one: InputShape<Text>, other: InputShape<Value>) {
  return either(one, other, (value) => typeof value === "string");
}

/** One word, or what the other shape lets pass. */
export function orElse<const Word extends string, Value>(word: Word, other: InputShape<Value>) {
  const only = check<Word>({ const: word }, (value) =>
    value === word ? undefined : `must be "${word}" or set out, not ${shownValue(value, [word])}.`,
  );
  return textOr(only, other);
}

export function wholeNumberFrom(least: number, most = Number.MAX_SAFE_INTEGER): InputShape<number> {
  return numberFrom(least, most, "integer");
}

export const share: InputShape<number> = numberFrom(0, 1);

/** Money, which may have a fraction. */
export const amount: InputShape<number> = numberFrom(0, Number.MAX_SAFE_INTEGER);

/** A number from `least` to `most`; an integer has no fraction. */
export function numberFrom(least: number, most: number, type: "number" | "integer" = "number"): InputShape<number> {
  const isBounded = most < Number.MAX_SAFE_INTEGER;
  const range = isBounded ? `from ${least} to ${most}` : `of at least ${least}`;
  const fits = type === "integer" ? Number.isSafeInteger : Number.isFinite;
  return {
    ...check({ type, minimum: least, ...(isBounded && { maximum: most }) }, (value) =>
      typeof value === "number" && fits(value) && value >= least && value <= most
        ? undefined
        : `must be a ${type === "integer" ? "whole number" : "number"} ${range}, not ${shownNumber(value)}.`,
    ),
    fromText: (text) => (/^-?[\d.]{1,20}$/.test(text) ? Number(text) : text),
  };
}

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
  { schema, run, ...rest }: InputShape<Value>,
  kind = "a list in brackets",
): InputShape<readonly Value[]> {
  return {
    schema: { type: "array", items: schema },
    items: { schema, run, ...rest },
    run(value, path, report) {
      if (Array.isArray(value)) for (const [i, one] of value.entries()) run(one, [...path, i], report);
      else report({ path, problem: wrongKind(kind, value) });
    },
  };
}

export const texts = list(text, 'a list in brackets, such as ["done"]');

function shownNumber(value: unknown): string {
  if (typeof value === "number") return String(value);
  return `${shownValue(value)}${typeof value === "string" ? "; write the digits alone" : ""}`;
}

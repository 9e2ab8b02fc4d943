import type { z } from "zod";
import { meantInstead, shownValue, unknownField } from "../nearest-name.ts";

type Issue = z.core.$ZodRawIssue;

/** One line for each key, since each has a place of its own; they are taken apart where places are found. */
export function unknownKeys(unknown: readonly string[], names: readonly string[]): string {
  return unknown.map((key) => unknownField(key, names)).join("\n");
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "a mapping of names to values",
  record: "a mapping of names to values",
  array: "a list",
};

/** What would be right, in words. */
export function inWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if ((issue.path ?? []).length === 0) return wrongFile(issue.input);
      return issue.input === undefined
        ? "is missing"
        : `must be ${KINDS[issue.expected] ?? issue.expected}, not ${issue.expected === "int" ? numberOrKind(issue.input) : shownValue(issue.input)}`;
    case "invalid_value":
      return oneOf(issue.values.map(String), issue.input);
    case "too_small":
    case "too_big":
      return `must be ${issue.code === "too_small" ? `at least ${issue.minimum}` : `at most ${issue.maximum}`}, not ${numberOrKind(issue.input)}`;
    case "invalid_key":
      return issue.issues.map(({ message }) => message).join("; ");
    default:
      return undefined;
  }
}

/** What is no configuration at all may be a file of secrets, or one in the middle of being written. */
function wrongFile(input: unknown): string {
  return (input ?? null) === null
    ? "is empty; a file that is to change nothing says {}"
    : "must be a mapping of names to values, such as `policy: default`";
}

function oneOf(values: readonly string[], input: unknown): string {
  const meant = typeof input === "string" ? meantInstead(input, values) : "";
  return `must be one of ${values.map((value) => `"${value}"`).join(", ")}, not ${shownValue(input, values)}${meant}`;
}

/** A number in the place of another one. */
function numberOrKind(value: unknown): string {
  return typeof value === "number" ? String(value) : shownValue(value);
}

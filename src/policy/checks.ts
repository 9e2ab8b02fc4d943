import { UnloopError } from "../errors.ts";
import { nearestName } from "../nearest-name.ts";

/** Says where a policy's JSON is wrong, in words that also say what would be right. @throws UnloopError `bad_setting` */
export type Check = (value: unknown, at: string) => void;

export function refuse(at: string, problem: string): never {
  throw new UnloopError("bad_setting", `${at} ${problem}`);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** These fields and no others. */
export function fields(known: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  const names = Object.keys(known);
  return (value, at) => {
    for (const [name, field] of entriesOf(value, at)) {
      const check = Object.hasOwn(known, name) ? known[name] : undefined;
      if (check === undefined) refuse(at, `has no "${name}"; did you mean "${nearestName(name, names)}"?`);
      check(field, `${at}.${name}`);
    }
    for (const name of required) if (!Object.hasOwn(Object(value), name)) refuse(at, `must also say "${name}".`);
  };
}

/** Any names that `name` lets pass. */
export function recordOf(name: Check, field: Check): Check {
  return (value, at) => {
    for (const [key, one] of entriesOf(value, at)) {
      name(key, at);
      field(one, `${at}.${key}`);
    }
  };
}

function entriesOf(value: unknown, at: string): readonly [string, unknown][] {
  if (!isObject(value)) refuse(at, `must be an object in braces, not ${shown(value)}.`);
  return Object.entries(value);
}

/** `null` takes away what the policy below has there. */
export function removable(check: Check): Check {
  return (value, at) => {
    if (value !== null) check(value, at);
  };
}

export function oneOfChoices(...choices: readonly string[]): Check {
  const said = choices.map((choice) => `"${choice}"`).join(", ");
  return (value, at) => {
    if (typeof value === "string" && choices.includes(value)) return;
    const meant = typeof value === "string" ? `; did you mean "${nearestName(value, choices)}"?` : ".";
    refuse(at, `must be ${choices.length > 1 ? "one of " : ""}${said}, not ${shown(value)}${meant}`);
  };
}

/** One of the words, or what the other check lets pass. */
export function orElse(word: string, check: Check): Check {
  return (value, at) => {
    if (typeof value === "string" && value !== word) refuse(at, `must be "${word}" or set out, not ${shown(value)}.`);
    if (value !== word) check(value, at);
  };
}

export function wholeNumberFrom(least: number): Check {
  return (value, at) => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return;
    refuse(at, `must be a whole number of at least ${least}, not ${shown(value)}.`);
  };
}

export const share: Check = (value, at) => {
  if (typeof value !== "number" || !(value >= 0 && value <= 1))
    refuse(at, `must be a number from 0 to 1, not ${shown(value)}.`);
};

/** Money, which may have a fraction. */
export const amount: Check = (value, at) => {
  if (typeof value !== "number" || !(value >= 0 && value < Number.POSITIVE_INFINITY))
    refuse(at, `must be a number of at least 0, not ${shown(value)}.`);
};

export const yesOrNo: Check = (value, at) => {
  if (typeof value !== "boolean") refuse(at, `must be true or false, not ${shown(value)}.`);
};

export const text: Check = (value, at) => {
  if (typeof value !== "string" || value === "") refuse(at, `must be a text in quotes, not ${shown(value)}.`);
};

/** A list of what the check lets pass. */
export function list(check: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) refuse(at, `must be a list in brackets, not ${shown(value)}.`);
    for (const [i, one] of value.entries()) check(one, `${at}[${i}]`);
  };
}

export const texts: Check = (value, at) => {
  if (!Array.isArray(value)) refuse(at, `must be a list in brackets, such as ["done"], not ${shown(value)}.`);
  for (const [i, one] of value.entries()) text(one, `${at}[${i}]`);
};

function shown(value: unknown): string {
  const written = JSON.stringify(value) ?? "undefined";
  return written.length > 40 ? `${written.slice(0, 40).toWellFormed()}…` : written;
}

import type { GuardOptions, JudgeOptions, UnloopOptions } from "./assembled-guard.ts";
import { type Setting, settingsTable } from "./config/config.ts";
import { UnloopError } from "./errors.ts";
import { policyNamed, presetNames } from "./policy/policy.ts";
import type { Stores } from "./store/store.ts";
import { isObject } from "./text/is-object.ts";
import { shownValue, unknownField } from "./text/nearest-name.ts";

/** Throws what is wrong with a value; undefined values never come here. */
type Check = (value: unknown, name: string) => void;

/** An error of the caller's own code, with the code that the server's errors have, too. */
class OptionError extends TypeError {
  readonly code = "bad_setting";
}

/** @throws TypeError with the option, what it may be, and what was probably meant */
export function checkOptions(options: UnloopOptions): void {
  checkFields(options, "unloop(options): options", optionChecks);
}

function checkFields(value: unknown, name: string, checks: Readonly<Record<string, Check>>): void {
  if (!isObject(value)) throw wrong(name, "an object", value);
  for (const [field, given] of Object.entries(value)) {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    if (check === undefined) throw new OptionError(`${name} ${unknownField(field, Object.keys(checks))}`);
    if (given !== undefined) asOptionError(() => check(given, `${name}.${field}`));
  }
}

function asOptionError(run: () => void): void {
  try {
    run();
  } catch (error) {
    throw error instanceof UnloopError ? new OptionError(error.message, { cause: error }) : error;
  }
}

function wrong(name: string, what: string, value: unknown): OptionError {
  return new OptionError(
    `${name} must be ${what}, not ${typeof value === "function" ? "a function" : shownValue(value)}.`,
  );
}

/** An option means what the setting of this name means, and is held to what that may be. */
function likeSetting(setting: keyof typeof settingsTable, type: "text" | "number"): Check {
  const { parse }: Setting = settingsTable[setting];
  return (value, name) => {
    if (type === "text" && typeof value !== "string") throw wrong(name, "a text", value);
    if (type === "number" && typeof value !== "number") throw wrong(name, "a number", value);
    parse(String(value), name, presetNames);
  };
}

const number = (setting: keyof typeof settingsTable) => likeSetting(setting, "number");
const text = (setting: keyof typeof settingsTable) => likeSetting(setting, "text");

const isBoolean: Check = (value, name) => {
  if (typeof value !== "boolean") throw wrong(name, "true or false", value);
};

const isText: Check = (value, name) => {
  if (typeof value !== "string" || value === "") throw wrong(name, "a text of at least one character", value);
};

const isFunction: Check = (value, name) => {
  if (typeof value !== "function") throw wrong(name, "a function", value);
};

const isUrl: Check = (value, name) => {
  if (!(value instanceof URL) && typeof value !== "string") throw wrong(name, "a URL", value);
  if (value === "") throw new OptionError(`${name} must be a whole http or https URL, such as https://api.openai.com.`);
  settingsTable.upstream.parse(String(value), name);
};

const areUpstreams: Check = (value, name) => {
  if (!isObject(value)) throw wrong(name, 'an object such as { "/groq": "https://api.groq.com/openai" }', value);
  for (const [prefix, url] of Object.entries(value)) {
    if (!/^\/[\w./-]*$/.test(prefix))
      throw new OptionError(`${name}: ${shownValue(prefix)} is not the beginning of a path, such as /groq.`);
    isUrl(url, `${name}["${prefix}"]`);
  }
};

const isPolicy: Check = (value, name) => {
  if (typeof value === "string") {
    policyNamed(value);
    return;
  }
  // Looked at from outside alone: a policy that throws lets requests pass.
  const isWhole = isObject(value) && ["name", "ladders", "runaway"].every((field) => field in value);
  if (!isWhole)
    throw wrong(
      name,
      "the name of a preset, a policy as JSON text, or what policyFrom(…) gives for some of its fields",
      value,
    );
};

/** Has these functions. */
const hasFunctions =
  (...names: readonly string[]): Check =>
  (value, name) => {
    if (!isObject(value)) throw wrong(name, `an object with ${names.join(", ")}`, value);
    const missing = names.find((one) => typeof value[one] !== "function");
    if (missing !== undefined)
      throw new OptionError(`${name} has no function ${missing}; it needs ${names.join(", ")}.`);
  };

const storeFunctions: Readonly<Record<Exclude<keyof Stores, "isShared" | "heldBytes" | "sessionDirectives">, Check>> = {
  sessions: hasFunctions("read", "write", "remove", "close"),
  counters: hasFunctions("add", "read"),
  journal: hasFunctions("append", "recent", "page", "after"),
  directory: hasFunctions("note", "find", "page", "remove"),
  directives: hasFunctions("put", "remove", "read"),
};

const areStores: Check = (value, name) => {
  if (!isObject(value)) throw wrong(name, "stores such as memoryStores() makes them", value);
  for (const [field, check] of Object.entries(storeFunctions)) check(value[field], `${name}.${field}`);
  isBoolean(value.isShared, `${name}.isShared`);
};

const judgeChecks: Readonly<Record<keyof JudgeOptions, Check>> = {
  upstream: isUrl,
  key: isText,
  model: isText,
  timeoutMs: number("judgeTimeoutMs"),
};

const isJudge: Check = (value, name) => {
  checkFields(value, name, judgeChecks);
  const { upstream, model } = value as Partial<JudgeOptions>;
  if (upstream === undefined || model === undefined)
    throw new OptionError(
      `${name} needs upstream and model, such as { upstream: "https://api.openai.com", model: "gpt-5-mini" }.`,
    );
};

const optionChecks: Readonly<Record<keyof GuardOptions, Check>> = {
  upstream: isUrl,
  upstreams: areUpstreams,
  policy: isPolicy,
  mode: text("mode"),
  allowClientOverrides: isBoolean,
  storeDeadlineMs: number("storeDeadlineMs"),
  maxBodyBytes: number("maxBodyBytes"),
  tenantHeader: text("tenantHeader"),
  sessionNames: text("sessionNames"),
  unreadable: text("unreadable"),
  sessionTtlMs: number("sessionTtlMs"),
  stores: areStores,
  onStoreChange: isFunction,
  meter: hasFunctions("exchange", "intervention", "spent", "failed", "storeFailed", "judged"),
  observer: isFunction,
  secret: text("secret"),
  transport: hasFunctions("accept", "send", "close"),
  log: hasFunctions("debug", "info", "warn", "error"),
  judge: isJudge,
  gatherMs: (value, name) => {
    if (value !== 0) number("sessionTtlMs")(value, name);
  },
  outlive: isFunction,
};

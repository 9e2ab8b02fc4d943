import type { GuardOptions, UnloopOptions } from "./assembled-guard.ts";
import { settingsTable } from "./config/config.ts";
import { UnloopError } from "./errors.ts";
import { policyNamed } from "./policy/policy.ts";
import {
  baseUrl,
  check,
  type InputShape,
  isMapping,
  object,
  optional,
  pathPrefix,
  pathText,
  problemsIn,
  recordOf,
  text,
  wholeNumberFrom,
  where,
  wrongKind,
  yesOrNo,
} from "./shapes/shapes.ts";

/** An error of the caller's own code, with the code that the server's errors have, too. */
class OptionError extends TypeError {
  readonly code = "bad_setting";
}

/** @throws TypeError with the option, what it may be, and what was probably meant */
export function checkOptions(options: UnloopOptions): void {
  const [problem] = problemsIn(optionsShape, options, ["options"]);
  if (problem !== undefined) throw new OptionError(`unloop(options): ${pathText(problem.path)} ${problem.problem}`);
}

/** What is undefined is left out. */
const given = <Value>(shape: InputShape<Value>) =>
  optional({ ...shape, run: (value, at, report) => value !== undefined && shape.run(value, at, report) });

const isFunction = check({}, (value) => (typeof value === "function" ? undefined : wrongKind("a function", value)));

/** Has these functions, beside whatever else. */
const functions = (...names: readonly string[]) =>
  check({}, (value) => {
    if (!isMapping(value)) return wrongKind(`an object with ${names.join(", ")}`, value);
    const missing = names.find((name) => typeof value[name] !== "function");
    return missing && `has no function ${missing}; it needs ${names.join(", ")}.`;
  });

const policy = check({}, (value) => {
  if (typeof value === "string") return whyRefused(value);
  // Looked at from outside alone: a policy that throws lets requests pass.
  const isWhole = isMapping(value) && ["name", "ladders", "runaway"].every((field) => field in value);
  const kind = "the name of a preset, a policy as JSON text, or what policyFrom(…) gives for some of its fields";
  return isWhole ? undefined : wrongKind(kind, value);
});

function whyRefused(policyText: string): string | undefined {
  try {
    policyNamed(policyText, "");
    return undefined;
  } catch (error) {
    if (error instanceof UnloopError) return error.message.trim();
    throw error;
  }
}

const storeParts: readonly (readonly [part: string, shape: InputShape])[] = [
  ["sessions", functions("read", "write", "remove", "close")],
  ["counters", functions("add", "read")],
  ["journal", functions("append", "page")],
  ["directory", functions("note", "find", "page")],
  ["directives", functions("put", "remove", "read")],
  ["isShared", yesOrNo],
];

const stores: InputShape = {
  schema: {},
  run(value, at, report) {
    if (!isMapping(value))
      return report({ path: at, problem: wrongKind("stores such as memoryStores() makes them", value) });
    for (const [part, { run }] of storeParts) run(value[part], [...at, part], report);
  },
};

const judge = where(
  object({
    upstream: given(baseUrl),
    key: given(text),
    model: given(text),
    timeoutMs: given(wholeNumberFrom(1)),
  }),
  ({ upstream, model }) => upstream !== undefined && model !== undefined,
  'needs upstream and model, such as { upstream: "https://api.openai.com", model: "gpt-5-mini" }.',
);

const like = (name: keyof typeof settingsTable) => given<unknown>(settingsTable[name].shape);

const optionsShape = object(
  {
    upstream: given(baseUrl),
    upstreams: given(recordOf(pathPrefix, baseUrl)),
    policy: given(policy),
    mode: like("mode"),
    allowClientOverrides: given(yesOrNo),
    storeDeadlineMs: like("storeDeadlineMs"),
    maxBodyBytes: like("maxBodyBytes"),
    tenantHeader: like("tenantHeader"),
    sessionNames: like("sessionNames"),
    unreadable: like("unreadable"),
    sessionTtlMs: like("sessionTtlMs"),
    stores: given(stores),
    onStoreChange: given(isFunction),
    meter: given(functions("exchange", "intervention", "spent", "failed", "storeFailed", "judged")),
    observer: given(isFunction),
    secret: like("secret"),
    transport: given(functions("accept", "send", "close")),
    log: given(functions("debug", "info", "warn", "error")),
    judge: given(judge),
    gatherMs: given(wholeNumberFrom(0)),
    outlive: given(isFunction),
  } satisfies Readonly<Record<keyof GuardOptions, InputShape>>,
  (value) => (value === undefined ? "must be an object, not nothing." : wrongKind("an object", value)),
);

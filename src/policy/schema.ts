import { type DetectorName, detectorNames, grades, type DetectorSetting, settingTables } from "../engine/engine.ts";
import { nearestName } from "../text/nearest-name.ts";
import {
  amount,
  check,
  fields,
  list,
  oneOfChoices,
  orElse,
  problemsIn,
  recordOf,
  removable,
  type InputShape,
  share,
  text,
  textOr,
  texts,
  wholeNumberFrom,
  yesOrNo,
} from "../shapes/shapes.ts";
import { type BudgetLimits, MILLIONTHS, type Price, stages } from "./budget.ts";
import {
  type ActionRule,
  actionTypes,
  type Judge,
  type Policy,
  type Preamble,
  type PromptTerms,
  type RunawayTerms,
  type ToolTerms,
} from "./policy-type.ts";
import { languages, places, sentenceNames } from "./wording/wording.ts";

/** Every ladder that a finding can stand on. */
export const ladderNames: readonly string[] = detectorNames.flatMap((name) => [name, ...gradesOf(name)]);

function gradesOf(name: DetectorName): readonly string[] {
  return Object.keys(grades[name]).map((grade) => `${name}:${grade}`);
}

const ladder = orElse("off", fields(Object.fromEntries(stages.map((stage) => [stage, removable(wholeNumberFrom(1))]))));
const ladders = fields(Object.fromEntries(ladderNames.map((name) => [name, removable(ladder)])));

type ShapesOf<T> = { readonly [K in keyof Required<T>]: InputShape };

function checkOf(setting: DetectorSetting): InputShape {
  switch (setting.kind) {
    case "whole-number":
      return wholeNumberFrom(setting.least);
    case "share":
      return share;
    case "choice":
      return oneOfChoices(...setting.choices);
  }
}

const detectors = fields(
  Object.fromEntries(
    Object.entries(settingTables).map(([name, table]) => {
      const checks = Object.fromEntries(Object.entries(table).map(([key, setting]) => [key, checkOf(setting)]));
      return [name, removable(fields(checks))];
    }),
  ),
);

const plainValue = check({ type: ["string", "number", "boolean"] }, (value) =>
  ["string", "number", "boolean"].includes(typeof value) ? undefined : "must be a text, a number, true or false.",
);
/** In words, or as a call. */
const fallback = textOr(text, fields({ tool: text, args: recordOf(text, plainValue) }, { required: ["tool"] }));

export const toolFields: ShapesOf<ToolTerms> = {
  only: removable(texts),
  ignore: removable(texts),
  empty: removable(oneOfChoices("counts", "ignored")),
  denials: removable(oneOfChoices("answer", "fail")),
  kind: removable(oneOfChoices("think", "plan", "poll", "send", "write", "other")),
  ladders: removable(ladders),
  fallback: removable(fallback),
};

/** A misspelt place would be shown to the model as it is. */
const sentence = check({ type: "string" }, (value) => {
  if (typeof value !== "string") return "must be a text in quotes.";
  const wrong = [...value.matchAll(/\{(\w+)\}/g)].find(([, name]) => !places.some((place) => place === name));
  if (wrong === undefined) return undefined;
  const [, name = ""] = wrong;
  const nearest = nearestName(name, places);
  const meant =
    nearest === undefined
      ? `there are ${places.map((place) => `{${place}}`).join(", ")}.`
      : `did you mean {${nearest}}?`;
  return `has a place in braces that is not known; ${meant}`;
});
const sentences = fields(Object.fromEntries(sentenceNames.map((name) => [name, removable(sentence)])));

const byLanguage = (check: InputShape) => fields(Object.fromEntries(languages.map((language) => [language, check])));

const preambleText = textOr(text, byLanguage(removable(text)));

/** A sum below a millionth would be none. */
const money = check(
  { type: "number", exclusiveMinimum: 0 },
  (value) => problemOf(amount, value) ?? (Number(value) < 1 / MILLIONTHS ? "must be more than nothing." : undefined),
);

const limit = removable(wholeNumberFrom(1));
const budget: ShapesOf<BudgetLimits> = {
  ...{ steps: limit, tokens: limit, cost: removable(money), seconds: limit },
  whenUnknown: removable(oneOfChoices("allow", "deny")),
};
const price: ShapesOf<Price> = {
  input: amount,
  output: amount,
  cachedInput: removable(amount),
  cacheWrite: removable(amount),
};

/** A star stands for the rest of a name. */
const modelPattern = check(
  { type: "string", pattern: "^[^*]+\\*?$|^\\*$" },
  (value) =>
    problemOf(text, value) ??
    (/\*./.test(String(value)) ? "may have a star only at the end of a model's name." : undefined),
);

const actionRule: ShapesOf<ActionRule> = {
  type: oneOfChoices(...actionTypes),
  tool: texts,
  args: texts,
  outcome: texts,
  undo: orElse("same", fields({ tool: text, args: recordOf(text, plainValue) }, { required: ["tool", "args"] })),
};
const judge: ShapesOf<Judge> = {
  asks: oneOfChoices("goal", "near", "doubt"),
  model: removable(text),
  every: removable(wholeNumberFrom(1)),
  wait: removable(wholeNumberFrom(1)),
  maxCalls: removable(wholeNumberFrom(1)),
  excerptChars: removable(wholeNumberFrom(0)),
  maxSteps: removable(wholeNumberFrom(1)),
  actions: removable(list(fields(actionRule, { required: ["type"] }))),
};

/** Set out whole or not at all, once all presets are laid over each other. */
export const wholeFields = { judge: fields(judge, { required: ["asks"] }) };

const preamble: ShapesOf<Preamble> = {
  text: preambleText,
  when: removable(oneOfChoices("always", "stop-signal")),
};
const prompt: ShapesOf<PromptTerms> = {
  history: text,
  task: text,
  state: removable(text),
  step: text,
  action: text,
  result: text,
};
const runaway: ShapesOf<RunawayTerms> = {
  shortLaps: wholeNumberFrom(2),
  longLaps: wholeNumberFrom(2),
  leastChars: wholeNumberFrom(0),
};

/** What each field of a policy may be; a field without a line here does not compile. */
export const policyFields: ShapesOf<Policy> = {
  name: text,
  ladders,
  budget: removable(fields(budget)),
  prices: removable(recordOf(modelPattern, removable(fields(price, { required: ["input", "output"] })))),
  judge: removable(fields(judge)),
  detectors: removable(detectors),
  finalResponseAfterFailure: yesOrNo,
  intercept: oneOfChoices("on", "off"),
  runaway: orElse("off", fields(runaway, { required: Object.keys(runaway) })),
  finalResponse: oneOfChoices("answer", "error", "answer-then-error"),
  finalText: removable(oneOfChoices("brief", "reason", "own-text")),
  endTells: removable(oneOfChoices("results", "nothing")),
  stopSignal: removable(text),
  preamble: removable(fields(preamble, { required: ["text"] })),
  prompts: removable(list(fields(prompt, { required: ["history", "task", "step", "action", "result"] }))),
  doneTools: removable(texts),
  language: oneOfChoices("auto", ...languages),
  wording: removable(byLanguage(removable(sentences))),
  tools: recordOf(text, removable(fields(toolFields))),
};

function problemOf(one: InputShape, value: unknown): string | undefined {
  return problemsIn(one, value)[0]?.problem;
}

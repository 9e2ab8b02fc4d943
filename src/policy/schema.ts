import { type DetectorName, detectorNames, grades, type Settings } from "../engine/engine.ts";
import { nearestName } from "../nearest-name.ts";
import {
  amount,
  type Check,
  fields,
  list,
  oneOf,
  orElse,
  record,
  refuse,
  removable,
  share,
  text,
  texts,
  wholeNumber,
  yesOrNo,
} from "./checks.ts";
import { type Budget, MILLIONTHS } from "./budget.ts";
import { type ActionRule, actionTypes, type JudgeTerms, type Planning } from "./planning.ts";
import type { Price } from "./prices.ts";
import { rungs } from "./rungs.ts";
import type { Policy, ToolTerms } from "./terms.ts";
import { languages, places, sentenceNames } from "./wording/wording.ts";

/** Every ladder that a finding can stand on. */
export const ladderNames: readonly string[] = detectorNames.flatMap((name) => [name, ...gradesOf(name)]);

function gradesOf(name: DetectorName): readonly string[] {
  return Object.keys(grades[name]).map((grade) => `${name}:${grade}`);
}

const ladder = orElse("off", fields(Object.fromEntries(rungs.map((rung) => [rung, removable(wholeNumber(1))]))));
const ladders = fields(Object.fromEntries(ladderNames.map((name) => [name, removable(ladder)])));

type Checks<T> = { readonly [K in keyof Required<T>]: Check };

const settings: { readonly [D in keyof Settings]: Checks<Settings[D]> } = {
  "repeated-call": {
    reach: wholeNumber(1),
    from: oneOf("here", "repeat"),
    apart: wholeNumber(0),
    outcome: oneOf("same", "any"),
    order: oneOf("any", "kept"),
    changes: oneOf("reset", "ignore"),
    polls: oneOf("leave", "count"),
  },
  "consecutive-failures": { multi: oneOf("all", "any", "reset"), least: wholeNumber(1) },
  "polite-closure": { chars: wholeNumber(1) },
  "repeated-message": { alike: share, words: wholeNumber(1) },
  "retry-storm": { seconds: wholeNumber(1) },
};
const detectors = fields(
  Object.fromEntries(Object.entries(settings).map(([name, checks]) => [name, removable(fields(checks))])),
);

export const toolFields: Checks<ToolTerms> = {
  only: removable(texts),
  ignore: removable(texts),
  empty: removable(oneOf("counts", "ignored")),
  kind: removable(oneOf("think", "plan", "poll", "send", "write", "other")),
  ladders: removable(ladders),
};

/** A misspelt place would be shown to the model as it is. */
const sentence: Check = (value, at) => {
  if (typeof value !== "string") refuse(at, "must be a text in quotes.");
  for (const [mark, name = ""] of value.matchAll(/\{(\w+)\}/g)) {
    if (!places.some((place) => place === name))
      refuse(at, `has the place ${mark}, which is not known; did you mean {${nearestName(name, places)}}?`);
  }
};
const sentences = fields(Object.fromEntries(sentenceNames.map((name) => [name, removable(sentence)])));

const byLanguage = (check: Check) => fields(Object.fromEntries(languages.map((language) => [language, check])));

const preambleText: Check = (value, at) => {
  if (typeof value === "string") text(value, at);
  else byLanguage(removable(text))(value, at);
};

const limit = removable(wholeNumber(1));
const budget: Checks<Budget> = { steps: limit, tokens: limit, cost: removable(money), seconds: limit };
const price: Checks<Price> = { input: amount, output: amount, cachedInput: removable(amount) };

/** A sum below a millionth would be none. */
function money(value: unknown, at: string): void {
  amount(value, at);
  if (Number(value) < 1 / MILLIONTHS) refuse(at, "must be more than nothing.");
}

/** A star stands for the rest of a name. */
const modelPattern: Check = (value, at) => {
  text(value, at);
  if (/\*./.test(String(value))) refuse(at, `may have a star only at the end of a model's name, not "${value}".`);
};

const actionRule: Checks<ActionRule> = { type: oneOf(...actionTypes), tool: texts, args: texts, outcome: texts };
const plainValue: Check = (value, at) => {
  if (!["string", "number", "boolean"].includes(typeof value)) refuse(at, "must be a text, a number, true or false.");
};
const reversal = orElse("same", fields({ tool: text, args: record(text, plainValue) }, ["tool", "args"]));
const planning: Checks<Planning> = {
  task: oneOf("latest", "first"),
  progress: amount,
  sameState: wholeNumber(2),
  falls: wholeNumber(1),
  maxSteps: wholeNumber(1),
  actions: list(fields(actionRule, ["type"])),
  reversals: fields(Object.fromEntries(actionTypes.map((type) => [type, removable(reversal)]))),
};
const judge: Checks<JudgeTerms> = {
  every: wholeNumber(1),
  maxCalls: wholeNumber(1),
  maxTokens: wholeNumber(1),
  excerpts: oneOf("redacted", "off"),
  excerptChars: wholeNumber(1),
};

/** Fields that are set out whole or not at all, once all presets are laid over each other. */
export const wholeFields = {
  planning: fields(planning, Object.keys(planning)),
  judge: fields(judge, Object.keys(judge)),
};

/** What each field of a policy may be; a field without a line here does not compile. */
export const policyFields: Checks<Policy> = {
  name: text,
  ladders,
  budget: removable(fields(budget)),
  prices: removable(record(modelPattern, removable(fields(price, ["input", "output"])))),
  planning: removable(fields(planning)),
  judge: removable(fields(judge)),
  detectors: removable(detectors),
  finalResponseAfterFailure: yesOrNo,
  withoutBudget: oneOf("go on", "stop"),
  intercept: oneOf("on", "off"),
  maxAsks: wholeNumber(0),
  runaway: orElse(
    "off",
    fields({ shortLaps: wholeNumber(2), longLaps: wholeNumber(2), leastChars: wholeNumber(0) }, [
      "shortLaps",
      "longLaps",
      "leastChars",
    ]),
  ),
  ending: oneOf("answer", "error"),
  closing: removable(oneOf("reason", "own-text")),
  stopSignal: removable(text),
  preamble: removable(fields({ text: preambleText, when: removable(oneOf("always", "stop-signal")) }, ["text"])),
  doneTools: texts,
  language: oneOf("auto", ...languages),
  wording: removable(byLanguage(removable(sentences))),
  tools: record(text, removable(fields(toolFields))),
};

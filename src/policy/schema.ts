import {
  type DetectorName,
  detectorNames,
  type DetectorSetting,
  type DetectorSettings,
  grades,
  settingTables,
} from "../engine/engine.ts";
import { nearestName } from "../text/nearest-name.ts";
import {
  amount,
  check,
  type InputShape,
  list,
  narrows,
  object,
  type ObjectOf,
  oneOfChoices,
  optional,
  type OptionalShape,
  orElse,
  overlay,
  problemsIn,
  recordOf,
  removable,
  share,
  text,
  textOr,
  texts,
  type ValueOf,
  wholeNumberFrom,
  yesOrNo,
} from "../shapes/shapes.ts";
import { languages } from "./wording/language.ts";
import { type OwnWords, places, sentenceNames } from "./wording/sentences.ts";

/** Weakest first. */
export const rungs = ["nudge", "force-done", "short-circuit"] as const;
/** How hard to intervene. */
export type Rung = (typeof rungs)[number];

/** What a ladder has a count for, in the order in which it is climbed: the rungs, and a nudge that is said once more. */
export const stages = ["nudge", "second-nudge", "force-done", "short-circuit"] as const;
export type Stage = (typeof stages)[number];

export const rungOf = (stage: Stage): Rung => (stage === "second-nudge" ? "nudge" : stage);

/** From which count on each stage is reached. With a second nudge, for what is suspected, it is climbed where the stage below was not heeded. */
export type Ladder = Partial<Readonly<Record<Stage, number>>>;

/** A detector's main ladder under its name, the ladders of its grades under `name:grade`. */
export type LadderName = DetectorName | `${DetectorName}:${string}`;

export type Ladders = Partial<Readonly<Record<LadderName, Ladder>>>;

function overlayFor<const Name extends string, One extends InputShape>(
  names: readonly Name[],
  shapeOf: (name: Name) => One,
) {
  return overlay(Object.fromEntries(names.map((name) => [name, shapeOf(name)])) as Readonly<Record<Name, One>>);
}

/** Every ladder that a finding can stand on. */
export const ladderNames: readonly string[] = detectorNames.flatMap((name) => [
  name,
  ...Object.keys(grades[name]).map((grade) => `${name}:${grade}`),
]);

const count = wholeNumberFrom(1);
// What is off is a ladder without rungs once policies are laid over each other.
const ladder = orElse(
  "off",
  overlayFor(stages, () => removable(count)),
) as InputShape<Ladder>;
const ladders = overlayFor(ladderNames, () => removable(ladder)) as InputShape<Ladders>;

function shapeOf(setting: DetectorSetting): InputShape {
  if (setting.kind === "choice") return oneOfChoices(...setting.choices);
  return setting.kind === "share" ? share : wholeNumberFrom(setting.least);
}

const detectors = overlay(
  Object.fromEntries(
    Object.entries(settingTables).map(([name, table]) => {
      const shapes = Object.entries<DetectorSetting>(table).map(([key, setting]) => [key, shapeOf(setting)] as const);
      return [name, removable(overlay(Object.fromEntries(shapes)))];
    }),
  ),
) as InputShape<DetectorSettings>;

const callArguments = recordOf(
  text,
  check<string | number | boolean>({ type: ["string", "number", "boolean"] }, (value) =>
    ["string", "number", "boolean"].includes(typeof value) ? undefined : "must be a text, a number, true or false.",
  ),
);
/** What a nudge offers in place of a repeated call. */
const fallback = textOr(text, object({ tool: text, args: optional(callArguments) }));

export const toolFields = {
  only: removable(texts),
  ignore: removable(texts),
  empty: removable(oneOfChoices("counts", "ignored")),
  denials: removable(oneOfChoices("answer", "fail")),
  kind: removable(oneOfChoices("think", "plan", "poll", "send", "write", "other")),
  /** They replace the policy's own of the same names; for a turn with several tools the most lenient counts. */
  ladders: removable(ladders),
  fallback: removable(fallback),
};

/** A misspelt place would be shown to the model as it is. */
const sentence = check<string>({ type: "string" }, (value) => {
  if (typeof value !== "string") return "must be a text in quotes.";
  const names = [...value.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const wrong = names.find((name) => !places.some((place) => place === name));
  if (wrong === undefined) return undefined;
  const nearest = nearestName(wrong, places);
  const known = places.map((place) => `{${place}}`).join(", ");
  const meant = nearest === undefined ? `there are ${known}.` : `did you mean {${nearest}}?`;
  return `has a place in braces that is not known; ${meant}`;
});
const sentences = overlayFor(sentenceNames, () => removable(sentence));

/** Money is counted in whole millionths, so that sums stay exact. */
export const MILLIONTHS = 1_000_000;

/** A sum below a millionth would be none. */
const money = check<number>(
  { type: "number", exclusiveMinimum: 0 },
  (value) => problemOf(amount, value) ?? (Number(value) < 1 / MILLIONTHS ? "must be more than nothing." : undefined),
);

const budget = overlay({
  steps: narrows(removable(count), "steps: null"),
  tokens: narrows(removable(count), "tokens: null"),
  cost: narrows(removable(money), "cost: null"),
  seconds: narrows(removable(count), "seconds: null"),
  /** While they cannot be read because the store fails: `deny` answers 503, else the run goes on with what its history tells. */
  whenUnknown: narrows(removable(oneOfChoices("allow", "deny")), "whenUnknown: allow"),
});
export type BudgetLimits = ValueOf<typeof budget>;

/** Price of a million tokens, in any currency; those of the provider's cache cost as `input` where nothing is said of them. */
const price = object({ input: amount, output: amount, cachedInput: removable(amount), cacheWrite: removable(amount) });
export type Price = ValueOf<typeof price>;

const modelPattern = check(
  { type: "string", pattern: "^[^*]+\\*?$|^\\*$" },
  (value) =>
    problemOf(text, value) ??
    (/\*./.test(String(value)) ? "may have a star only at the end of a model's name." : undefined),
);

/** What an action does to what is shown, and so how it is undone; a `look` changes nothing. */
const actionType = oneOfChoices("checkbox", "dialog", "text", "menu", "window", "look", "other");
export type ActionType = ValueOf<typeof actionType>;

/** An action's type by words that it has: one of each given list. A rule without lists says of its type how it is undone. */
const actionRule = object({
  type: actionType,
  tool: optional(texts),
  args: optional(texts),
  /** In what came back, and not in what came back before it. */
  outcome: optional(texts),
  /** Undone by the `same` call once more or by this one, where the agent has the tool; a value `$name` is that argument of the action. */
  undo: optional(orElse("same", object({ tool: text, args: callArguments }))),
});
export type ActionRule = ValueOf<typeof actionRule>;

/** What a judge is asked, how often, and what it is shown; what is left out is as usual for what it is asked. */
const judge = {
  /** `goal`: how near the goal is; `doubt`: whether a run goes in circles, where no rule has said so. */
  asks: oneOfChoices("goal", "doubt"),
  /** A model of the run's own upstream, asked with the run's own key; without it the server's judge is asked. */
  model: removable(text),
  /** At most one question in so many steps. */
  every: removable(count),
  /** A request waits so many milliseconds at most to hear how near the goal is; without it what is said counts from the next one on. */
  wait: removable(count),
  maxCalls: removable(count),
  /** The most characters of an outcome that are shown, without keys and addresses; 0: names of tools and signatures alone. */
  excerptChars: removable(wholeNumberFrom(0)),
  maxSteps: removable(count),
  actions: removable(list(actionRule)),
};

/** Set out whole or not at all, once all presets are laid over each other. */
export const judgeShape = object(judge);
type Judge = ValueOf<typeof judgeShape>;

export type JudgeTerms = Required<Omit<Judge, "model" | "wait">> & Pick<Judge, "model" | "wait">;

const usual = { maxSteps: 50, actions: [] } as const;
const ofGoal = { ...usual, every: 1, maxCalls: 100, excerptChars: 4_000 };
const ofLoop = { ...usual, every: 8, maxCalls: 4, excerptChars: 600 };

export function judgeTermsOf({ judge: own }: { readonly judge?: Judge }): JudgeTerms | undefined {
  return own && { ...(own.asks === "goal" ? ofGoal : ofLoop), ...own };
}

/** The marks of one agent's prompts: names of its sections, and how its lines begin. */
const prompt = object({ history: text, task: text, state: removable(text), step: text, action: text, result: text });

/** A runaway answer: how often a block has come without a break. */
const runaway = object({ shortLaps: wholeNumberFrom(2), longLaps: wholeNumberFrom(2), leastChars: wholeNumberFrom(0) });
export type RunawayTerms = ValueOf<typeof runaway>;

/** What each field of a policy may be, and so the type of a policy; docs/configuration.md says what each means. */
export const policyFields = {
  name: text,
  ladders,
  /** A ladder `budget:<kind>` takes precedence. */
  budget: narrows(removable(budget), "budget: null"),
  prices: removable(recordOf(modelPattern, removable(price) as InputShape<Price>)),
  judge: removable(overlay(judge)) as OptionalShape<Judge>,
  detectors: removable(detectors),
  /** Whether a force-done that was ignored is followed by a short-circuit at the next step, whatever the count. */
  finalResponseAfterFailure: yesOrNo,
  intercept: oneOfChoices("on", "off"),
  runaway: orElse("off", runaway),
  finalResponse: oneOfChoices("answer", "error", "answer-then-error"),
  finalText: removable(oneOfChoices("brief", "reason", "own-text")),
  endTells: removable(oneOfChoices("results", "nothing")),
  stopSignal: removable(text),
  /** Text added to the system prompt of every request; with `stop-signal` only where that mentions the policy's stop signal. */
  preamble: removable(
    object({
      text: textOr(
        text,
        overlayFor(languages, () => removable(text)),
      ),
      when: removable(oneOfChoices("always", "stop-signal")),
    }),
  ),
  prompts: removable(list(prompt)),
  /** Tools that end a run, in order of preference, whatever they say of themselves. Without it: those that say so. */
  doneTools: removable(texts),
  language: oneOfChoices("auto", ...languages),
  wording: removable(overlayFor(languages, () => removable(sentences)) as InputShape<OwnWords>),
  /** By tool; `*` is for all tools, as far as their own rules do not say otherwise. */
  tools: recordOf(text, removable(overlay(toolFields))),
};

/** Which loops matter, how soon, and what is said about them. Plain JSON. */
export type Policy = ObjectOf<typeof policyFields>;

function problemOf(one: InputShape, value: unknown): string | undefined {
  return problemsIn(one, value)[0]?.problem;
}

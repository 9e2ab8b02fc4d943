export {
  type BudgetKind,
  costOf,
  type Ladder,
  type LadderName,
  limitedKinds,
  limitsBudget,
  priceFor,
  type Rung,
  stages,
} from "./budget.ts";
export {
  type ActionRule,
  type ActionType,
  type JudgeTerms,
  judgeTermsOf,
  type Policy,
  type Price,
  type RunawayTerms,
} from "./schema.ts";
export {
  type Decision,
  chooseRung,
  heededDoubt,
  type Memory,
  noMemory,
  type Opinion,
  rungAfter,
  withMade,
} from "./choose-rung.ts";
export { isWarning, type LoopCounter, loopCounter, placeOnLadder, watchesRetries } from "./ladder.ts";
export { policiesFrom, policyFrom, policyNamed, policyShape } from "./policy-file.ts";
export { doneNames, presetNamed, presetNames } from "./presets.ts";
export {
  containedText,
  finalText,
  forceDoneNote,
  type Language,
  languageOf,
  languageTold,
  nudgeNote,
  preambleFor,
  refusalText,
  type NoteFacts,
  tellsEnding,
} from "./wording/wording.ts";

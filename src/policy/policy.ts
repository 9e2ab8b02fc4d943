export {
  type BudgetKind,
  type Ladder,
  type LadderName,
  limitedKinds,
  limitsBudget,
  type Rung,
  stages,
} from "./budget.ts";
export {
  closingText,
  costOf,
  type Policy,
  preambleFor,
  type Price,
  priceFor,
  type RunawayTerms,
} from "./policy-type.ts";
export { type Decision, chooseRung, type Memory, noMemory, rungAfter, withMade } from "./choose-rung.ts";
export { isWarning, type LoopCounter, loopCounter, placeOnLadder, watchesRetries } from "./ladder.ts";
export {
  type ActionRule,
  type ActionType,
  heededDoubt,
  type JudgeTerms,
  judgeTermsOf,
  type Opinion,
} from "./judge.ts";
export { policiesFrom, policyFrom, policyNamed, policyShape } from "./policy-file.ts";
export { doneNames } from "./presets/bare.ts";
export { presetNamed, presetNames } from "./presets.ts";
export {
  containedText,
  finalText,
  forceDoneNote,
  type Language,
  languageOf,
  languageTold,
  nudgeNote,
  refusalText,
  type NoteFacts,
  tellsEnding,
} from "./wording/wording.ts";
